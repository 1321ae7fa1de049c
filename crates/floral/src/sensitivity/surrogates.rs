//! Plausible surrogates: functions of the input that deviate from a run's prediction like its
//! errors.
//!
//! The epistemic part of the prediction for an input x is sum_k z_k e_k(x), with fields e_k and
//! standard normal numbers z_k. A surrogate is a function of x, so its numbers must be correlated
//! between similar inputs. Therefore z_k(x) is drawn from a Gaussian process over inputs with the
//! error correlations of the run given its training inputs (the same as in `suggest`), by the
//! Nyström approximation: with the correlation matrix C of m anchors and the correlations c(x) of x
//! with the anchors, z(x) = phi(x) . xi, where phi = C^(-1/2) c(x) is scaled to unit length and xi
//! is standard normal.

use floral_linalg::{Mat, symmetric_eigen};
use rand_distr::{Distribution, StandardNormal};

use crate::kl::Query;
use crate::predict::{Cases, Predictor};
use crate::random::{Purpose, stream};
use crate::{Error, Field, Result};

/// Largest number of anchors.
const ANCHORS: usize = 128;

/// Smallest number of anchors, whatever the cost of distances.
const FEWEST: usize = 8;

/// Largest number of multiplications for all distances together.
const WORK: usize = 50_000_000_000;

/// Eigenvalues below this share of the largest are treated as noise.
const NEGLIGIBLE: f64 = 1e-8;

/// Number of independent surrogates per input of a pool.
const INDEPENDENT: usize = 4;

/// Draws the epistemic numbers of surrogates.
pub(super) enum Surrogates {
    /// Functions of the input.
    Functions {
        /// The features phi: [input][anchor].
        features: Vec<Vec<f32>>,
        /// The numbers xi: `[surrogate][factor][anchor]`.
        numbers: Vec<Vec<Vec<f64>>>,
    },
    /// Independent numbers for every input, which suffices if only variances are wanted.
    Independent { factors: usize, seed: u64 },
}

impl Surrogates {
    pub(super) fn independent(factors: usize, seed: u64) -> Self {
        Self::Independent { factors, seed }
    }

    /// `count` functions over the inputs of `cases`, with `factors` epistemic numbers each.
    pub(super) fn over(
        predictor: &Predictor,
        cases: &Cases<'_>,
        (count, factors): (usize, usize),
        seed: u64,
    ) -> Result<Self> {
        let features = features(predictor, cases)?;
        let size = features.first().map_or(0, Vec::len);
        let one = |surrogate: usize, factor: usize| {
            let mut rng = stream(
                seed,
                Purpose::Plausible,
                u64::MAX - surrogate as u64,
                factor as u64,
            );
            (0..size).map(|_| StandardNormal.sample(&mut rng)).collect()
        };
        let numbers = |surrogate| (0..factors).map(|k| one(surrogate, k)).collect();
        Ok(Self::Functions {
            features,
            numbers: (0..count).map(numbers).collect(),
        })
    }

    /// The epistemic numbers of every surrogate for an input: `[surrogate][factor]`.
    pub(super) fn at(&self, input: usize) -> Vec<Vec<f64>> {
        match self {
            Self::Functions { features, numbers } => {
                let phi = &features[input];
                let dot = |xi: &Vec<f64>| phi.iter().zip(xi).map(|(p, x)| f64::from(*p) * x).sum();
                let surrogate = |factors: &Vec<Vec<f64>>| factors.iter().map(dot).collect();
                numbers.iter().map(surrogate).collect()
            }
            Self::Independent { factors, seed } => {
                let purpose = Purpose::Plausible;
                let mut rng = stream(*seed, purpose, u64::MAX - input as u64, u64::MAX);
                let mut one = || {
                    (0..*factors)
                        .map(|_| StandardNormal.sample(&mut rng))
                        .collect()
                };
                (0..INDEPENDENT).map(|_| one()).collect()
            }
        }
    }
}

/// Features of every input, scaled to unit length; their scalar products are correlations:
/// [input][anchor].
fn features(predictor: &Predictor, cases: &Cases<'_>) -> Result<Vec<Vec<f32>>> {
    let n = cases.inputs();
    let one = |index: usize| {
        let case = cases.case(index)?;
        predictor.query(&case.input, case.low.as_ref(), cases.grid())
    };
    let first = one(0)?;
    let size = first.0.values().len() + first.1.as_ref().map_or(0, |low| low.values().len());
    let most = WORK / (4 * n * size).max(1);
    let count = ANCHORS.min(most.max(FEWEST)).min(n);
    let anchors = (0..count)
        .map(|i| one(i * n / count))
        .collect::<Result<Vec<_>>>()?;
    let own = correlations(predictor, &anchors)?;
    let root = inverse_root(&own)?;
    let mut all = Vec::with_capacity(n);
    for start in (0..n).step_by(count) {
        let inputs = (start..n.min(start + count)).map(one);
        let inputs = inputs.collect::<Result<Vec<_>>>()?;
        let together = [&anchors[..], &inputs[..]].concat();
        let found = correlations(predictor, &together)?;
        for x in count..together.len() {
            all.push(feature(&root, |anchor| found[(anchor, x)]));
        }
    }
    Ok(all)
}

fn correlations(predictor: &Predictor, fields: &[(Field, Option<Field>)]) -> Result<Mat<f64>> {
    let query = |(input, low): &'_ (Field, Option<Field>)| -> (Vec<f64>, Option<Vec<f64>>) {
        (
            input.values().to_vec(),
            low.as_ref().map(|l| l.values().to_vec()),
        )
    };
    let values: Vec<_> = fields.iter().map(query).collect();
    let queries: Vec<Query<'_>> = values
        .iter()
        .map(|(input, low)| Query {
            input,
            low: low.as_deref(),
        })
        .collect();
    let found = predictor.error_correlations(&queries)?;
    found.ok_or_else(|| super::refusal("method", "it has no epistemic uncertainty"))
}

/// C^(-1/2) without the eigenvectors of negligible eigenvalues: [direction][anchor].
fn inverse_root(correlations: &Mat<f64>) -> Result<Vec<Vec<f64>>> {
    let (values, vectors) = symmetric_eigen(correlations).ok_or_else(|| {
        Error::numerical(
            "the correlations of errors at the inputs have no eigenvalues",
            "ask for other samples or another seed",
        )
    })?;
    let largest = values.iter().copied().fold(0.0, f64::max);
    let kept = (0..values.len()).filter(|k| values[*k] > NEGLIGIBLE * largest);
    let row = |k: usize| {
        let scale = 1.0 / values[k].sqrt();
        (0..correlations.nrows())
            .map(|i| scale * vectors[(i, k)])
            .collect()
    };
    Ok(kept.map(row).collect())
}

/// The features of one input, scaled to unit length.
fn feature(root: &[Vec<f64>], correlation: impl Fn(usize) -> f64) -> Vec<f32> {
    let dot = |row: &Vec<f64>| -> f64 {
        row.iter()
            .enumerate()
            .map(|(i, r)| r * correlation(i))
            .sum()
    };
    let values: Vec<f64> = root.iter().map(dot).collect();
    let norm = values.iter().map(|v| v * v).sum::<f64>().sqrt();
    let scale = if norm > 0.0 { 1.0 / norm } else { 0.0 };
    values.iter().map(|v| (scale * v) as f32).collect()
}
