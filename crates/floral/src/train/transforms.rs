//! Transforms of a run's solutions, with constants fitted to the training inputs.

use std::ops::Range;

use super::TrainConfig;
use super::scaling::push;
use crate::dataset::Dataset;
use crate::metric::RunningMoments;
use crate::transform::{Transform, Transforms};
use crate::{Error, Result};

/// The transform of each solution channel. If `positive` has no scale, it gets the root mean square
/// of the training inputs' realizations.
pub(super) fn transforms(dataset: &Dataset, config: &TrainConfig) -> Result<Transforms> {
    if !(config.transform.is_none() || config.method.is_generative()) {
        return Err(Error::config(
            "transform",
            format!(
                "{} predicts only a mean, and the mean of transformed values is not the transformed \
                 mean; leave the transform out, or choose a method with a spread",
                config.method
            ),
        ));
    }
    let channels = dataset.solution_channels().unwrap_or(0);
    let mut all = config.transform.of_channels(channels)?;
    let is_open = |transform: &Transform| *transform == Transform::Positive { scale: None };
    if all.iter().any(is_open) {
        let scales = root_mean_squares(dataset, config.split_of(dataset.inputs())?.train)?;
        for (transform, scale) in all.iter_mut().zip(scales) {
            if is_open(transform) {
                let scale = Some(if scale > 0.0 { scale } else { 1.0 });
                *transform = Transform::Positive { scale };
            }
        }
    }
    Ok(Transforms::new(all))
}

/// Root mean square of every high-fidelity channel over the given inputs.
fn root_mean_squares(dataset: &Dataset, inputs: Range<usize>) -> Result<Vec<f64>> {
    let mut squares = vec![RunningMoments::default(); dataset.solution_channels().unwrap_or(0)];
    for index in inputs {
        let high = dataset.high(index)?;
        let points = high.shape()[2..].iter().product();
        let high: Vec<f64> = high.values().iter().map(|value| value * value).collect();
        push(&mut squares, &high, points);
    }
    Ok(squares.iter().map(|s| s.mean().sqrt()).collect())
}
