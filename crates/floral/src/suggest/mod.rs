//! Active design: which inputs of a pool to simulate next, and by how much that would reduce the
//! error.
//!
//! The uncertainty of the predicted mean for an input is its epistemic variance. The errors of two
//! inputs are correlated, with correlations that the regression computes given the training inputs.
//! The next input is the one with the largest epistemic variance. Solving it removes its own error
//! and the correlated part of the errors of all other inputs; the remaining variances decide the
//! input after it. The chosen inputs are therefore far from the training inputs and from each
//! other, and of two duplicates only one is chosen.

mod sensors;

pub use sensors::{SensorSuggestions, SuggestedSensor, suggest_sensors};

use std::ops::Range;

use floral_linalg::Mat;
use serde::Serialize;

use crate::grid::Mask;
use crate::kl::Query;
use crate::observer::{Event, Observer, go_on};
use crate::predict::{Cases, Predictor};
use crate::{Error, Field, Grid, Quantity, Result};

/// Largest number of candidate inputs; of a larger pool, those with the largest epistemic variance.
const MOST: usize = 400;

/// Suggested inputs to simulate next.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Suggestions {
    /// Number of inputs of the pool.
    pub pool: usize,
    /// Names and units of the solution channels.
    pub channels: Vec<Quantity>,
    /// Epistemic standard deviation of the mean, root mean square over pool and points, per
    /// channel.
    pub error: Vec<f64>,
    /// Average share of the error that a randomly chosen input of the pool removes.
    pub random_removes: f64,
    /// The inputs, most informative first.
    pub inputs: Vec<Suggested>,
}

/// An input to simulate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Suggested {
    /// Index in the file.
    pub input: usize,
    /// Epistemic standard deviation of the mean, root mean square over points, per channel.
    pub error: Vec<f64>,
    /// Novelty: 1 for an input like the training inputs, larger for inputs far from them.
    pub novelty: f64,
    /// Share of the pool's error that this input and those before it remove together.
    pub removes: f64,
}

/// The uncertainty for one input of the pool.
struct Known {
    index: usize,
    /// Epistemic variance, averaged over the domain: [channel].
    squares: Vec<f64>,
    novelty: f64,
    /// Input and transformed low fidelity on the training grid.
    query: (Field, Option<Field>),
}

/// The `count` most informative inputs of a pool.
pub fn suggest(
    predictor: &Predictor,
    cases: &Cases<'_>,
    inputs: Range<usize>,
    count: usize,
    observer: &dyn Observer,
) -> Result<Suggestions> {
    if count == 0 || count > inputs.len() {
        return Err(Error::config(
            format!("{count} inputs"),
            format!("the pool has {}; ask for one at least", inputs.len()),
        ));
    }
    let known = known(predictor, cases, inputs, observer)?;
    let levels = levels(&known);
    let kept = largest(&levels);
    let queries: Vec<Query<'_>> = kept.iter().map(|&i| known[i].query()).collect();
    let correlations = predictor.error_correlations(&queries)?;
    let correlations = correlations.ok_or_else(|| unknowing(predictor))?;
    let deviations: Vec<f64> = kept.iter().map(|&i| levels[i].sqrt()).collect();
    let covariance = Mat::from_fn(kept.len(), kept.len(), |a, b| {
        correlations[(a, b)] * deviations[a] * deviations[b]
    });
    let total = covariance.diagonal().column_vector().iter().sum::<f64>();
    let random = (0..kept.len()).map(|i| share(removed(&covariance, i), total));
    let random_removes = random.sum::<f64>() / kept.len() as f64;
    let chosen = greedy(covariance, count.min(kept.len()));
    let suggested = |(place, left): (usize, f64)| {
        let known = &known[kept[place]];
        Suggested {
            input: known.index,
            error: known.squares.iter().map(|v| v.sqrt()).collect(),
            novelty: known.novelty,
            removes: share(total - left, total),
        }
    };
    Ok(Suggestions {
        pool: known.len(),
        channels: predictor.header().quantities.solution.clone(),
        error: pooled(&known),
        random_removes,
        inputs: chosen.into_iter().map(suggested).collect(),
    })
}

/// The uncertainty for every input of the pool.
fn known(
    predictor: &Predictor,
    cases: &Cases<'_>,
    inputs: Range<usize>,
    observer: &dyn Observer,
) -> Result<Vec<Known>> {
    observer.observe(&Event::Inputs {
        done: 0,
        total: inputs.len(),
    });
    let one = |index: usize| {
        go_on(observer)?;
        let case = cases.case(index)?;
        let (low, grid) = (case.low.as_ref(), cases.grid());
        let derived = predictor.for_input(&case.input, low, grid)?;
        let Some(moments) = derived.moments() else {
            return Err(unknowing(predictor));
        };
        let weights = weights(grid, cases.mask());
        let mean = |values: &[f64]| weighted_mean(values, &weights);
        observer.observe(&Event::Generated { input: index });
        Ok(Known {
            index,
            squares: moments
                .epistemic
                .chunks_exact(grid.len())
                .map(mean)
                .collect(),
            novelty: moments.novelty,
            query: predictor.query(&case.input, low, grid)?,
        })
    };
    inputs.map(one).collect()
}

/// Weights of points in a mean over the domain: quadrature weights of a mesh, and zero outside the
/// domain.
fn weights(grid: &Grid, mask: Option<&Mask>) -> Vec<f64> {
    let mut weights = match grid.weights() {
        Some(weights) => weights.to_vec(),
        None => vec![1.0; grid.len()],
    };
    if let Some(mask) = mask {
        let outside = weights.iter_mut().zip(mask.outside());
        outside.for_each(|(weight, outside)| *weight *= f64::from(u8::from(!outside)));
    }
    weights
}

/// The weighted mean of one channel; values at points of weight zero may be NaN.
fn weighted_mean(values: &[f64], weights: &[f64]) -> f64 {
    let inside = values
        .iter()
        .zip(weights)
        .filter(|(_, weight)| **weight > 0.0);
    inside.map(|(value, weight)| weight * value).sum::<f64>() / weights.iter().sum::<f64>()
}

impl Known {
    fn query(&self) -> Query<'_> {
        let (input, low) = &self.query;
        Query {
            input: input.values(),
            low: low.as_ref().map(Field::values),
        }
    }
}

fn unknowing(predictor: &Predictor) -> Error {
    Error::config(
        format!("method {}", predictor.method()),
        "it has no epistemic uncertainty; suggest with a run of floral-kl or kriging",
    )
}

/// Epistemic standard deviation, root mean square over the pool: [channel].
fn pooled(known: &[Known]) -> Vec<f64> {
    let channels = known.first().map_or(0, |known| known.squares.len());
    let mean = |c: usize| known.iter().map(|k| k.squares[c]).sum::<f64>() / known.len() as f64;
    (0..channels).map(|c| mean(c).sqrt()).collect()
}

/// One number per input: its epistemic variance relative to that of the pool, averaged over
/// channels, so that no channel dominates because of its unit.
fn levels(known: &[Known]) -> Vec<f64> {
    let pooled = pooled(known);
    let level = |known: &Known| {
        let parts = known.squares.iter().zip(&pooled);
        let part = |(square, pool): (&f64, &f64)| {
            if *pool > 0.0 {
                square / (pool * pool)
            } else {
                0.0
            }
        };
        parts.map(part).sum::<f64>() / pooled.len() as f64
    };
    known.iter().map(level).collect()
}

/// Positions of the largest levels, sorted by position.
fn largest(levels: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..levels.len()).collect();
    order.sort_by(|a, b| levels[*b].total_cmp(&levels[*a]).then(a.cmp(b)));
    order.truncate(MOST);
    order.sort_unstable();
    order
}

/// Total variance that solving one input removes from all inputs.
fn removed(covariance: &Mat<f64>, input: usize) -> f64 {
    let own = covariance[(input, input)];
    if own <= 0.0 {
        return 0.0;
    }
    let rows = 0..covariance.nrows();
    rows.map(|i| covariance[(i, input)].powi(2) / own).sum()
}

/// The relative reduction of a root mean square error when `removed` of the variance `total` is
/// removed.
fn share(removed: f64, total: f64) -> f64 {
    if total <= 0.0 {
        return 0.0;
    }
    1.0 - (1.0 - removed / total).clamp(0.0, 1.0).sqrt()
}

/// Greedy choice: repeatedly the input with the largest remaining variance, each with the sum of
/// variances that remains after it.
fn greedy(mut covariance: Mat<f64>, count: usize) -> Vec<(usize, f64)> {
    let n = covariance.nrows();
    let mut chosen = Vec::new();
    for _ in 0..count {
        let free = (0..n).filter(|i| chosen.iter().all(|(other, _)| other != i));
        let own = |i: &usize| covariance[(*i, *i)];
        // If variances are equal up to rounding, the input that removes most variance.
        let informative = |i: &usize| (own(i) as f32, removed(&covariance, *i));
        let more = |a: &usize, b: &usize| {
            let (one, other) = (informative(a), informative(b));
            let by_removed = one.1.total_cmp(&other.1);
            one.0.total_cmp(&other.0).then(by_removed).then(b.cmp(a))
        };
        let Some(next) = free.max_by(more) else {
            break;
        };
        let variance = covariance[(next, next)];
        if variance > 0.0 {
            let column: Vec<f64> = (0..n).map(|i| covariance[(i, next)]).collect();
            covariance = Mat::from_fn(n, n, |a, b| {
                let left = covariance[(a, b)] - column[a] * column[b] / variance;
                if a == b { left.max(0.0) } else { left }
            });
        }
        chosen.push((next, (0..n).map(|i| covariance[(i, i)]).sum()));
    }
    chosen
}

#[cfg(test)]
#[cfg(feature = "networks")]
mod tests;
