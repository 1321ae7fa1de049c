//! The prior: the random field from which the flow starts.

use rand_distr::{Distribution, StandardNormal};
use serde::{Deserialize, Serialize};

use crate::random::{Family, GaussianProcess, Kernel, Stream};
use crate::{Error, Grid, Result};

/// A distribution of fields on a grid.
pub trait Prior: Send + Sync {
    /// Draws one channel.
    fn draw(&self, rng: &mut Stream, channel: &mut [f32]);
}

/// The prior's constants; the defaults are the paper's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PriorConfig {
    /// Family of the covariance: rbf, matern12, matern32, matern52; `white` for independent points.
    pub kernel: String,
    /// Correlation length.
    pub length: f64,
    /// Variance at every point.
    pub variance: f64,
    /// Variance of white noise added to it.
    pub noise: f64,
}

impl Default for PriorConfig {
    fn default() -> Self {
        Self {
            kernel: "matern12".into(),
            length: 1e-3,
            variance: 1.0,
            noise: 0.0,
        }
    }
}

impl PriorConfig {
    /// The prior on a grid.
    pub fn on(&self, grid: &Grid) -> Result<Box<dyn Prior>> {
        if !(self.variance > 0.0 && self.variance.is_finite() && self.noise >= 0.0) {
            return Err(Error::Config {
                context: "prior".into(),
                reason: format!(
                    "variance = {} must be positive and noise = {} not negative",
                    self.variance, self.noise
                ),
            });
        }
        if self.kernel == "white" {
            return Ok(Box::new(WhiteNoise {
                deviation: (self.variance + self.noise).sqrt() as f32,
            }));
        }
        let family: Family = self.kernel.parse()?;
        let kernel = Kernel::new(family, self.length, self.variance.sqrt())?;
        let process = GaussianProcess::on_grid(&kernel, grid)?.with_nugget(self.noise)?;
        Ok(Box::new(GaussianPrior { process }))
    }
}

/// A stationary Gaussian process, drawn exactly.
pub struct GaussianPrior {
    process: GaussianProcess,
}

impl Prior for GaussianPrior {
    fn draw(&self, rng: &mut Stream, channel: &mut [f32]) {
        self.process.sample_into(rng, channel);
    }
}

/// Independent normal values at every point.
pub struct WhiteNoise {
    deviation: f32,
}

impl Prior for WhiteNoise {
    fn draw(&self, rng: &mut Stream, channel: &mut [f32]) {
        for value in channel {
            let normal: f32 = StandardNormal.sample(rng);
            *value = self.deviation * normal;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Axis;
    use crate::random::{Purpose, stream};

    fn variance_of(config: &PriorConfig, points: usize) -> f64 {
        let grid = Grid::new(vec![Axis::closed("x", points), Axis::closed("y", points)]);
        let prior = config.on(&grid).unwrap();
        let mut field = vec![0.0; grid.len()];
        let mut square = 0.0;
        for i in 0..64 {
            prior.draw(&mut stream(1, Purpose::Prior, 0, i), &mut field);
            square += field.iter().map(|&v| f64::from(v).powi(2)).sum::<f64>();
        }
        square / (64 * grid.len()) as f64
    }

    #[test]
    fn the_default_prior_has_variance_one_at_any_resolution() {
        for points in [16, 64, 81] {
            let variance = variance_of(&PriorConfig::default(), points);
            let sampling_error = (2.0 / (64.0 * (points * points) as f64)).sqrt();
            assert!(
                (variance - 1.0).abs() < 5.0 * sampling_error,
                "{points}: {variance}"
            );
        }
    }

    #[test]
    fn noise_adds_to_the_variance() {
        for kernel in ["matern12", "white"] {
            let config = PriorConfig {
                kernel: kernel.into(),
                noise: 0.5,
                ..Default::default()
            };
            assert!((variance_of(&config, 32) - 1.5).abs() < 0.05);
        }
    }

    #[test]
    fn a_prior_without_variance_is_refused() {
        let config = PriorConfig {
            variance: 0.0,
            ..Default::default()
        };
        let grid = Grid::new(vec![Axis::closed("x", 8)]);
        assert!(config.on(&grid).is_err());
    }
}
