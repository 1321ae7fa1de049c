//! Plume: material released by sources and carried by wind in one of two directions. Its
//! distribution has two modes and is log-normal around each.
//!
//! The input is the strength s(y, x) of the sources. The material drifts with the wind for a unit
//! of time and spreads on its way. With D the drift at the angle theta, the concentration is c =
//! exp(sigma N - sigma^2 / 2) * integral of s * Gaussian(t D, width^2 + t spread^2) over t in \[0,
//! 1\], by the midpoint rule with `puffs` points. theta is the first of `directions` with
//! probability `weight`, otherwise the second, plus normal noise. The low-fidelity solver uses only
//! the mean direction, `low_puffs` points and another spread. `drift.rs` computes the plume at one
//! angle.

mod config;
mod drift;

pub use config::PlumeConfig;

use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

use super::{ExactMoments, Problem, expect_room, expect_shape, scalars, to_table};
use crate::grid::Domain;
use crate::random::Stream;
use crate::{Axis, Error, Field, Grid, Quantities, Result};

const NAME: &str = "plume";
/// Length of the domain along x; its height is 1.
const LENGTH: f64 = 1.6;
/// Width (standard deviation) of a single source.
const SOURCE_WIDTH: f64 = 0.06;

/// The problem with checked constants.
pub struct Plume {
    config: PlumeConfig,
    grid: Grid,
}

impl Plume {
    /// Checks the constants.
    pub fn new(config: PlumeConfig) -> Result<Self> {
        let [height, length] = config.resolution.axes(NAME, 4)?;
        config.check()?;
        let grid = Grid::new(vec![
            Axis::closed("y", height),
            Axis::over(Domain::closed(0.0, LENGTH), "x", length),
        ]);
        Ok(Self { config, grid })
    }

    /// The strength of the sources of an input; refuses negative values.
    fn strength<'a>(&self, input: &'a Field) -> Result<&'a [f64]> {
        expect_shape(input, &self.grid)?;
        let is_strength = |s: &&f64| s.is_finite() && **s >= 0.0;
        match input.values().iter().find(|s| !is_strength(s)) {
            None => Ok(input.values()),
            Some(s) => Err(Error::numerical(
                format!("a source of strength {s}"),
                "strengths must be finite and not negative",
            )),
        }
    }

    /// Both directions with their probabilities.
    fn modes(&self) -> [(f64, f64); 2] {
        let PlumeConfig {
            weight, directions, ..
        } = self.config;
        [(directions[0], weight), (directions[1], 1.0 - weight)]
    }

    /// Puffs and spread of the high-fidelity solver.
    fn truth(&self) -> (usize, f64) {
        (self.config.puffs, self.config.spread)
    }

    /// The quadrature step, in standard deviations of the angle, at which the trapezoid rule is
    /// exact up to rounding.
    ///
    /// As a function of the angle, the square of a concentration is like a Gaussian that is
    /// narrower than the density of the angle by at most a factor r = sqrt(2) reach noise / width.
    /// Their product then has the standard deviation 1 / sqrt(1 + r^2), and the error of the rule
    /// is exp(-2 pi^2 (deviation / step)^2).
    fn angle_step(&self) -> f64 {
        let noise = self.config.noise.to_radians();
        let narrower = 2f64.sqrt() * self.config.reach * noise / self.config.width;
        0.5 / narrower.hypot(1.0)
    }

    /// Mean and variance by quadrature over the angle; at any angle the strength factor has mean 1
    /// and mean square exp(sigma^2).
    fn moments(&self, strength: &[f64], step: f64) -> [Vec<f64>; 2] {
        let nodes = (9.0 / step).ceil() as i32;
        let density = |i: i32| (-0.5 * (f64::from(i) * step).powi(2)).exp();
        let all: f64 = (-nodes..=nodes).map(density).sum();
        let [mut mean, mut square] = [(); 2].map(|()| vec![0.0; strength.len()]);
        let modes = self.modes().into_iter();
        for (direction, probability) in modes.filter(|(_, share)| *share > 0.0) {
            for i in -nodes..=nodes {
                let share = probability * density(i) / all;
                let angle = direction + self.config.noise * f64::from(i) * step;
                let plume = self.drifted(strength, angle, self.truth());
                for ((mean, square), c) in mean.iter_mut().zip(&mut square).zip(plume) {
                    *mean += share * c;
                    *square += share * c * c;
                }
            }
        }
        let scale = self.config.sigma.powi(2).exp();
        let variance = square.iter().zip(&mean);
        let variance = variance.map(|(square, mean)| (scale * square - mean * mean).max(0.0));
        let variance = variance.collect();
        [mean, variance]
    }
}

impl Problem for Plume {
    fn name(&self) -> &'static str {
        NAME
    }

    fn grid(&self) -> &Grid {
        &self.grid
    }

    fn constants(&self) -> toml::Table {
        to_table(&self.config)
    }

    fn symmetries(&self) -> &'static [&'static str] {
        &["scale:1"]
    }

    fn quantities(&self) -> Quantities {
        scalars(
            ("strength", "source strength a"),
            ("concentration", "concentration c"),
        )
    }

    /// Sources of random strength at random positions upwind.
    fn draw_input(&self, rng: &mut Stream) -> Result<Field> {
        let mut strength = vec![0.0; self.grid.len()];
        for _ in 0..self.config.sources {
            let mut between = |low: f64, high: f64| low + (high - low) * rng.random::<f64>();
            let (y, x, peak) = (between(0.35, 0.65), between(0.1, 0.4), between(0.5, 1.5));
            for (i, s) in strength.iter_mut().enumerate() {
                let at = self.grid.point(i);
                let far = ((at[0] - y).powi(2) + (at[1] - x).powi(2)) / SOURCE_WIDTH.powi(2);
                *s += peak * (-0.5 * far).exp();
            }
        }
        Ok(Field::scalar(&self.grid, strength))
    }

    fn low_fidelity(&self, input: &Field) -> Result<Field> {
        let strength = self.strength(input)?;
        let angle = self
            .modes()
            .iter()
            .map(|(angle, weight)| angle * weight)
            .sum();
        let PlumeConfig {
            low_puffs,
            low_spread,
            ..
        } = self.config;
        let plume = self.drifted(strength, angle, (low_puffs, low_spread));
        Ok(Field::scalar(&self.grid, plume))
    }

    fn high_fidelity(
        &self,
        input: &Field,
        streams: &mut [Stream],
        out: &mut [f64],
    ) -> Result<usize> {
        let strength = self.strength(input)?;
        expect_room(out, streams.len(), &self.grid)?;
        let PlumeConfig {
            weight,
            directions: [first, second],
            noise,
            sigma,
            ..
        } = self.config;
        for (rng, plume) in streams.iter_mut().zip(out.chunks_exact_mut(strength.len())) {
            let turns = rng.random::<f64>() < weight;
            let [angle, strong]: [f64; 2] = [(); 2].map(|()| StandardNormal.sample(rng));
            let angle = if turns { first } else { second } + noise * angle;
            let factor = (sigma * strong - 0.5 * sigma * sigma).exp();
            let drifted = self.drifted(strength, angle, self.truth());
            plume
                .iter_mut()
                .zip(drifted)
                .for_each(|(c, d)| *c = factor * d);
        }
        Ok(0)
    }

    fn exact_moments(&self, input: &Field) -> Result<Option<ExactMoments>> {
        let moments = self.moments(self.strength(input)?, self.angle_step());
        let [mean, variance] = moments.map(|values| Field::scalar(&self.grid, values));
        Ok(Some(ExactMoments { mean, variance }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};
    use crate::testing::{realizations, relative_error};

    fn plume(text: &str) -> Plume {
        Plume::new(toml::from_str(text).unwrap()).unwrap()
    }

    fn input(problem: &Plume) -> Field {
        let mut rng = stream(2, Purpose::Input, 0, 0);
        problem.draw_input(&mut rng).unwrap()
    }

    #[test]
    fn exact_moments_are_those_of_twenty_thousand_realizations() {
        for text in ["resolution = [12, 20]", "resolution = [12, 20]\nweight = 1"] {
            let problem = plume(text);
            let input = input(&problem);
            let exact = problem.exact_moments(&input).unwrap().unwrap();
            let draws = 20_000;
            let sampled = realizations(&problem, &input, draws, 3);
            let mut moments = [vec![0.0; 240], vec![0.0; 240]];
            for plume in sampled.chunks_exact(240) {
                for (i, c) in plume.iter().enumerate() {
                    moments[0][i] += c / draws as f64;
                    moments[1][i] += (c - exact.mean.values()[i]).powi(2) / draws as f64;
                }
            }
            // Inside the plume, a draw deviates by about its mean and its square by three times as
            // much: 0.7 % and 2 % over this number of draws.
            assert!(relative_error(&moments[0], exact.mean.values()) < 0.03);
            assert!(relative_error(&moments[1], exact.variance.values()) < 0.08);
        }
    }

    #[test]
    fn the_quadrature_over_the_angle_is_exact_to_rounding() {
        for text in ["", "noise = 20"] {
            let problem = plume(text);
            let (input, step) = (input(&problem), problem.angle_step());
            let [coarse, fine] =
                [step, step / 2.0].map(|step| problem.moments(input.values(), step));
            for (coarse, fine) in coarse.iter().zip(&fine) {
                assert!(relative_error(coarse, fine) < 1e-13);
            }
        }
    }

    #[test]
    fn concentrations_are_positive_and_turn_as_often_as_the_weight_says() {
        let problem = plume("resolution = [12, 20]");
        let input = input(&problem);
        let centre = |field: &[f64]| {
            let moment: f64 = field
                .iter()
                .enumerate()
                .map(|(i, c)| (i / 20) as f64 * c)
                .sum();
            moment / field.iter().sum::<f64>()
        };
        let draws = 4000;
        let sampled = realizations(&problem, &input, draws, 5);
        assert!(sampled.iter().all(|c| *c >= 0.0));
        let upwards = sampled.chunks_exact(240);
        let upwards = upwards
            .filter(|c| centre(c) > centre(input.values()))
            .count();
        let share = upwards as f64 / draws as f64;
        assert!(
            (share - 0.65).abs() < 5.0 * (0.65f64 * 0.35 / draws as f64).sqrt(),
            "{share}"
        );
    }

    /// Without noise and with a single direction, the logarithm is normal at every point.
    #[test]
    fn one_direction_leaves_a_log_normal_law() {
        let problem = plume("resolution = [12, 20]\nweight = 1\nnoise = 0");
        let input = input(&problem);
        let moments = problem.exact_moments(&input).unwrap().unwrap();
        let sampled = realizations(&problem, &input, 3, 1);
        let mean = moments.mean.values();
        for plume in sampled.chunks_exact(240) {
            let factor = plume[0] / mean[0];
            assert!(
                plume
                    .iter()
                    .zip(mean)
                    .all(|(c, m)| (c - factor * m).abs() <= 1e-12 * c)
            );
        }
        let expected = (0.4f64.powi(2)).exp() - 1.0;
        for (variance, mean) in moments.variance.values().iter().zip(mean) {
            assert!((variance - expected * mean * mean).abs() <= 1e-12 * mean * mean);
        }
    }

    #[test]
    fn what_cannot_be_is_refused_with_the_reason() {
        let refusal = |text: &str| {
            let refused = Plume::new(toml::from_str(text).unwrap());
            refused.err().unwrap().to_string()
        };
        assert!(refusal("weight = 1.5").contains("weight from 0 to 1"));
        assert!(refusal("noise = nan").contains("within 180 degrees"));
        for wrong in [
            "puffs = 0",
            "puffs = 1152921504606846976",
            "sources = 10001",
        ] {
            assert!(refusal(wrong).contains("at least one"));
        }
        assert!(refusal("spread = 0").contains("spread is 0"));
        assert!(refusal("width = 1e-5").contains("a hundred widths"));
        let problem = plume("resolution = 8");
        let negative = Field::scalar(problem.grid(), vec![-1.0; 64]);
        let error = problem.low_fidelity(&negative).unwrap_err().to_string();
        assert!(error.contains("strength -1"), "{error}");
    }
}
