//! Measures regression on our own problems: `kriging_trial -- darcy 10`.
//!
//! Problems are generated in memory; training, held-out and test inputs have seeds of their own.
//! Arguments: problem, training inputs, and optionally how many seeds (3), the resolution (0: the
//! problem's own), and at how many points an axis high fidelity is known (0: all).
#![allow(clippy::print_stdout)]

use std::time::Instant;

use floral::metric::{MeanFieldError, VarianceError};
use floral::problem::{Problem, catalogue};
use floral::random::{Purpose, stream};
use floral::regression::{
    Case, Channels, Kriging, Lattice, MemberScore, Query, Recipe, Symmetries, Symmetry,
};
use floral::{Error, Field, Result, Silent};
use rayon::prelude::*;

const REALIZATIONS: u64 = 50;
const TEST_INPUTS: u64 = 15;
const HELD_OUT: u64 = 15;
const REFERENCE: u64 = 1000;
const DRAWS: usize = 2500;
/// Half the width, in deviations, of a Gaussian interval that holds 90 %.
const NINETY: f64 = 1.6449;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let name = arguments.first().map_or("advection", String::as_str);
    let number = |i: usize, default: u64| {
        let argument = arguments.get(i).and_then(|text| text.parse().ok());
        argument.unwrap_or(default)
    };
    let mut constants = toml::Table::new();
    if number(3, 0) > 0 {
        constants.insert("resolution".into(), (number(3, 0) as i64).into());
    }
    let problem = catalogue::build(name, constants, "defaults")?;
    let inputs = number(1, 2);
    println!(
        "{name}, {inputs} inputs, {:?} points",
        problem.grid().shape()
    );
    for seed in 1..=number(2, 3) {
        trial(problem.as_ref(), seed, inputs, number(4, 0) as usize)?;
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

/// An input with its low fidelity and realizations.
struct Solved {
    input: Field,
    low: Field,
    realizations: Vec<f64>,
}

fn solve(problem: &dyn Problem, seed: u64, index: u64, count: u64) -> Result<Solved> {
    let input = problem.draw_input(&mut stream(seed, Purpose::Input, index, 0))?;
    let mut realizations = vec![0.0; count as usize * problem.grid().len()];
    let mut streams: Vec<_> = (0..count)
        .map(|j| stream(seed, Purpose::Realization, index, j))
        .collect();
    problem.high_fidelity(&input, &mut streams, &mut realizations)?;
    Ok(Solved {
        low: problem.low_fidelity(&input)?,
        input,
        realizations,
    })
}

impl Solved {
    fn query(&self) -> Query<'_> {
        Query {
            input: self.input.values(),
            low: Some(self.low.values()),
        }
    }

    /// Realizations at these points only.
    fn thinned(mut self, points: Option<&[usize]>) -> Self {
        if let Some(points) = points {
            let fields = self.realizations.chunks_exact(self.low.values().len());
            let thin = fields.flat_map(|field| points.iter().map(|&p| field[p]));
            self.realizations = thin.collect();
        }
        self
    }

    fn case<'a>(&'a self, points: Option<&'a [usize]>) -> Case<'a> {
        Case {
            query: self.query(),
            realizations: &self.realizations,
            points,
        }
    }

    fn moments(&self) -> (Vec<f64>, Vec<f64>) {
        let points = self.low.values().len();
        let count = (self.realizations.len() / points) as f64;
        let (mut mean, mut square) = (vec![0.0; points], vec![0.0; points]);
        for realization in self.realizations.chunks_exact(points) {
            for (p, value) in realization.iter().enumerate() {
                mean[p] += value / count;
                square[p] += value * value / count;
            }
        }
        let parts = square.iter().zip(&mean);
        let variance = parts.map(|(s, m)| (s - m * m) * count / (count - 1.0));
        let variance = variance.collect();
        (mean, variance)
    }
}

/// Every so many points along each axis, so that `known` remain.
fn known_points(lattice: &Lattice, known: usize) -> Option<Vec<usize>> {
    let on = |p: usize| {
        let axes = lattice.axes.iter().enumerate();
        let mut along = axes.map(|(a, axis)| lattice.position(p, a) % (axis.len / known).max(1));
        along.all(|place| place == 0)
    };
    (known > 0).then(|| (0..lattice.len()).filter(|p| on(*p)).collect())
}

fn trial(problem: &dyn Problem, seed: u64, inputs: u64, known: usize) -> Result<()> {
    let (periodic, texts) = declared(problem.name());
    let lattice = Lattice::new(problem.grid(), periodic)?;
    let symmetries: Result<Vec<Symmetry>> = texts.iter().map(|text| text.parse()).collect();
    let symmetries = Symmetries::new(&symmetries?, &lattice, 1, 1)?;
    let points = known_points(&lattice, known);
    let solved = |seed: u64, count: u64, realizations: u64| -> Result<Vec<Solved>> {
        let solve = |i| solve(problem, seed, i, realizations);
        (0..count).into_par_iter().map(solve).collect()
    };
    let thin = |solved: Vec<Solved>| -> Vec<Solved> {
        let thinned = |s: Solved| s.thinned(points.as_deref());
        solved.into_iter().map(thinned).collect()
    };
    let train = thin(solved(seed, inputs, REALIZATIONS)?);
    let held = thin(solved(seed + 2000, HELD_OUT, REALIZATIONS)?);
    let exact = problem.exact_moments(&train[0].input)?.is_some();
    let test = solved(seed + 1000, TEST_INPUTS, if exact { 50 } else { REFERENCE })?;
    let [cases, judges] = [&train, &held].map(|all| {
        let each = all.iter().map(|solved| solved.case(points.as_deref()));
        each.collect::<Vec<Case<'_>>>()
    });
    let channels = Channels {
        input: 1,
        solution: 1,
    };
    for (recipe, judges) in [
        (Recipe::Blend, &judges[..]),
        (Recipe::Blend, &[]),
        (Recipe::Kernels, &judges[..]),
    ] {
        let start = Instant::now();
        let kriging = Kriging::fit(
            recipe,
            &lattice,
            channels,
            &symmetries,
            &cases,
            judges,
            &Silent,
        )?;
        let fitted = start.elapsed().as_secs_f64();
        let scores = score(problem, &kriging, &test)?;
        let held = judges.len();
        println!("seed {seed} {recipe:?} {held} held out: fit {fitted:.1} s, {scores}");
        if std::env::var_os("MEMBERS").is_some() {
            members("mean", kriging.mean_scores());
            members("variance", kriging.variance_scores());
        }
    }
    Ok(())
}

fn members(what: &str, scores: &[MemberScore]) {
    for score in scores {
        let (left_out, weight, name) = (score.left_out, score.weight, &score.name);
        println!("    {what} {left_out:9.4} weight {weight:.2} {name}");
    }
}

fn score(problem: &dyn Problem, kriging: &Kriging, test: &[Solved]) -> Result<String> {
    let [mut ours, mut low] = [(); 2].map(|()| MeanFieldError::default());
    let [mut variance, mut drawn] = [(); 2].map(|()| VarianceError::default());
    let (mut inside, mut inside_spread, mut all) = (0, 0, 0);
    let (mut ratio, mut novelty, mut factor) = (0.0, 0.0, 0.0);
    for solved in test {
        let (mean, truth) = moments(problem, solved)?;
        let found = kriging.predict(&solved.query())?;
        ours.push(&found.mean, &mean);
        low.push(solved.low.values(), &mean);
        variance.push(&found.aleatoric, &truth);
        let errors = found.mean.iter().zip(&mean).map(|(a, b)| (a - b).powi(2));
        ratio += found.epistemic.iter().sum::<f64>() / errors.sum::<f64>() / test.len() as f64;
        novelty += found.novelty / test.len() as f64;
        factor = found.factor;
        let total = found.total();
        let values = &solved.realizations[..solved.realizations.len().min(50 * mean.len())];
        inside += covered(values, &found.mean, &total);
        inside_spread += covered(values, &found.mean, &found.aleatoric);
        all += values.len();
    }
    let (draws, total, seconds, factors) = draws(kriging, &test[0].query())?;
    drawn.push(&sample_variance(&draws, total.len()), &total);
    let percent = |count: usize| 100.0 * count as f64 / all as f64;
    Ok(format!(
        "L2 {:.3} ({:.3} of low), variance {:.3}, coverage {:.1} % (aleatoric alone {:.1} %, \
         factor {factor:.2}), epistemic over squared error {ratio:.2}, novelty {novelty:.2}, {DRAWS} \
         draws of {factors} factors {seconds:.2} s (variance off {:.3})",
        ours.mean_l2(),
        ours.mean_l2() / low.mean_l2(),
        variance.relative(),
        percent(inside),
        percent(inside_spread),
        drawn.relative(),
    ))
}

/// Realizations of one query with their predicted variance, seconds, and number of factors.
fn draws(kriging: &Kriging, query: &Query<'_>) -> Result<(Vec<f32>, Vec<f64>, f64, usize)> {
    let total = kriging.predict(query)?.total();
    let start = Instant::now();
    let sampler = kriging.sampler(query)?;
    let open = |j| stream(9, Purpose::Prior, 0, j as u64);
    let mut rngs: Vec<_> = (0..DRAWS).map(open).collect();
    let mut out = vec![0.0; DRAWS * total.len()];
    sampler.draw_many(&mut rngs, &mut out);
    let seconds = start.elapsed().as_secs_f64();
    Ok((out, total, seconds, sampler.factors()))
}

/// How many values, [realization, value], lie in the central 90 % of a normal law at their point.
fn covered(values: &[f64], mean: &[f64], variance: &[f64]) -> usize {
    let points = mean.iter().zip(variance).cycle();
    let is_inside = |(value, (mean, variance)): &(&f64, (&f64, &f64))| {
        (*value - *mean).powi(2) / NINETY.powi(2) <= **variance
    };
    values.iter().zip(points).filter(is_inside).count()
}

fn moments(problem: &dyn Problem, solved: &Solved) -> Result<(Vec<f64>, Vec<f64>)> {
    Ok::<_, Error>(match problem.exact_moments(&solved.input)? {
        Some(exact) => (exact.mean.into_values(), exact.variance.into_values()),
        None => solved.moments(),
    })
}

fn sample_variance(draws: &[f32], points: usize) -> Vec<f64> {
    let count = (draws.len() / points) as f64;
    let (mut mean, mut square) = (vec![0.0; points], vec![0.0; points]);
    for draw in draws.chunks_exact(points) {
        for (p, value) in draw.iter().enumerate() {
            mean[p] += f64::from(*value) / count;
            square[p] += f64::from(*value).powi(2) / count;
        }
    }
    square.iter().zip(&mean).map(|(s, m)| s - m * m).collect()
}
