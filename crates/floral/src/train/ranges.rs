//! The range of a run's training inputs, by which an input far outside of it is known, and that of
//! their solutions, by which the precision of predictions is chosen.

use serde::{Deserialize, Serialize};

use crate::metric::RunningMoments;
use crate::storage::Precision;
use crate::transform::Transform;

/// What training inputs were like in one channel.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ChannelRange {
    /// Their smallest value.
    pub min: f64,
    /// Their largest value.
    pub max: f64,
    /// The mean over inputs of the root mean square over points.
    pub norm: f64,
    /// The standard deviation of the same.
    pub norm_deviation: f64,
}

/// What the solutions of training inputs were like in one channel, as they are learned.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SolutionRange {
    /// Their smallest value.
    pub min: f64,
    /// Their largest value.
    pub max: f64,
    /// The root mean square over inputs and points of the standard deviation over realizations; of
    /// single realizations, the deviation of the residual.
    pub spread: f64,
}

impl SolutionRange {
    /// What holds the spread at both ends of the range, in the units of the data.
    pub fn precision(&self, transform: Transform) -> Precision {
        let at = |learned: f64, step: f64| {
            let value = transform.invert(learned);
            [value, (transform.invert(learned + step) - value).abs()]
        };
        Precision::holding(&[at(self.min, self.spread), at(self.max, -self.spread)])
    }
}

/// What training inputs were like, channel by channel; part of a checkpoint.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Ranges {
    /// Of the input.
    pub input: Vec<ChannelRange>,
    /// Of the low-fidelity solution, where it is used.
    pub low: Vec<ChannelRange>,
    /// Of the high-fidelity solution; absent in older checkpoints.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub solution: Vec<SolutionRange>,
}

impl Ranges {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.input.is_empty() && self.low.is_empty()
    }
}

/// Norms of fields, channel by channel.
#[derive(Debug, Clone)]
pub(super) struct Norms(Vec<RunningMoments>);

impl Norms {
    pub fn new(channels: usize) -> Self {
        Self(vec![RunningMoments::default(); channels])
    }

    /// Takes in those of one field, channel by channel.
    pub fn push(&mut self, of_field: &[f64]) {
        for (norms, norm) in self.0.iter_mut().zip(of_field) {
            norms.push(*norm);
        }
    }

    /// With the moments of their values.
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
