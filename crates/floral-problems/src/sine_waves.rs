//! Random periodic initial states: sums of sines, their perturbation and their filtered copy.
//!
//! Advection and Burgers share them and differ only in the filter's constants.

use std::f64::consts::TAU;

use floral_fourier::{Complex, Precision};
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};
use serde::{Deserialize, Serialize};

use super::positive;
use crate::random::Stream;
use crate::{Error, Result};

/// Most sines in a sum: more would hardly change the field, only slow it down.
const MOST_TERMS: usize = 10_000;

/// The input a(x): a sum of sines with random wave number, amplitude in (0, 1) and phase.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SineWaves {
    /// Number of sines.
    pub terms: usize,
    /// Largest wave number; wave numbers are drawn from 1 to this.
    pub max_wave_number: u32,
}

impl Default for SineWaves {
    fn default() -> Self {
        Self {
            terms: 2,
            max_wave_number: 8,
        }
    }
}

impl SineWaves {
    /// A draw of a(x) at the points i/n.
    pub fn draw(&self, n: usize, rng: &mut Stream) -> Vec<f64> {
        let mut state = vec![0.0; n];
        for _ in 0..self.terms {
            let wave_number = f64::from(rng.random_range(1..=self.max_wave_number));
            let amplitude: f64 = rng.random();
            let phase = TAU * rng.random::<f64>();
            for (i, value) in state.iter_mut().enumerate() {
                *value += amplitude * (TAU * wave_number * i as f64 / n as f64 + phase).sin();
            }
        }
        state
    }

    /// Refuses invalid constants, and waves too short for `n` points.
    pub fn check(&self, problem: &'static str, n: usize) -> Result<()> {
        let refuse = |reason| Err(Error::unsolvable(problem, reason));
        if self.terms == 0 || self.max_wave_number == 0 {
            return refuse("waves.terms and waves.max_wave_number must be at least 1".into());
        }
        if self.terms > MOST_TERMS {
            return refuse(format!("waves.terms must be at most {MOST_TERMS}"));
        }
        if 2 * self.max_wave_number as usize > n {
            return refuse(format!(
                "{n} points cannot hold wave number {}; choose at least {} points or a smaller \
                 waves.max_wave_number",
                self.max_wave_number,
                2 * self.max_wave_number
            ));
        }
        Ok(())
    }
}

/// The latent field eps: sum over m of alpha_m cos(2 pi m x) + beta_m sin(2 pi m x), with
/// independent normal coefficients. The true initial state is a(x) (1 + eps(x)).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Perturbation {
    /// Number of wave numbers m.
    pub modes: usize,
    /// Standard deviation of every coefficient.
    pub deviation: f64,
}

impl Default for Perturbation {
    fn default() -> Self {
        Self {
            modes: 8,
            deviation: 0.05,
        }
    }
}

impl Perturbation {
    /// The 2 x modes basis functions on n points: cos(2 pi x), sin(2 pi x), cos(4 pi x), ...
    pub fn basis(&self, n: usize) -> Vec<Vec<f64>> {
        let wave = |m: usize, f: fn(f64) -> f64| -> Vec<f64> {
            (0..n)
                .map(|i| f(TAU * (m * i % n) as f64 / n as f64))
                .collect()
        };
        (1..=self.modes)
            .flat_map(|m| [wave(m, f64::cos), wave(m, f64::sin)])
            .collect()
    }

    /// A draw of a(x) (1 + eps(x)), given the functions of [`Self::basis`].
    pub fn perturb(&self, state: &[f64], basis: &[Vec<f64>], rng: &mut Stream, out: &mut [f64]) {
        out.fill(1.0);
        for function in basis {
            let normal: f64 = StandardNormal.sample(rng);
            let coefficient = self.deviation * normal;
            for (value, wave) in out.iter_mut().zip(function) {
                *value += coefficient * wave;
            }
        }
        for (value, a) in out.iter_mut().zip(state) {
            *value *= a;
        }
    }

    /// Refuses an invalid deviation, and more modes than points.
    pub fn check(&self, problem: &'static str, n: usize) -> Result<()> {
        if self.modes > n {
            return Err(Error::unsolvable(
                problem,
                format!(
                    "{n} points cannot hold uncertainty.modes = {}; choose at most {n}",
                    self.modes
                ),
            ));
        }
        if self.deviation.is_finite() && self.deviation >= 0.0 {
            return Ok(());
        }
        Err(Error::unsolvable(
            problem,
            format!(
                "uncertainty.deviation = {} must be zero or positive",
                self.deviation
            ),
        ))
    }
}

/// The low-fidelity solver's version of the initial state: damped and truncated in wave number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SpectralFilter {
    /// Wave numbers below max(2, floor(keep * reference)) are kept.
    pub keep: f64,
    /// Exponent of the damping exp(-damping k / reference).
    pub damping: f64,
    /// Factor of every amplitude.
    pub scale: f64,
    /// The wave number K relative to which the others are measured. It is a constant, not half the
    /// number of points, so that the low-fidelity solution is the same function at every
    /// resolution.
    pub reference: f64,
}

impl Default for SpectralFilter {
    fn default() -> Self {
        Self {
            keep: 0.4,
            damping: 4.0,
            scale: 0.8,
            reference: 64.0,
        }
    }
}

impl SpectralFilter {
    /// The factor by which the amplitude of wave number `k` is multiplied.
    pub fn gain(&self, k: usize) -> f64 {
        let kept = (self.keep * self.reference).floor().max(2.0);
        if (k as f64) < kept {
            self.scale * (-self.damping * k as f64 / self.reference).exp()
        } else {
            0.0
        }
    }

    /// The filtered state.
    pub fn apply(&self, state: &[f64]) -> Vec<f64> {
        let n = state.len();
        let mut spectrum: Vec<Complex<f64>> = state.iter().map(|&v| v.into()).collect();
        f64::forward(n).process(&mut spectrum);
        for (k, amplitude) in spectrum.iter_mut().enumerate() {
            *amplitude *= self.gain(k.min(n - k)) / n as f64;
        }
        f64::inverse(n).process(&mut spectrum);
        spectrum.iter().map(|value| value.re).collect()
    }

    /// Refuses invalid constants.
    pub fn check(&self, problem: &'static str) -> Result<()> {
        positive(problem, "filter.reference", self.reference)?;
        if [self.keep, self.damping, self.scale]
            .iter()
            .all(|c| c.is_finite())
        {
            return Ok(());
        }
        Err(Error::unsolvable(
            problem,
            "filter.keep, filter.damping and filter.scale must be finite",
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};

    #[test]
    fn the_filter_multiplies_each_wave_by_its_gain() {
        let filter = SpectralFilter::default();
        for (n, k) in [(128, 3), (81, 7), (128, 40)] {
            let wave: Vec<f64> = (0..n)
                .map(|i| (TAU * (k * i) as f64 / n as f64 + 0.3).sin())
                .collect();
            for (filtered, value) in filter.apply(&wave).iter().zip(&wave) {
                assert!((filtered - filter.gain(k) * value).abs() < 1e-13);
            }
        }
        assert_eq!(filter.gain(24), 0.8 * (-1.5f64).exp());
        assert_eq!(filter.gain(25), 0.0);
    }

    #[test]
    fn the_perturbation_has_its_stated_variance() {
        let perturbation = Perturbation::default();
        let basis = perturbation.basis(16);
        let (state, mut out) = (vec![1.0; 16], vec![0.0; 16]);
        let draws = 20_000;
        let mut square = 0.0;
        for i in 0..draws {
            let mut rng = stream(5, Purpose::Realization, 0, i);
            perturbation.perturb(&state, &basis, &mut rng, &mut out);
            square += (out[3] - 1.0).powi(2);
        }
        // cos^2 + sin^2 = 1 for each of the 8 modes, so the variance of eps is the same everywhere.
        let variance = 8.0 * 0.05 * 0.05;
        let sampling_error = variance * (2.0 / draws as f64).sqrt();
        assert!((square / draws as f64 - variance).abs() < 4.0 * sampling_error);
    }

    #[test]
    fn a_wave_too_short_for_the_grid_is_refused() {
        let waves = SineWaves::default();
        assert!(waves.check("advection", 16).is_ok());
        assert!(waves.check("advection", 15).is_err());
    }
}
