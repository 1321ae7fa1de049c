//! The learned part: factors by a network, their coefficients by a flow, both judged by inputs held
//! out.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::conditions::{Conditioned, moves};
use super::{Expansion, Material};
use crate::Result;
use crate::heads::coefficients::Example;
use crate::heads::factors::{Factors, Row, Seen, Settings};
use crate::heads::{Heads, Law};
use crate::metric::{Fields, PAIR_LAGS, centred, energy_score};
use crate::observer::Observer;
use crate::operator::Device;
use crate::random::{Purpose, Stream, stream};
use crate::regression::Case;

/// Training inputs below which nothing is learned.
const FEWEST: usize = 5;

/// Draws by which an expansion is judged.
const DRAWS: usize = 200;

/// Factors at most: coefficients of more are ambiguous where the law needs few.
const FACTORS: usize = 6;

/// Factors that lower the relative squared error of the covariance by less are left out: they are
/// nearly parallel to others, and their coefficients no longer independent of them.
const NEAR: f64 = 0.02;

/// A network of factors and the law of their coefficients.
pub(super) struct Learned {
    pub heads: Heads,
    pub law: Law,
}

/// Energy scores at inputs held out.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct EnergyScores {
    /// With the regressions' factors and normal coefficients.
    pub normal: f64,
    /// With learned factors and coefficients.
    pub learned: f64,
    /// The standard error of their difference over inputs.
    pub error: f64,
}

impl EnergyScores {
    /// Whether learned coefficients are better by more than the error.
    pub fn is_learned(&self) -> bool {
        self.normal - self.learned > self.error
    }
}

impl Expansion {
    /// Learns factors and coefficients, and keeps them if they are better at inputs held out.
    pub(super) fn learn(
        &mut self,
        material: &Material<'_>,
        seed: u64,
        observer: &dyn Observer,
    ) -> Result<()> {
        let (train, judges) = parts(material);
        if train.len() < FEWEST || judges.is_empty() {
            return Ok(());
        }
        let learned = self.learned_from(material, (train, judges), seed, observer)?;
        if learned.law.is_gaussian() {
            return Ok(());
        }
        let normal = self.scores(judges, seed)?;
        self.learned = Some(learned);
        let better = self.scores(judges, seed)?;
        let gains: Vec<f64> = normal.iter().zip(&better).map(|(n, b)| n - b).collect();
        let scores = EnergyScores {
            normal: mean_and_error(&normal).0,
            learned: mean_and_error(&better).0,
            error: mean_and_error(&gains).1,
        };
        if !scores.is_learned() {
            self.learned = None;
        }
        self.energy = Some(scores);
        Ok(())
    }

    fn learned_from(
        &self,
        material: &Material<'_>,
        (train, judges): (&[Case<'_>], &[Case<'_>]),
        seed: u64,
        observer: &dyn Observer,
    ) -> Result<Learned> {
        let settings = Settings {
            seed,
            factors: FACTORS,
            ..Settings::default()
        };
        let prepared = |cases: &[Case<'_>]| -> Result<Vec<Prepared>> {
            cases.iter().map(|case| self.prepared(case)).collect()
        };
        let (train, judges) = (prepared(train)?, prepared(judges)?);
        let rows = |of: &[Prepared]| of.iter().map(|p| p.row.clone()).collect::<Vec<Row>>();
        let with_low = material.cases[0].query.low.is_some();
        let mut heads = Heads::train(
            &settings,
            (&rows(&train), &rows(&judges)),
            &moves(material.channels, with_low),
            material.lattice,
            material.symmetries,
            &Device::flex(),
            observer,
        )?;
        let kept = fewest(&heads.header.covariance_errors);
        heads.header.turn.truncate(kept);
        let examples = |of: &[Prepared]| -> Result<Vec<Example>> {
            of.iter().map(|p| p.example(&heads, material)).collect()
        };
        let (train, judges) = (examples(&train)?, examples(&judges)?);
        let dimension = heads.header.turn.len();
        let law = if dimension == 0 {
            Law::gaussian(0)
        } else {
            Law::fit(&train, &judges, dimension, seed, observer)?
        };
        Ok(Learned { heads, law })
    }

    fn prepared(&self, case: &Case<'_>) -> Result<Prepared> {
        let points = self.kriging.lattice().len();
        let conditioned = Conditioned::new(&self.kriging, &case.query)?;
        let known = case.points.map(|at| {
            let mut known = vec![false; points];
            at.iter().for_each(|&p| known[p] = true);
            known
        });
        let realizations = spread_out(case, points);
        let deviation: Vec<f64> = conditioned
            .prediction
            .aleatoric
            .iter()
            .map(|v| v.sqrt())
            .collect();
        let seen = Seen {
            realizations: &realizations,
            centre: None,
            deviation: &deviation,
            error: None,
            known: known.as_deref(),
            others: None,
        };
        Ok(Prepared {
            row: Row::new(&conditioned.conditions, &seen, points)?,
            residuals: residuals(&realizations, &deviation),
            known,
            conditioned,
        })
    }

    /// The energy score of every judge.
    fn scores(&self, judges: &[Case<'_>], seed: u64) -> Result<Vec<f64>> {
        let score = |(i, case): (usize, &Case<'_>)| -> Result<f64> {
            let draws = self.draws(&case.query)?;
            let of = |j: usize| stream(seed, Purpose::Validation, i as u64, j as u64);
            let mut rngs: Vec<Stream> = (0..DRAWS).map(of).collect();
            let mut members = vec![0.0; DRAWS * draws.values()];
            draws.draw_many(&mut rngs, &mut members);
            let known = |values: &[f64]| at_known(case, values, self.kriging.lattice().len());
            let centre = known(&draws.prediction().mean);
            let members = centred(&known(&members), &centre);
            let observed = centred(case.realizations, &centre);
            energy_score(
                Fields::new(&members, centre.len())?,
                Fields::new(&observed, centre.len())?,
                PAIR_LAGS,
            )
        };
        judges.par_iter().enumerate().map(score).collect()
    }
}

/// An input with all that is learned from it.
struct Prepared {
    row: Row,
    conditioned: Conditioned,
    /// Centred realizations over the predicted deviation: [realization, value].
    residuals: Vec<f32>,
    known: Option<Vec<bool>>,
}

impl Prepared {
    fn example(&self, heads: &Heads, material: &Material<'_>) -> Result<Example> {
        let factors: Factors = heads.factors(&self.conditioned.conditions, material.lattice)?;
        let known = self
            .known
            .as_ref()
            .map(|known| known.repeat(material.channels.solution));
        Ok(Example {
            features: self.conditioned.features.clone(),
            coefficients: factors.coefficients(&self.residuals, known.as_deref()),
        })
    }
}

/// The fewest factors whose error of the covariance is near the least; errors: of 0, 1, .. factors.
fn fewest(errors: &[f64]) -> usize {
    let least = errors.iter().copied().fold(f64::INFINITY, f64::min);
    let near = errors.iter().position(|error| *error <= least + NEAR);
    near.unwrap_or(0)
}

/// Training inputs and those that judge; a fifth of the training inputs where none are held out.
fn parts<'a>(material: &Material<'a>) -> (&'a [Case<'a>], &'a [Case<'a>]) {
    if !material.held_out.is_empty() {
        return (material.cases, material.held_out);
    }
    let judges = material.cases.len() / 5;
    material.cases.split_at(material.cases.len() - judges)
}

/// Realizations at every point, zero where they are not known: [realization, channel, point].
fn spread_out(case: &Case<'_>, points: usize) -> Vec<f64> {
    let Some(at) = case.points else {
        return case.realizations.to_vec();
    };
    let fields = case.realizations.chunks_exact(at.len());
    let mut all = vec![0.0; fields.len() * points];
    for (field, out) in fields.zip(all.chunks_exact_mut(points)) {
        at.iter().zip(field).for_each(|(&p, value)| out[p] = *value);
    }
    all
}

/// Values of members at the points where realizations are known.
fn at_known(case: &Case<'_>, members: &[f64], points: usize) -> Vec<f64> {
    let Some(at) = case.points else {
        return members.to_vec();
    };
    let channels = members.chunks_exact(points);
    channels
        .flat_map(|channel| at.iter().map(|&p| channel[p]))
        .collect()
}

/// Centred realizations over the deviation.
fn residuals(realizations: &[f64], deviation: &[f64]) -> Vec<f32> {
    let values = deviation.len();
    let count = (realizations.len() / values).max(1) as f64;
    let mut mean = vec![0.0; values];
    for realization in realizations.chunks_exact(values) {
        let sum = mean.iter_mut().zip(realization);
        sum.for_each(|(m, v)| *m += v / count);
    }
    let unit =
        |(i, value): (usize, &f64)| ((value - mean[i % values]) / deviation[i % values]) as f32;
    realizations.iter().enumerate().map(unit).collect()
}

fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let square = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>();
    (mean, (square / (n - 1.0).max(1.0) / n).sqrt())
}
