//! Measures how well correlations are predicted at unseen inputs:
//! `cargo run --release --example heads_trial -- burgers 10`.
//!
//! Arguments: problem, training inputs, and optionally seeds (1), steps (500), points per axis (64).
//! Figures are |C - F| / |C| in the Frobenius norm over grid points, with C the correlation of 1000
//! realizations and F what is predicted.
#![allow(clippy::print_stdout)]

mod nearby;
mod truth;

use std::time::Instant;

use floral::grid::Thinning;
use floral::heads::coefficients::{Example, Law};
use floral::heads::factors::{Heads, Moves, Row, Seen, Settings};
use floral::operator::Device;
use floral::problem::{Problem, catalogue};
use floral::random::{Purpose, stream};
use floral::regression::{Case, Channels, Kriging, Lattice, Query, Recipe, Symmetries, Symmetry};
use floral::{Event, Observer, Result, Silent};
use rayon::prelude::*;

use nearby::{Nearby, leading};
use truth::Truth;

const REALIZATIONS: u64 = 50;
const TEST_INPUTS: u64 = 15;
const REFERENCE: u64 = 1000;
/// Parts of the training inputs, each of which is predicted from the others.
const FOLDS: usize = 5;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |i: usize, default: &str| arguments.get(i).cloned().unwrap_or(default.into());
    let number = |i: usize, default: &str| argument(i, default).parse::<u64>().unwrap_or(1);
    let name = argument(0, "burgers");
    let problem = catalogue::build(&name, toml::Table::new(), "defaults")?;
    for seed in 1..=number(2, "1") {
        let settings = Settings {
            seed,
            steps: number(3, "500") as usize,
            ..Default::default()
        };
        let points = number(4, "64") as usize;
        trial(problem.as_ref(), number(1, "10"), points, &settings)?;
    }
    Ok(())
}

/// Periodic axes and symmetries of our problems.
fn declared(problem: &str) -> (&'static [&'static str], &'static [&'static str]) {
    match problem {
        "advection" => (&["x"], &["roll:x", "sign"]),
        "burgers" => (&["x"], &["roll:x", "reflect:x:-"]),
        "darcy" => (&[], &["transpose:x,y", "scale:-1"]),
        _ => (&[], &[]),
    }
}

/// An input with its low fidelity and what its realizations say, thinned.
struct Solved {
    input: Vec<f64>,
    low: Vec<f64>,
    realizations: Vec<f64>,
    deviation: Vec<f64>,
    /// Centred realizations over their deviation and the root of their number: [residual, point].
    residuals: Vec<f64>,
}

fn solve(
    problem: &dyn Problem,
    thin: &Thinning,
    seed: u64,
    index: u64,
    count: u64,
) -> Result<Solved> {
    let input = problem.draw_input(&mut stream(seed, Purpose::Input, index, 0))?;
    let mut all = Vec::new();
    for j in 0..count {
        let mut one = vec![0.0; problem.grid().len()];
        let streams = &mut [stream(seed, Purpose::Realization, index, j)];
        problem.high_fidelity(&input, streams, &mut one)?;
        all.extend(thin.apply(&one));
    }
    let points = thin.kept().len();
    let mut mean = vec![0.0; points];
    for field in all.chunks_exact(points) {
        mean.iter_mut()
            .zip(field)
            .for_each(|(m, v)| *m += v / count as f64);
    }
    let mut deviation = vec![0.0; points];
    for field in all.chunks_exact(points) {
        let squares = field.iter().zip(&mean).map(|(v, m)| (v - m).powi(2));
        deviation
            .iter_mut()
            .zip(squares)
            .for_each(|(d, s)| *d += s / (count - 1) as f64);
    }
    deviation.iter_mut().for_each(|d| *d = d.sqrt().max(1e-9));
    let unit = ((count - 1) as f64).sqrt();
    let residuals = all.iter().enumerate().map(|(i, v)| {
        let p = i % points;
        (v - mean[p]) / (deviation[p] * unit)
    });
    Ok(Solved {
        low: thin.apply(problem.low_fidelity(&input)?.values()),
        input: thin.apply(input.values()),
        residuals: residuals.collect(),
        realizations: all,
        deviation,
    })
}

impl Solved {
    fn query(&self) -> Query<'_> {
        Query {
            input: &self.input,
            low: Some(&self.low),
        }
    }

    fn case(&self) -> Case<'_> {
        Case {
            query: self.query(),
            realizations: &self.realizations,
            points: None,
        }
    }

    /// Coefficients in the heads' factors, with moments of the conditions as features.
    fn example(&self, heads: &Heads, kriging: &Kriging, lattice: &Lattice) -> Result<Example> {
        let conditions = self.conditions(kriging)?;
        let factors = heads.factors(&conditions, lattice)?;
        let unit = ((REALIZATIONS - 1) as f64).sqrt();
        let residuals = self.residuals.iter().map(|v| (v * unit) as f32);
        let moment = |field: &[f64], k: i32| {
            field.iter().map(|v| v.powi(k)).sum::<f64>() / field.len() as f64
        };
        let channels = conditions.chunks_exact(lattice.len());
        Ok(Example {
            features: channels
                .flat_map(|c| [moment(c, 1), moment(c, 2)])
                .collect(),
            coefficients: factors.coefficients(&residuals.collect::<Vec<f32>>(), None),
        })
    }

    /// Input, low fidelity, and what the regression says of mean and deviation.
    fn conditions(&self, kriging: &Kriging) -> Result<Vec<f64>> {
        let found = kriging.predict(&self.query())?;
        let residual = found.mean.iter().zip(&self.low).map(|(m, l)| m - l);
        let mut all = [self.input.clone(), self.low.clone()].concat();
        all.extend(residual);
        all.extend(found.aleatoric.iter().map(|v| 0.5 * v.max(1e-12).ln()));
        Ok(all)
    }

    fn row(&self, kriging: &Kriging) -> Result<Row> {
        let points = self.low.len();
        let seen = Seen {
            realizations: &self.realizations,
            centre: None,
            deviation: &self.deviation,
            error: None,
            known: None,
            others: None,
        };
        Row::new(&self.conditions(kriging)?, &seen, points)
    }
}

const MOVES: [Moves; 4] = [
    Moves::AsInput(0),
    Moves::AsSolution(0),
    Moves::AsSolution(0),
    Moves::Even,
];

/// Prints what is observed at every look.
struct Narrator;

impl Observer for Narrator {
    fn observe(&self, event: &Event<'_>) {
        if let Event::Epoch(record) = event {
            println!(
                "    step {:4} loss {:.3} held out {:.3} {:.0} s",
                25 * record.epoch,
                record.train_loss,
                record.validation_loss,
                record.seconds
            );
        }
    }
}

/// Inputs of a problem on a thinned grid.
struct World {
    lattice: Lattice,
    symmetries: Symmetries,
    train: Vec<Solved>,
    test: Vec<Solved>,
}

impl World {
    fn new(problem: &dyn Problem, inputs: u64, points: usize, seed: u64) -> Result<Self> {
        let (periodic, texts) = declared(problem.name());
        let shape = problem.grid().shape();
        let thin = Thinning::to(&shape, &[points]).unwrap_or(Thinning::every(&shape, &[1, 1]));
        let lattice = Lattice::new(&thin.grid(problem.grid()), periodic)?;
        let symmetries: Result<Vec<Symmetry>> = texts.iter().map(|text| text.parse()).collect();
        let solved = |seed: u64, count: u64, realizations: u64| -> Result<Vec<Solved>> {
            let solve = |i| solve(problem, &thin, seed, i, realizations);
            (0..count).into_par_iter().map(solve).collect()
        };
        Ok(Self {
            symmetries: Symmetries::new(&symmetries?, &lattice, 1, 1)?,
            train: solved(seed, inputs, REALIZATIONS)?,
            test: solved(seed + 1000, TEST_INPUTS, REFERENCE)?,
            lattice,
        })
    }

    /// The regression on all training inputs, or on those that are not of a fold.
    fn krige(&self, fold: Option<usize>) -> Result<Kriging> {
        let kept = self.train.iter().enumerate();
        let kept = kept.filter(|(i, _)| Some(i % FOLDS) != fold);
        let case = |(_, solved)| Solved::case(solved);
        let cases: Vec<Case<'_>> = kept.map(case).collect();
        let channels = Channels {
            input: 1,
            solution: 1,
        };
        Kriging::fit(
            Recipe::Blend,
            &self.lattice,
            channels,
            &self.symmetries,
            &cases,
            &[],
            &Silent,
        )
    }

    /// Training inputs that are not held out.
    fn fitted(&self) -> usize {
        self.train.len() - (self.train.len() / 5).max(1)
    }
}

fn trial(problem: &dyn Problem, inputs: u64, points: usize, settings: &Settings) -> Result<()> {
    let world = World::new(problem, inputs, points, settings.seed)?;
    // What the network is fed at training inputs must be as good as at others, and no better.
    let folds: Result<Vec<Kriging>> = (0..FOLDS).map(|fold| world.krige(Some(fold))).collect();
    let folds = folds?;
    let rows = world.train.iter().enumerate();
    let rows: Result<Vec<Row>> = rows.map(|(i, s)| s.row(&folds[i % FOLDS])).collect();
    let start = Instant::now();
    let heads = Heads::train(
        settings,
        rows?.split_at(world.fitted()),
        &MOVES,
        &world.lattice,
        &world.symmetries,
        &Device::flex(),
        &Narrator,
    )?;
    println!(
        "{} {inputs} inputs, seed {}: {:.0} s, look {}, {} factors, held out by number {:.3?}",
        problem.name(),
        settings.seed,
        start.elapsed().as_secs_f64(),
        heads.header.best_look,
        heads.header.turn.len(),
        heads.header.covariance_errors,
    );
    score(&world, &heads)?;
    law(&world, &heads, &folds)
}

const NAMES: [&str; 8] = [
    "heads",
    "six positions that resemble most",
    "all positions by resemblance",
    "heads and .5 of all positions",
    "heads and .7 of all positions",
    "mean of inputs",
    "50 realizations of its own",
    "leading 16 factors of the truth",
];

fn score(world: &World, heads: &Heads) -> Result<()> {
    let kriging = world.krige(None)?;
    let points = world.lattice.len();
    let near = Nearby::new(&world.train, &world.lattice, &world.symmetries);
    let all: Vec<&[f64]> = world.train.iter().map(|s| s.residuals.as_slice()).collect();
    let mean = scaled(&all.concat(), 1.0 / world.train.len() as f64);
    let mut sums = vec![0.0; NAMES.len()];
    for solved in &world.test {
        let truth = Truth::new(&solved.residuals, points);
        let found = heads.factors(&solved.conditions(&kriging)?, &world.lattice)?;
        let found: Vec<f64> = found
            .fields
            .iter()
            .flatten()
            .map(|v| f64::from(*v))
            .collect();
        let every = near.factors(solved, usize::MAX);
        let mixed = |share| [scaled(&found, 1.0 - share), scaled(&every, share)].concat();
        let errors = [
            truth.error(&found),
            truth.error(&near.factors(solved, 6)),
            truth.error(&every),
            truth.error(&mixed(0.5)),
            truth.error(&mixed(0.7)),
            truth.error(&mean),
            truth.error(&own(&solved.realizations[..50 * points], &solved.deviation)),
            truth.error(&leading(&solved.residuals, points, false)),
        ];
        let sums = sums.iter_mut().zip(errors);
        sums.for_each(|(sum, error)| *sum += error / world.test.len() as f64);
    }
    for (name, sum) in NAMES.iter().zip(sums) {
        println!("  {sum:.3} {name}");
    }
    Ok(())
}

/// The law of the coefficients, and that of their exponentials, whose draws are timed.
fn law(world: &World, heads: &Heads, folds: &[Kriging]) -> Result<()> {
    let examples = world.train.iter().enumerate();
    let examples: Result<Vec<Example>> = examples
        .map(|(i, solved)| solved.example(heads, &folds[i % FOLDS], &world.lattice))
        .collect();
    let mut examples = examples?;
    for name in ["coefficients", "their exponentials"] {
        let (fitted, held_out) = examples.split_at(world.fitted());
        let dimension = heads.header.turn.len();
        let law = Law::fit(fitted, held_out, dimension, 1, &Silent)?;
        let mut least = f64::INFINITY;
        for block in 0..50 {
            let rng = |j| stream(1, Purpose::Prior, block, j);
            let mut rngs: Vec<_> = (0..48).map(rng).collect();
            let mut out = vec![0.0; 48 * dimension];
            let start = Instant::now();
            law.draw(&fitted[0].features, &mut rngs, &mut out)?;
            least = least.min(start.elapsed().as_secs_f64() / 48.0);
        }
        let kind = if law.is_gaussian() {
            "Gaussian"
        } else {
            "a flow"
        };
        let (scores, least) = (law.header.scores, 1e6 * least);
        println!("  law of {name}: {kind}, {scores:?}, {least:.1} us a draw");
        let values = examples.iter_mut().flat_map(|e| &mut e.coefficients);
        values.for_each(|value| *value = value.exp());
    }
    Ok(())
}

/// Factors of a share of the covariance.
fn scaled(factors: &[f64], share: f64) -> Vec<f64> {
    factors.iter().map(|v| v * share.sqrt()).collect()
}

/// Realizations, centred, over a deviation.
fn own(realizations: &[f64], deviation: &[f64]) -> Vec<f64> {
    let points = deviation.len();
    let count = realizations.len() / points;
    let mean = |p: usize| realizations.iter().skip(p).step_by(points).sum::<f64>() / count as f64;
    let mean: Vec<f64> = (0..points).map(mean).collect();
    let unit = ((count - 1) as f64).sqrt();
    let centred = realizations.iter().enumerate();
    centred
        .map(|(i, v)| (v - mean[i % points]) / (unit * deviation[i % points]))
        .collect()
}
