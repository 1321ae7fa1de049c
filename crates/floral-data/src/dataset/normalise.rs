//! Normalisation to zero mean and unit standard deviation per channel, estimated from the training
//! inputs.

use serde::{Deserialize, Serialize};

use crate::metric::RunningMoments;

/// Mean and standard deviation of every channel; part of a checkpoint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Normaliser {
    mean: Vec<f64>,
    deviation: Vec<f64>,
}

impl Normaliser {
    /// Uses the statistics of each channel.
    pub fn new(channels: &[RunningMoments]) -> Self {
        // A constant channel carries no information; a deviation of 1 keeps it finite.
        let deviation = |moments: &RunningMoments| match moments.variance().sqrt() {
            0.0 => 1.0,
            deviation => deviation,
        };
        Self {
            mean: channels.iter().map(RunningMoments::mean).collect(),
            deviation: channels.iter().map(deviation).collect(),
        }
    }

    /// Uses the mean and the standard deviation of each channel.
    pub fn of_channels(channels: &[[f64; 2]]) -> Self {
        Self {
            mean: channels.iter().map(|[mean, _]| *mean).collect(),
            deviation: channels.iter().map(|[_, deviation]| *deviation).collect(),
        }
    }

    /// Whether it has this number of channels, each with a finite mean and a positive deviation.
    pub fn fits(&self, channels: usize) -> bool {
        let positive = |deviation: &f64| deviation.is_finite() && *deviation > 0.0;
        channels > 0
            && self.mean.len() == channels
            && self.deviation.len() == channels
            && self.mean.iter().all(|mean| mean.is_finite())
            && self.deviation.iter().all(positive)
    }

    /// Number of channels.
    pub fn channels(&self) -> usize {
        self.mean.len()
    }

    /// Normalised fields [.., channel, point].
    pub fn apply(&self, values: &[f64], points: usize) -> Vec<f32> {
        let channels = values.chunks_exact(points).enumerate();
        let scaled = channels.flat_map(|(i, channel)| {
            let (mean, deviation) = self.of(i);
            channel.iter().map(move |v| ((v - mean) / deviation) as f32)
        });
        scaled.collect()
    }

    /// Fields [.., channel, point] in physical units, from normalised ones.
    pub fn invert(&self, values: &[f32], points: usize) -> Vec<f64> {
        let channels = values.chunks_exact(points).enumerate();
        let scaled = channels.flat_map(|(i, channel)| {
            let (mean, deviation) = self.of(i);
            channel
                .iter()
                .map(move |&v| mean + deviation * f64::from(v))
        });
        scaled.collect()
    }

    /// Mean and standard deviation of the i-th field in a stack of fields.
    fn of(&self, i: usize) -> (f64, f64) {
        let channel = i % self.channels();
        (self.mean[channel], self.deviation[channel])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_applied_is_inverted_channel_by_channel() {
        let fields = [1.0, 3.0, 10.0, 30.0, 3.0, 1.0, 30.0, 10.0];
        let channel = |values: [f64; 2]| RunningMoments::of(values);
        let normaliser = Normaliser::new(&[channel([1.0, 3.0]), channel([10.0, 30.0])]);
        let scaled = normaliser.apply(&fields, 2);
        assert_eq!(scaled, [-1.0, 1.0, -1.0, 1.0, 1.0, -1.0, 1.0, -1.0]);
        assert_eq!(normaliser.invert(&scaled, 2), fields);
    }

    #[test]
    fn a_constant_channel_becomes_zero() {
        let normaliser = Normaliser::new(&[RunningMoments::of([5.0, 5.0])]);
        assert_eq!(normaliser.apply(&[5.0, 5.0], 2), [0.0, 0.0]);
    }
}
