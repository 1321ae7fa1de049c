//! Measures how well correlations are predicted at unseen inputs:
//! `cargo run --release --example heads_trial -- burgers 10`.
//!
//! Arguments: problem, training inputs, and optionally seeds (1), steps (500), points per axis (64).
//! Figures are |C - F| / |C| in the Frobenius norm over grid points, with C the correlation of 1000
//! realizations and F what is predicted: by the heads, by the training inputs that resemble the
//! query most, by the mean over training inputs, and by 50 realizations of the query itself.
#![allow(clippy::print_stdout)]

use std::time::Instant;

use floral::grid::Thinning;
use floral::heads::coefficients::{Example, Law};
use floral::heads::factors::{Heads, Moves, Others, Row, Seen, Settings};
use floral::operator::Device;
use floral::problem::{Problem, catalogue};
use floral::random::{Purpose, stream};
use floral::regression::{Case, Channels, Kriging, Lattice, Query, Role, Symmetries, Symmetry};
use floral::{Event, Observer, Result, Silent};
use floral_linalg::{Mat, MatRef, symmetric_eigen};
use rayon::prelude::*;

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
    let settings = Settings {
        steps: number(3, "500") as usize,
        hidden_channels: number(5, "32") as usize,
        layers: number(6, "3") as usize,
        modes: number(7, "16") as usize,
        most_points: number(9, "1024") as usize,
        learning_rate: argument(8, "3e-3").parse().unwrap_or(3e-3),
        weight_decay: argument(10, "1e-4").parse().unwrap_or(1e-4),
        ..Default::default()
    };
    for seed in 1..=number(2, "1") {
        let settings = Settings {
            seed,
            ..settings.clone()
        };
        trial(
            problem.as_ref(),
            number(1, "10"),
            number(4, "64") as usize,
            &settings,
            argument(11, "mixed") == "mixed",
        )?;
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

    /// Input, low fidelity, and what the regression says of mean and deviation.
    fn conditions(&self, kriging: &Kriging) -> Result<Vec<f64>> {
        let found = kriging.predict(&self.query())?;
        let residual = found.mean.iter().zip(&self.low).map(|(m, l)| m - l);
        let mut all = [self.input.clone(), self.low.clone()].concat();
        all.extend(residual);
        all.extend(found.aleatoric.iter().map(|v| 0.5 * v.max(1e-12).ln()));
        Ok(all)
    }

    fn row(&self, kriging: &Kriging, others: Option<Others<'_>>) -> Result<Row> {
        let points = self.low.len();
        let seen = Seen {
            realizations: &self.realizations,
            centre: None,
            deviation: &self.deviation,
            error: None,
            known: None,
            others,
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

fn trial(
    problem: &dyn Problem,
    inputs: u64,
    points: usize,
    settings: &Settings,
    mixing: bool,
) -> Result<()> {
    let (periodic, texts) = declared(problem.name());
    let shape = problem.grid().shape();
    let thin = Thinning::to(&shape, &[points]).unwrap_or(Thinning::every(&shape, &[1, 1]));
    let lattice = Lattice::new(&thin.grid(problem.grid()), periodic)?;
    let symmetries: Result<Vec<Symmetry>> = texts.iter().map(|text| text.parse()).collect();
    let symmetries = Symmetries::new(&symmetries?, &lattice, 1, 1)?;
    let solved = |seed: u64, count: u64, realizations: u64| -> Result<Vec<Solved>> {
        let solve = |i| solve(problem, &thin, seed, i, realizations);
        (0..count).into_par_iter().map(solve).collect()
    };
    let train = solved(settings.seed, inputs, REALIZATIONS)?;
    let test = solved(settings.seed + 1000, TEST_INPUTS, REFERENCE)?;
    // What the network is fed at training inputs must be as good as at others, and no better.
    let mut fitted = Vec::new();
    for fold in 0..FOLDS {
        fitted.push(krige(&train, Some(fold), &lattice, &symmetries)?);
    }
    let kriging = krige(&train, None, &lattice, &symmetries)?;
    let held_out = (train.len() / 5).max(1);
    let kept = train.len() - held_out;
    let near = Nearby::new(&train[..kept], &lattice, &symmetries);
    let mut rows = Vec::new();
    for (i, solved) in train.iter().enumerate() {
        let factors = near.without(Some(i), solved, 1000, 1.0);
        let truth = Truth::new(&solved.residuals, lattice.len());
        // Of 50 normal realizations: noise (1 + c)/49 in a square c of the correlation.
        let square = truth.square / (lattice.len() as f64).powi(2);
        let noise = (1.0 / square + 1.0) / (REALIZATIONS - 1) as f64;
        let apart = truth.error(&factors).powi(2);
        let share = (noise / apart.max(noise)).clamp(0.0, 0.9);
        println!("    input {i}: noise {noise:.3}, others {apart:.3}");
        let others = Others {
            factors: &factors,
            share,
        };
        let others = (mixing && i < kept).then_some(others);
        rows.push(solved.row(&fitted[i % FOLDS], others)?);
    }
    let start = Instant::now();
    let heads = Heads::train(
        settings,
        rows.split_at(rows.len() - held_out),
        &MOVES,
        &lattice,
        &symmetries,
        &Device::flex(),
        &Narrator,
    )?;
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "    held out by number {:.3?}",
        heads.header.covariance_errors
    );
    let near = Nearby::new(&train, &lattice, &symmetries);
    let mut sums = vec![0.0; NAMES.len()];
    for solved in &test {
        let truth = Truth::new(&solved.residuals, lattice.len());
        let found = heads.factors(&solved.conditions(&kriging)?, &lattice)?;
        let found: Vec<f64> = found
            .fields
            .concat()
            .iter()
            .map(|v| f64::from(*v))
            .collect();
        let all: Vec<&[f64]> = train.iter().map(|s| s.residuals.as_slice()).collect();
        let mean = scaled(&all.concat(), 1.0 / train.len() as f64);
        let own = own(
            &solved.realizations[..50 * lattice.len()],
            &solved.deviation,
        );
        let six = near.factors(solved, 6, 1.0);
        let every = near.factors(solved, 1000, 1.0);
        let broad = near.factors(solved, 1000, 3.0);
        let averaged = near.averaged(&heads, &solved.conditions(&kriging)?)?;
        let mixed = |a: &[f64], share: f64| {
            let both = [scaled(&found, 1.0 - share), scaled(a, share)].concat();
            truth.error(&both)
        };
        let errors = [
            truth.error(&found),
            truth.error(&unit(found.clone(), lattice.len())),
            truth.error(&six),
            truth.error(&every),
            truth.error(&broad),
            truth.error(&mean),
            truth.error(&own),
            truth.error(&leading(&solved.residuals, lattice.len(), false)),
            mixed(&every, 0.3),
            mixed(&every, 0.5),
            mixed(&every, 0.7),
            mixed(&broad, 0.5),
            truth.error(&averaged),
            truth.error(&[scaled(&averaged, 0.5), scaled(&every, 0.5)].concat()),
        ];
        sums.iter_mut()
            .zip(errors)
            .for_each(|(s, e)| *s += e / test.len() as f64);
    }
    println!(
        "{} {inputs} inputs, seed {}: {seconds:.0} s, look {}, {} factors",
        problem.name(),
        settings.seed,
        heads.header.best_look,
        heads.header.turn.len(),
    );
    law(&heads, &fitted, &train, &lattice, settings.seed)?;
    for (name, sum) in NAMES.iter().zip(sums) {
        println!("  {sum:.3} {name}");
    }
    Ok(())
}

/// The regression on all inputs, or on those that are not of a fold.
fn krige(
    train: &[Solved],
    fold: Option<usize>,
    lattice: &Lattice,
    symmetries: &Symmetries,
) -> Result<Kriging> {
    let kept = train.iter().enumerate();
    let kept = kept.filter(|(i, _)| Some(i % FOLDS) != fold);
    let mut cases = Vec::new();
    for (_, solved) in kept {
        cases.push(Case {
            query: solved.query(),
            realizations: &solved.realizations,
        });
    }
    let channels = Channels {
        input: 1,
        solution: 1,
    };
    Kriging::fit(lattice, channels, symmetries, &cases)
}

/// The law of the coefficients, and what a draw of a flow takes.
fn law(
    heads: &Heads,
    fitted: &[Kriging],
    train: &[Solved],
    lattice: &Lattice,
    seed: u64,
) -> Result<()> {
    let example = |(i, solved): (usize, &Solved)| -> Result<Example> {
        let conditions = solved.conditions(&fitted[i % FOLDS])?;
        let factors = heads.factors(&conditions, lattice)?;
        let unit = ((REALIZATIONS - 1) as f64).sqrt();
        let residuals = solved.residuals.iter().map(|v| (v * unit) as f32);
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
    };
    let examples: Result<Vec<Example>> = train.iter().enumerate().map(example).collect();
    let examples = examples?;
    let dimension = heads.header.turn.len();
    let held_out = examples.len() - (examples.len() / 5).max(1);
    let start = Instant::now();
    let (fitted, rest) = examples.split_at(held_out);
    let law = Law::fit(fitted, rest, dimension, seed, &Silent)?;
    println!(
        "  law: Gaussian {}, {:?}, {:.1} s",
        law.is_gaussian(),
        law.header.scores,
        start.elapsed().as_secs_f64()
    );
    let mut bent = examples.clone();
    for value in bent.iter_mut().flat_map(|e| &mut e.coefficients) {
        *value = value.exp();
    }
    let (fitted, rest) = bent.split_at(held_out);
    let law = Law::fit(fitted, rest, dimension, seed, &Silent)?;
    let rng = |j| stream(seed, Purpose::Prior, 0, j);
    let mut rngs: Vec<_> = (0..2500).map(rng).collect();
    let mut out = vec![0.0; 2500 * dimension];
    let mut least = f64::INFINITY;
    for (rngs, out) in rngs.chunks_mut(100).zip(out.chunks_mut(100 * dimension)) {
        let start = Instant::now();
        law.draw(&bent[0].features, rngs, out)?;
        least = least.min(start.elapsed().as_secs_f64() / 100.0);
    }
    println!(
        "  log-normal: Gaussian {}, {:?}, {:.1} us a draw",
        law.is_gaussian(),
        law.header.scores,
        least * 1e6
    );
    Ok(())
}

const NAMES: [&str; 14] = [
    "heads",
    "heads, scaled to unit variance",
    "six inputs that resemble most",
    "all inputs by resemblance",
    "all inputs by resemblance, fading over three times the distance",
    "mean of inputs",
    "50 realizations of its own",
    "leading 16 factors of the truth",
    "heads and .3 of all inputs by resemblance",
    "heads and .5",
    "heads and .7",
    "heads and .5 of the slowly fading",
    "heads, averaged over motions and rolls",
    "the same and .5 of all inputs by resemblance",
];

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

/// The true correlation by its residuals.
struct Truth<'a> {
    residuals: MatRef<'a, f64>,
    square: f64,
}

impl<'a> Truth<'a> {
    fn new(residuals: &'a [f64], points: usize) -> Self {
        let residuals =
            MatRef::from_column_major_slice(residuals, points, residuals.len() / points);
        let gram: Mat<f64> = residuals.transpose() * residuals;
        Self {
            residuals,
            square: gram.squared_norm_l2(),
        }
    }

    /// |C - F| / |C| of factors [factor, point].
    fn error(&self, factors: &[f64]) -> f64 {
        let points = self.residuals.nrows();
        let f = MatRef::from_column_major_slice(factors, points, factors.len() / points);
        let own: Mat<f64> = f.transpose() * f;
        let seen: Mat<f64> = self.residuals.transpose() * f;
        let square = self.square + own.squared_norm_l2() - 2.0 * seen.squared_norm_l2();
        (square / self.square).max(0.0).sqrt()
    }
}

/// Factors scaled so that their squares sum to one at every point.
fn unit(mut factors: Vec<f64>, points: usize) -> Vec<f64> {
    let mut squares = vec![0.0; points];
    for field in factors.chunks_exact(points) {
        squares.iter_mut().zip(field).for_each(|(s, v)| *s += v * v);
    }
    for (i, value) in factors.iter_mut().enumerate() {
        *value /= squares[i % points].max(1e-12).sqrt();
    }
    factors
}

/// What the regression's spread does: factors of the inputs that resemble the query most.
struct Nearby<'a> {
    train: &'a [Solved],
    lattice: &'a Lattice,
    symmetries: &'a Symmetries,
    factors: Vec<Vec<f64>>,
    units: [f64; 2],
    fade: f64,
}

/// A training input in the roll in which it resembles the query most.
#[derive(Clone, Copy)]
struct Position {
    distance: f64,
    input: usize,
    motion: usize,
    steps: usize,
}

impl<'a> Nearby<'a> {
    fn new(train: &'a [Solved], lattice: &'a Lattice, symmetries: &'a Symmetries) -> Self {
        let size = |of: fn(&Solved) -> &Vec<f64>| {
            let squares = train.iter().flat_map(of).map(|v| v * v).sum::<f64>();
            squares / train.len() as f64
        };
        let factors = train
            .iter()
            .map(|s| leading(&s.residuals, lattice.len(), true));
        let mut nearby = Self {
            train,
            lattice,
            symmetries,
            factors: factors.collect(),
            units: [size(|s| &s.input), size(|s| &s.low)],
            fade: 1.0,
        };
        let nearest = |i: usize| {
            let all = nearby.closest(&train[i]);
            let other = all.iter().find(|position| position.input != i);
            other.map_or(1.0, |position| position.distance)
        };
        let mean = (0..train.len()).map(nearest).sum::<f64>() / train.len() as f64;
        nearby.fade = if mean.is_normal() { mean } else { 1.0 };
        nearby
    }

    fn moved(&self, role: Role, motion: usize, steps: usize, field: &[f64]) -> Vec<f64> {
        let field = self.symmetries.motions[motion].apply(role, field);
        let Some(&axis) = self.symmetries.rolled.first() else {
            return field;
        };
        let (n, stride) = (self.lattice.axes[axis].len, self.lattice.stride(axis));
        let from = |p: usize| {
            let i = self.lattice.position(p, axis);
            p - i * stride + (i + n - steps) % n * stride
        };
        (0..field.len()).map(|p| field[from(p)]).collect()
    }

    /// Factors of the heads for the query moved in eight ways, moved back.
    fn averaged(&self, heads: &Heads, conditions: &[f64]) -> Result<Vec<f64>> {
        let roles = [Role::Input, Role::Solution, Role::Solution];
        let points = self.lattice.len();
        let motions = self.symmetries.motions.len();
        let rolled = self.symmetries.rolled.first();
        let n = rolled.map_or(1, |&axis| self.lattice.axes[axis].len);
        let (count, mut all) = (8, Vec::new());
        for k in 0..count {
            let (motion, steps) = (k % motions, k * n / count);
            let mut moved = Vec::new();
            for (c, channel) in conditions.chunks_exact(points).enumerate() {
                let role = roles.get(c).copied().unwrap_or(Role::Solution);
                let there = self.moved(role, motion, steps, channel);
                // Of an even channel the sign that the motion gave is taken back.
                let sign = if c < 3 {
                    1.0
                } else {
                    self.symmetries.motions[motion].factors(role)[0]
                };
                moved.extend(there.iter().map(|v| sign * v));
            }
            let found = heads.factors(&moved, self.lattice)?;
            for field in &found.fields {
                let field: Vec<f64> = field.iter().map(|v| f64::from(*v)).collect();
                let back = self.moved(Role::Solution, 0, (n - steps) % n, &field);
                let back = self.symmetries.motions[motion]
                    .inverse()
                    .apply(Role::Solution, &back);
                all.extend(scaled(&back, 1.0 / count as f64));
            }
        }
        Ok(all)
    }

    /// Every input in every motion, at its closest roll, the closest first.
    fn closest(&self, query: &Solved) -> Vec<Position> {
        let rolled = self.symmetries.rolled.first();
        let rolls = rolled.map_or(1, |&axis| self.lattice.axes[axis].len);
        let distance = |input: usize, motion: usize, steps: usize| {
            let of = |role, a: &[f64], b: &[f64]| -> f64 {
                let moved = self.moved(role, motion, steps, a);
                moved.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum()
            };
            let train = &self.train[input];
            let distance = 0.5 * of(Role::Input, &train.input, &query.input) / self.units[0]
                + 0.5 * of(Role::Solution, &train.low, &query.low) / self.units[1];
            Position {
                distance,
                input,
                motion,
                steps,
            }
        };
        let motions = self.symmetries.motions.len();
        let best = |k: usize| {
            let all = (0..rolls).map(|steps| distance(k / motions, k % motions, steps));
            all.min_by(|a, b| a.distance.total_cmp(&b.distance))
        };
        let count = self.train.len() * motions;
        let mut found: Vec<Position> = (0..count).into_par_iter().filter_map(best).collect();
        found.sort_by(|a, b| a.distance.total_cmp(&b.distance));
        found
    }

    fn factors(&self, query: &Solved, most: usize, broad: f64) -> Vec<f64> {
        self.without(None, query, most, broad)
    }

    /// The factors that the inputs but one say.
    fn without(
        &self,
        left_out: Option<usize>,
        query: &Solved,
        most: usize,
        broad: f64,
    ) -> Vec<f64> {
        let mut closest = self.closest(query);
        closest.retain(|position| Some(position.input) != left_out);
        closest.truncate(most);
        let weight = |d: f64| (-(d - closest[0].distance) / (broad * self.fade)).exp();
        let sum: f64 = closest.iter().map(|c| weight(c.distance)).sum();
        let points = query.low.len();
        let mut fields = Vec::new();
        for position in &closest {
            let root = (weight(position.distance) / sum).sqrt();
            for field in self.factors[position.input].chunks_exact(points) {
                let Position { motion, steps, .. } = *position;
                let moved = self.moved(Role::Solution, motion, steps, field);
                fields.extend(moved.iter().map(|v| v * root));
            }
        }
        unit(fields, points)
    }
}

/// Leading 16 factors of residuals, scaled to unit variance or not.
fn leading(residuals: &[f64], points: usize, scale: bool) -> Vec<f64> {
    let x = MatRef::from_column_major_slice(residuals, points, residuals.len() / points);
    let gram: Mat<f64> = x.transpose() * x;
    let Some((_, vectors)) = symmetric_eigen(&gram) else {
        return residuals.to_vec();
    };
    let product: Mat<f64> = x * vectors.subcols(0, 16.min(vectors.ncols()));
    let fields = (0..product.ncols()).flat_map(|k| (0..points).map(move |p| (p, k)));
    let fields = fields.map(|(p, k)| product[(p, k)]).collect();
    if scale { unit(fields, points) } else { fields }
}
