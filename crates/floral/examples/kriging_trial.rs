//! Measures kriging on our own problems: `cargo run --release --example kriging_trial -- darcy 10`.
//!
//! Problems are generated in memory; test inputs have seeds of their own. Arguments: problem,
//! training inputs, and optionally how many seeds (3) and the resolution.
#![allow(clippy::print_stdout)]

use std::time::Instant;

use floral::metric::{MeanFieldError, VarianceError};
use floral::problem::{Problem, catalogue};
use floral::random::{Purpose, stream};
use floral::regression::{Case, Channels, Kriging, Lattice, Query, Symmetries, Symmetry};
use floral::{Error, Field, Result};
use rayon::prelude::*;

const REALIZATIONS: u64 = 50;
const TEST_INPUTS: u64 = 15;
const REFERENCE: u64 = 1000;
/// Half the width, in deviations, of a Gaussian interval that holds 90 %.
const NINETY: f64 = 1.6449;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |i: usize, default: &str| arguments.get(i).cloned().unwrap_or(default.into());
    let name = argument(0, "advection");
    let number = |i: usize, default: &str| argument(i, default).parse::<u64>().unwrap_or(1);
    let (inputs, seeds) = (number(1, "2"), number(2, "3"));
    let mut constants = toml::Table::new();
    if let Some(resolution) = arguments.get(3).and_then(|r| r.parse::<i64>().ok()) {
        constants.insert("resolution".into(), resolution.into());
    }
    let problem = catalogue::build(&name, constants, "defaults")?;
    println!("{name}, {inputs} inputs: mean L2, relative variance error, 90 % coverage");
    for seed in 1..=seeds {
        trial(problem.as_ref(), seed, inputs)?;
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
        let variance = square
            .iter()
            .zip(&mean)
            .map(|(s, m)| (s - m * m) * count / (count - 1.0));
        let variance = variance.collect();
        (mean, variance)
    }
}

fn trial(problem: &dyn Problem, seed: u64, inputs: u64) -> Result<()> {
    let (periodic, texts) = declared(problem.name());
    let lattice = Lattice::new(problem.grid(), periodic)?;
    let symmetries: Result<Vec<Symmetry>> = texts.iter().map(|text| text.parse()).collect();
    let symmetries = Symmetries::new(&symmetries?, &lattice, 1, 1)?;
    let solved = |seed: u64, count: u64, realizations: u64| -> Result<Vec<Solved>> {
        let solve = |i| solve(problem, seed, i, realizations);
        (0..count).into_par_iter().map(solve).collect()
    };
    let train = solved(seed, inputs, REALIZATIONS)?;
    let exact = problem.exact_moments(&train[0].input)?.is_some();
    let test = solved(seed + 1000, TEST_INPUTS, if exact { 50 } else { REFERENCE })?;
    let cases: Vec<Case<'_>> = train
        .iter()
        .map(|solved| Case {
            query: solved.query(),
            realizations: &solved.realizations,
        })
        .collect();
    let channels = Channels {
        input: 1,
        solution: 1,
    };
    let start = Instant::now();
    let kriging = Kriging::fit(&lattice, channels, &symmetries, &cases)?;
    let fitted = start.elapsed().as_secs_f64();
    let scores = score(problem, &kriging, &train, &test)?;
    println!("seed {seed}: fit {fitted:.1} s, {scores}");
    for (what, scores) in [
        ("mean", kriging.mean_scores()),
        ("variance", kriging.variance_scores()),
    ] {
        for score in scores {
            let (left_out, weight) = (score.left_out, score.weight);
            println!(
                "    {what} {left_out:9.4} weight {weight:.2} {}",
                score.name
            );
        }
    }
    Ok(())
}

fn score(
    problem: &dyn Problem,
    kriging: &Kriging,
    train: &[Solved],
    test: &[Solved],
) -> Result<String> {
    let [mut ours, mut low, mut shifted] = [(); 3].map(|()| MeanFieldError::default());
    let [mut variance, mut constant, mut drawn] = [(); 3].map(|()| VarianceError::default());
    let (mut inside, mut inside_spread, mut all) = (0, 0, 0);
    let [mean_residual, mean_variance] = averages(train);
    let (mut seconds, mut ratio, mut drawing) = (0.0, 0.0, 0.0);
    for (i, solved) in test.iter().enumerate() {
        let (mean, truth) = moments(problem, solved)?;
        let start = Instant::now();
        let found = kriging.predict(&solved.query())?;
        seconds += start.elapsed().as_secs_f64();
        ours.push(&found.mean, &mean);
        low.push(solved.low.values(), &mean);
        let values = solved.low.values().iter().zip(&mean_residual);
        shifted.push(&values.map(|(l, r)| l + r).collect::<Vec<f64>>(), &mean);
        variance.push(&found.aleatoric, &truth);
        constant.push(&mean_variance, &truth);
        let error: f64 = found
            .mean
            .iter()
            .zip(&mean)
            .map(|(a, b)| (a - b).powi(2))
            .sum();
        ratio += found.epistemic.iter().sum::<f64>() / error / test.len() as f64;
        let total = found.total();
        let values = &solved.realizations[..solved.realizations.len().min(50 * mean.len())];
        inside += covered(values, &found.mean, &total);
        inside_spread += covered(values, &found.mean, &found.aleatoric);
        all += values.len();
        let start = Instant::now();
        let mut rng = stream(9, Purpose::Prior, i as u64, 0);
        let draws = kriging.sample(&solved.query(), 500, &mut rng)?;
        drawing += start.elapsed().as_secs_f64();
        drawn.push(&sample_variance(&draws, mean.len()), &total);
    }
    let percent = |count: usize| 100.0 * count as f64 / all as f64;
    Ok(format!(
        "L2 {:.3} (low {:.2}, low + mean residual {:.2}), variance {:.3} (mean variance {:.2}; 500 \
         draws {:.3}), coverage {:.1} % (aleatoric alone {:.1} %), epistemic over squared error \
         {:.2}, {:.0} ms a prediction, {:.0} ms 500 draws",
        ours.mean_l2(),
        low.mean_l2(),
        shifted.mean_l2(),
        variance.relative(),
        constant.relative(),
        drawn.relative(),
        percent(inside),
        percent(inside_spread),
        ratio,
        1e3 * seconds / test.len() as f64,
        1e3 * drawing / test.len() as f64,
    ))
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

/// Mean residual and mean variance of the training inputs.
fn averages(train: &[Solved]) -> [Vec<f64>; 2] {
    let points = train[0].low.values().len();
    let (mut residual, mut variance) = (vec![0.0; points], vec![0.0; points]);
    for solved in train {
        let (mean, spread) = solved.moments();
        for p in 0..points {
            residual[p] += (mean[p] - solved.low.values()[p]) / train.len() as f64;
            variance[p] += spread[p] / train.len() as f64;
        }
    }
    [residual, variance]
}

fn sample_variance(draws: &[f64], points: usize) -> Vec<f64> {
    let count = (draws.len() / points) as f64;
    let moment = |p: usize, k: i32| -> f64 {
        let column = draws.iter().skip(p).step_by(points);
        column.map(|v| v.powi(k)).sum::<f64>() / count
    };
    (0..points)
        .map(|p| moment(p, 2) - moment(p, 1).powi(2))
        .collect()
}
