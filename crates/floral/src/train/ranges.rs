//! Ranges of a run's training data: those of the inputs reveal new inputs far outside them, those
//! of the solutions determine the storage precision of predictions.

use serde::{Deserialize, Serialize};

use crate::metric::RunningMoments;
use crate::storage::Precision;
use crate::transform::Transform;

/// Range of one channel of the training inputs, or of their low fidelity.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ChannelRange {
    /// Smallest value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
    /// Mean over inputs of the root mean square over points.
    pub norm: f64,
    /// Standard deviation over inputs of the root mean square over points.
    pub norm_deviation: f64,
}

/// Range of one channel of the transformed solutions of the training inputs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SolutionRange {
    /// Smallest value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
    /// Root mean square over inputs and points of the standard deviation over realizations; if
    /// inputs have a single realization, the standard deviation of the residual.
    pub spread: f64,
}

impl SolutionRange {
    /// Storage precision that resolves the spread at both ends of the range and holds its square, in
    /// the units of the data.
    pub fn precision(&self, transform: Transform) -> Precision {
        let at = |learned: f64, step: f64| {
            let value = transform.invert(learned);
            [value, (transform.invert(learned + step) - value).abs()]
        };
        let ends = [at(self.min, self.spread), at(self.max, -self.spread)];
        let largest = ends.iter().map(|[_, spread]| *spread).fold(0.0, f64::max);
        Precision::holding(&ends).max(Precision::holding_variance(largest))
    }
}

/// Ranges of the training data per channel; part of a checkpoint.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Ranges {
    /// Channels of the input.
    pub input: Vec<ChannelRange>,
    /// Channels of the low-fidelity solution, if inputs come with one; before any transform.
    pub low: Vec<ChannelRange>,
    /// Channels of the high-fidelity solution; absent in older checkpoints.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub solution: Vec<SolutionRange>,
}

impl Ranges {
    /// Whether no ranges are known.
    pub fn is_empty(&self) -> bool {
        self.input.is_empty() && self.low.is_empty()
    }
}

/// Moments of the norms of fields, per channel.
#[derive(Debug, Clone)]
pub(super) struct Norms(Vec<RunningMoments>);

impl Norms {
    pub fn new(channels: usize) -> Self {
        Self(vec![RunningMoments::default(); channels])
    }

    /// Adds the norms of one field, one per channel.
    pub fn push(&mut self, of_field: &[f64]) {
        for (norms, norm) in self.0.iter_mut().zip(of_field) {
            norms.push(*norm);
        }
    }

    /// Ranges from these norms and the moments of the values, per channel.
    pub fn ranges(&self, values: &[RunningMoments]) -> Vec<ChannelRange> {
        let range = |(norm, values): (&RunningMoments, &RunningMoments)| ChannelRange {
            min: values.min(),
            max: values.max(),
            norm: norm.mean(),
            norm_deviation: norm.variance().sqrt(),
        };
        self.0.iter().zip(values).map(range).collect()
    }
}

/// The root mean square of a field's values.
pub(crate) fn root_mean_square(values: &[f64]) -> f64 {
    let squares: f64 = values.iter().map(|value| value * value).sum();
    (squares / values.len().max(1) as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_in_small_units_are_stored_with_their_variance() {
        let range = |scale: f64| SolutionRange {
            min: -scale,
            max: 5.0 * scale,
            spread: 0.1 * scale,
        };
        for (scale, expected) in [
            (1e-23, Precision::F64),
            (1e-6, Precision::F32),
            (1e5, Precision::F32),
            (1e25, Precision::F64),
        ] {
            assert_eq!(range(scale).precision(Transform::None), expected, "{scale}");
        }
    }
}
