//! The path from prior to data, and the velocity along it.

use rand::RngExt;
use serde::{Deserialize, Serialize};

use super::Prior;
use crate::random::Stream;

/// The norm ||w1 - w0|| that scales the width of the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PathNorm {
    /// The norm of the function space: the root of the mean square over the grid.
    RootMeanSquare,
    /// The mean square, as in the reference implementation.
    MeanSquare,
}

/// How draws of the prior are paired with realizations of the same input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Coupling {
    /// Independent pairs, as in the paper.
    Independent,
    /// In each epoch, the pairing of least total squared distance.
    Nearest,
}

/// Constants of the path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PathConfig {
    /// Width of the path relative to its length.
    pub sigma_min: f64,
    /// The norm that measures this length.
    pub norm: PathNorm,
    /// How prior draws and realizations are paired.
    pub coupling: Coupling,
}

impl Default for PathConfig {
    fn default() -> Self {
        Self {
            sigma_min: 1e-5,
            norm: PathNorm::RootMeanSquare,
            coupling: Coupling::Independent,
        }
    }
}

/// Straight paths w_tau = (1 - tau) w0 + tau w1 + sigma xi, with w0 and xi from the prior and
/// sigma = sigma_min ||w1 - w0||.
pub struct Path<'a> {
    /// Constants.
    pub config: &'a PathConfig,
    /// The distribution of w0 and xi.
    pub prior: &'a dyn Prior,
    /// Number of grid points, the length of a channel.
    pub points: usize,
}

impl Path<'_> {
    /// The prior draw w0, [channel, point], that [`Self::draw`] makes from this stream.
    pub fn start(&self, rng: &mut Stream, size: usize) -> Vec<f32> {
        let _time: f32 = rng.random();
        let (mut start, mut width) = (vec![0.0; size], vec![0.0; self.points]);
        for channel in start.chunks_exact_mut(self.points) {
            self.prior.draw(rng, channel);
            self.prior.draw(rng, &mut width);
        }
        start
    }

    /// Draws a time tau and a point of the path to `target`, [channel, point], at that time. Writes
    /// this state and the velocity w1 - w0; returns tau.
    pub fn draw(
        &self,
        target: &[f32],
        rng: &mut Stream,
        state: &mut [f32],
        velocity: &mut [f32],
    ) -> f32 {
        let time: f32 = rng.random();
        for (channel, velocity) in state
            .chunks_exact_mut(self.points)
            .zip(velocity.chunks_exact_mut(self.points))
        {
            // Until the end of this function `velocity` holds w0 and `state` holds xi.
            self.prior.draw(rng, velocity);
            self.prior.draw(rng, channel);
        }
        let square = velocity
            .iter()
            .zip(target)
            .map(|(w0, w1)| f64::from(w1 - w0).powi(2))
            .sum::<f64>()
            / target.len() as f64;
        let length = match self.config.norm {
            PathNorm::RootMeanSquare => square.sqrt(),
            PathNorm::MeanSquare => square,
        };
        let sigma = (self.config.sigma_min * length) as f32;
        for ((state, velocity), &w1) in state.iter_mut().zip(velocity).zip(target) {
            let w0 = *velocity;
            *state = (1.0 - time) * w0 + time * w1 + sigma * *state;
            *velocity = w1 - w0;
        }
        time
    }
}

/// Weight of the loss at time tau: 1 + 2 tau^2.
pub fn weight(time: f32) -> f32 {
    1.0 + 2.0 * time * time
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};

    /// A prior equal to one everywhere, so that the path is known.
    struct Ones;

    impl Prior for Ones {
        fn draw(&self, _rng: &mut Stream, channel: &mut [f32]) {
            channel.fill(1.0);
        }
    }

    fn drawn(config: &PathConfig, target: &[f32]) -> (f32, Vec<f32>, Vec<f32>) {
        let path = Path {
            config,
            prior: &Ones,
            points: 4,
        };
        let (mut state, mut velocity) = (vec![0.0; 8], vec![0.0; 8]);
        let mut rng = stream(0, Purpose::Path, 0, 0);
        let time = path.draw(target, &mut rng, &mut state, &mut velocity);
        (time, state, velocity)
    }

    #[test]
    fn the_path_is_straight_and_its_width_a_share_of_its_length() {
        let target = [3.0; 8];
        for (norm, length) in [(PathNorm::RootMeanSquare, 2.0), (PathNorm::MeanSquare, 4.0)] {
            let config = PathConfig {
                sigma_min: 0.1,
                norm,
                ..PathConfig::default()
            };
            let (time, state, velocity) = drawn(&config, &target);
            assert!((0.0..1.0).contains(&time));
            assert_eq!(velocity, [2.0; 8]);
            let expected = (1.0 - time) + 3.0 * time + 0.1 * length;
            assert!(state.iter().all(|s| (s - expected).abs() < 1e-6));
        }
    }

    #[test]
    fn late_times_weigh_three_times_as_much_as_early_ones() {
        assert_eq!((weight(0.0), weight(0.5), weight(1.0)), (1.0, 1.5, 3.0));
    }
}
