//! 1DCR: a curve whose residual correlates with the low-fidelity curve; all moments are known.

use rand::RngExt;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

use super::{ExactMoments, Problem, Resolution, expect_room, expect_shape, scalars, to_table};
use crate::random::{Family, KarhunenLoeve, Kernel, Stream};
use crate::{Axis, Error, Field, Grid, Quantities, Result};

const NAME: &str = "1dcr";

/// Constants of G = (1 + alpha) G_l + beta cos(2a) + gamma eps, G_l = sin(a) + x - a/4, a = kx - 4.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Residual1dConfig {
    /// Number of points.
    pub resolution: Resolution,
    /// Smallest slope k of the input.
    pub slope_min: f64,
    /// Largest slope k of the input.
    pub slope_max: f64,
    /// Share of the low-fidelity solution that the residual repeats.
    pub alpha: f64,
    /// Magnitude of the other deterministic part of the residual.
    pub beta: f64,
    /// Magnitude of the random part of the residual.
    pub gamma: f64,
    /// Length scale of the squared-exponential kernel of the random part.
    pub length: f64,
    /// Standard deviation of the random part before it is scaled by gamma.
    pub amplitude: f64,
    /// Number of Karhunen-Loeve modes of the random part.
    pub modes: usize,
}

impl Default for Residual1dConfig {
    fn default() -> Self {
        Self {
            resolution: Resolution::Uniform(128),
            slope_min: 10.0,
            slope_max: 14.0,
            alpha: 0.1,
            beta: 0.2,
            gamma: 0.3,
            length: 0.2,
            amplitude: 0.25,
            modes: 10,
        }
    }
}

/// The problem with checked constants.
pub struct Residual1d {
    config: Residual1dConfig,
    grid: Grid,
    latent: Arc<KarhunenLoeve>,
}

impl Residual1d {
    /// Checks the constants and expands the latent field.
    pub fn new(config: Residual1dConfig) -> Result<Self> {
        let [points] = config.resolution.axes(NAME, 2)?;
        let refuse = |reason| Err(Error::unsolvable(NAME, reason));
        let Residual1dConfig {
            slope_min,
            slope_max,
            alpha,
            beta,
            gamma,
            ..
        } = config;
        if [slope_min, slope_max, alpha, beta, gamma]
            .iter()
            .any(|c| !c.is_finite())
        {
            return refuse("every constant must be a finite number".into());
        }
        if slope_min > slope_max {
            return refuse(format!(
                "slope_min = {slope_min} exceeds slope_max = {slope_max}"
            ));
        }
        let grid = Grid::new(vec![Axis::closed("x", points)]);
        let kernel = Kernel::new(Family::Rbf, config.length, config.amplitude)?;
        let latent = KarhunenLoeve::cached(&kernel, &grid, config.modes)?;
        Ok(Self {
            config,
            grid,
            latent,
        })
    }

    fn low(&self, input: &Field) -> Result<Vec<f64>> {
        expect_shape(input, &self.grid)?;
        let points = input.values().iter().zip(&self.grid.axes[0].coordinates);
        Ok(points.map(|(a, x)| a.sin() + x - 0.25 * a).collect())
    }

    fn mean(&self, input: &Field) -> Result<Vec<f64>> {
        let low = self.low(input)?;
        let mean = |(low, a): (&f64, &f64)| {
            (1.0 + self.config.alpha) * low + self.config.beta * (2.0 * a).cos()
        };
        Ok(low.iter().zip(input.values()).map(mean).collect())
    }
}

impl Problem for Residual1d {
    fn name(&self) -> &'static str {
        NAME
    }

    fn grid(&self) -> &Grid {
        &self.grid
    }

    fn constants(&self) -> toml::Table {
        to_table(&self.config)
    }

    fn quantities(&self) -> Quantities {
        scalars(("a", "argument a"), ("w", "solution w"))
    }

    fn draw_input(&self, rng: &mut Stream) -> Result<Field> {
        let Residual1dConfig {
            slope_min,
            slope_max,
            ..
        } = self.config;
        let slope = slope_min + (slope_max - slope_min) * rng.random::<f64>();
        let line = self.grid.axes[0]
            .coordinates
            .iter()
            .map(|x| slope * x - 4.0);
        Ok(Field::scalar(&self.grid, line.collect()))
    }

    fn low_fidelity(&self, input: &Field) -> Result<Field> {
        Ok(Field::scalar(&self.grid, self.low(input)?))
    }

    fn high_fidelity(
        &self,
        input: &Field,
        streams: &mut [Stream],
        out: &mut [f64],
    ) -> Result<usize> {
        let mean = self.mean(input)?;
        expect_room(out, streams.len(), &self.grid)?;
        for (rng, solution) in streams.iter_mut().zip(out.chunks_exact_mut(mean.len())) {
            self.latent.sample_into(rng, solution);
            for (value, mean) in solution.iter_mut().zip(&mean) {
                *value = mean + self.config.gamma * *value;
            }
        }
        Ok(0)
    }

    /// The latent field enters linearly: its variance is that of the kept modes.
    fn exact_moments(&self, input: &Field) -> Result<Option<ExactMoments>> {
        let scale = self.config.gamma.powi(2);
        let variance = self.latent.variance().iter().map(|v| scale * v).collect();
        Ok(Some(ExactMoments {
            mean: Field::scalar(&self.grid, self.mean(input)?),
            variance: Field::scalar(&self.grid, variance),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};
    use crate::testing::assert_moments_agree;

    #[test]
    fn exact_moments_agree_with_twenty_thousand_realizations() {
        let problem = Residual1d::new(Residual1dConfig {
            resolution: Resolution::Uniform(33),
            ..Default::default()
        })
        .unwrap();
        assert_moments_agree(&problem, 20_000);
    }

    #[test]
    fn the_residual_follows_its_formula() {
        let problem = Residual1d::new(Residual1dConfig {
            gamma: 0.0,
            ..Default::default()
        })
        .unwrap();
        let input = problem
            .draw_input(&mut stream(0, Purpose::Input, 0, 0))
            .unwrap();
        let low = problem.low_fidelity(&input).unwrap();
        let mut high = vec![0.0; 128];
        let mut streams = [stream(0, Purpose::Realization, 0, 0)];
        problem
            .high_fidelity(&input, &mut streams, &mut high)
            .unwrap();
        for ((high, low), a) in high.iter().zip(low.values()).zip(input.values()) {
            assert!((high - low - 0.1 * low - 0.2 * (2.0 * a).cos()).abs() < 1e-14);
        }
    }

    #[test]
    fn reversed_slopes_are_refused() {
        let refused = Residual1d::new(Residual1dConfig {
            slope_min: 15.0,
            ..Default::default()
        });
        assert!(refused.err().unwrap().to_string().contains("slope_min"));
    }
}
