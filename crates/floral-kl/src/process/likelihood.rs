//! The kernel of a Gaussian process by its marginal likelihood.
//!
//! With G the inner products of the targets over their number, and the process' variance in closed
//! form, the likelihood of a target value is, but for constants,
//!
//!   L = 1/2 log det C + n/2 log tr(C^-1 G),
//!
//! with the gradient 1/2 tr(W dC), W = C^-1 - n / tr(C^-1 G) C^-1 G C^-1. Steps are those of
//! resilient propagation (Riedmiller & Braun, 1993), which needs signs of slopes alone.

use floral_linalg::{Mat, solve_positive};
use serde::{Deserialize, Serialize};

/// Steps from every start.
const STEPS: usize = 60;

/// Lengths, in deviations of a coordinate, at which searches start.
const STARTS: [f64; 2] = [1.0, 4.0];

/// Logarithms of lengths are taken for normal with this mean and deviation before data are seen.
const PRIOR: [f64; 2] = [1.0, 2.0];

/// Smallest and largest share of noise.
const NOISE: [f64; 2] = [1e-8, 1.0];

/// Variance of a constant added to every target, beside that of the process.
const CONSTANT: f64 = 10.0;

/// c(z, z') = (1 + sum_d s_d z_d z'_d) exp(-1/2 sum_d ((z_d - z'_d) / l_d)^2), and a constant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ArdKernel {
    /// Logarithms of the lengths l.
    pub lengths: Vec<f64>,
    /// Logarithm of the share of noise on the diagonal.
    pub noise: f64,
    /// Logarithms of the slopes s; empty for none.
    pub slopes: Vec<f64>,
}

impl ArdKernel {
    fn start(coordinates: usize, length: f64, has_slopes: bool) -> Self {
        Self {
            lengths: vec![length.ln(); coordinates],
            noise: 1e-3_f64.ln(),
            slopes: vec![0.0; if has_slopes { coordinates } else { 0 }],
        }
    }

    /// The kernel of greatest likelihood. z: [input][coordinate]; gram: inner products of centred
    /// targets.
    pub(super) fn fitted(z: &[Vec<f64>], gram: &Mat<f64>, has_slopes: bool) -> Option<Self> {
        let found = STARTS.iter().filter_map(|length| {
            let start = Self::start(z[0].len(), *length, has_slopes);
            start.improved(z, gram, STEPS)
        });
        found
            .min_by(|a, b| a.0.total_cmp(&b.0))
            .map(|(_, kernel)| kernel)
    }

    /// The best of some steps from here, with its loss.
    pub(super) fn improved(
        self,
        z: &[Vec<f64>],
        gram: &Mat<f64>,
        steps: usize,
    ) -> Option<(f64, Self)> {
        let mut here = self.numbers();
        let count = z[0].len();
        let mut sizes = vec![0.2_f64; here.len()];
        let mut before = vec![0.0; here.len()];
        let mut best: Option<(f64, Self)> = None;
        for _ in 0..steps {
            let kernel = Self::of(&here, count);
            let Some((loss, slope)) = kernel.loss(z, gram) else {
                break;
            };
            if best.as_ref().is_none_or(|(least, _)| loss < *least) {
                best = Some((loss, kernel));
            }
            for k in 0..here.len() {
                let agrees = slope[k] * before[k];
                sizes[k] *= if agrees < 0.0 { 0.5 } else { 1.2 };
                sizes[k] = sizes[k].clamp(1e-3, 1.0);
                before[k] = if agrees < 0.0 { 0.0 } else { slope[k] };
                if before[k] != 0.0 {
                    here[k] -= sizes[k] * before[k].signum();
                }
            }
            here[count] = here[count].clamp(NOISE[0].ln(), NOISE[1].ln());
            here.iter_mut().for_each(|v| *v = v.clamp(-20.0, 20.0));
        }
        best
    }

    /// Lengths, noise, slopes.
    fn numbers(&self) -> Vec<f64> {
        [&self.lengths[..], &[self.noise], &self.slopes].concat()
    }

    fn of(numbers: &[f64], coordinates: usize) -> Self {
        Self {
            lengths: numbers[..coordinates].to_vec(),
            noise: numbers[coordinates],
            slopes: numbers[coordinates + 1..].to_vec(),
        }
    }

    /// Whether it is one of so many coordinates.
    pub(crate) fn fits(&self, coordinates: usize) -> bool {
        let sizes = [0, coordinates].contains(&self.slopes.len());
        let finite = self.numbers().iter().all(|v| v.abs() <= 50.0);
        self.lengths.len() == coordinates && sizes && finite
    }

    /// The linear and the exponential factor.
    fn factors(&self, a: &[f64], b: &[f64]) -> (f64, f64) {
        let pairs = || a.iter().zip(b);
        let parts = pairs().zip(&self.lengths);
        let square: f64 = parts.map(|((a, b), l)| ((a - b) / l.exp()).powi(2)).sum();
        let slopes = pairs().zip(&self.slopes);
        let linear = 1.0 + slopes.map(|((a, b), s)| s.exp() * a * b).sum::<f64>();
        (linear, (-0.5 * square).exp())
    }

    /// The covariance of two inputs by their coordinates, without noise.
    pub(super) fn between(&self, a: &[f64], b: &[f64]) -> f64 {
        let (linear, exponential) = self.factors(a, b);
        linear * exponential + CONSTANT
    }

    /// Covariances of the training inputs, with noise.
    pub(super) fn matrix(&self, z: &[Vec<f64>]) -> Mat<f64> {
        Mat::from_fn(z.len(), z.len(), |i, j| {
            let noise = if i == j { self.noise.exp() } else { 0.0 };
            self.between(&z[i], &z[j]) + noise
        })
    }

    /// Negative logarithm of likelihood times prior, and its slope.
    fn loss(&self, z: &[Vec<f64>], gram: &Mat<f64>) -> Option<(f64, Vec<f64>)> {
        let n = z.len();
        let mut factor = self.matrix(z);
        let inverse = solve_positive(&factor, &Mat::identity(n, n))?;
        if !floral_linalg::cholesky(&mut factor) {
            return None;
        }
        let half: f64 = (0..n).map(|i| factor[(i, i)].ln()).sum();
        let explained = &inverse * gram;
        let trace: f64 = (0..n).map(|i| explained[(i, i)]).sum();
        let both = &explained * &inverse;
        let weight = |i: usize, j: usize| inverse[(i, j)] - n as f64 / trace * both[(i, j)];
        let mut slope = vec![0.0; self.numbers().len()];
        let d = self.lengths.len();
        for i in 0..n {
            slope[d] += 0.5 * weight(i, i) * self.noise.exp();
            for j in 0..=i {
                let (linear, exponential) = self.factors(&z[i], &z[j]);
                let twice = if i == j { 0.5 } else { 1.0 } * weight(i, j);
                for k in 0..d {
                    let apart = (z[i][k] - z[j][k]) / self.lengths[k].exp();
                    slope[k] += twice * linear * exponential * apart * apart;
                }
                for (k, s) in self.slopes.iter().enumerate() {
                    slope[d + 1 + k] += twice * exponential * s.exp() * z[i][k] * z[j][k];
                }
            }
        }
        let [mean, deviation] = PRIOR;
        let prior = |v: f64| (v - mean) / (deviation * deviation);
        let mut loss = half + 0.5 * n as f64 * trace.ln();
        for (k, length) in self.lengths.iter().enumerate() {
            loss += 0.5 * (length - mean) * prior(*length);
            slope[k] += prior(*length);
        }
        for (k, s) in self.slopes.iter().enumerate() {
            loss += 0.5 * s * s / 16.0;
            slope[d + 1 + k] += s / 16.0;
        }
        (loss.is_finite() && slope.iter().all(|v| v.is_finite())).then_some((loss, slope))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs() -> Vec<Vec<f64>> {
        let at = |i: usize, k: usize| ((7 * i + 3 * k * i + 5 * k) as f64).sin();
        (0..14)
            .map(|i| (0..3).map(|k| at(i, k)).collect())
            .collect()
    }

    fn gram(z: &[Vec<f64>]) -> Mat<f64> {
        let y = |i: usize, p: usize| ((1.0 + p as f64) * z[i][1]).sin();
        Mat::from_fn(z.len(), z.len(), |i, j| {
            (0..4).map(|p| y(i, p) * y(j, p)).sum()
        })
    }

    #[test]
    fn the_slope_is_that_of_finite_differences() {
        let (z, step) = (inputs(), 1e-6);
        let kernel = ArdKernel {
            lengths: vec![0.3, -0.2, 1.0],
            noise: -3.0,
            slopes: vec![0.4, -1.0, 0.2],
        };
        let (_, slope) = kernel.loss(&z, &gram(&z)).unwrap();
        for k in 0..slope.len() {
            let at = |h: f64| {
                let mut numbers = kernel.numbers();
                numbers[k] += h;
                ArdKernel::of(&numbers, 3).loss(&z, &gram(&z)).unwrap().0
            };
            let expected = (at(step) - at(-step)) / (2.0 * step);
            assert!(
                (slope[k] - expected).abs() < 1e-5 * expected.abs().max(1.0),
                "{k}"
            );
        }
    }

    #[test]
    fn coordinates_that_do_not_act_get_long_lengths() {
        let z = inputs();
        let found = ArdKernel::fitted(&z, &gram(&z), false).unwrap();
        let l = &found.lengths;
        assert!(l[1] < l[0] - 1.0 && l[1] < l[2] - 1.0, "{l:?}");
    }
}
