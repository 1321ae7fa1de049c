//! Priors: random fields drawn from a stream, as a Gaussian process or as white noise.

use rand_distr::{Distribution, StandardNormal};

use crate::random::{GaussianProcess, Stream};

/// A distribution of fields on a grid.
pub trait Prior: Send + Sync {
    /// Draws one channel.
    fn draw(&self, rng: &mut Stream, channel: &mut [f32]);
}

/// A stationary Gaussian process, drawn exactly.
pub struct GaussianPrior {
    pub(super) process: GaussianProcess,
}

impl Prior for GaussianPrior {
    fn draw(&self, rng: &mut Stream, channel: &mut [f32]) {
        self.process.sample_into(rng, channel);
    }
}

/// Independent normal values at every point.
pub struct WhiteNoise {
    pub(super) deviation: f32,
}

impl Prior for WhiteNoise {
    fn draw(&self, rng: &mut Stream, channel: &mut [f32]) {
        for value in channel {
            let normal: f32 = StandardNormal.sample(rng);
            *value = self.deviation * normal;
        }
    }
}
