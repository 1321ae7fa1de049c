//! Kernels of a process, drawn from their posterior by elliptical slice sampling.
//!
//! From the current point t, of standard normal prior, a step draws another point s from the prior
//! and moves to t cos a + s sin a. The angle a is drawn from a bracket that shrinks towards zero
//! until the likelihood exceeds a random share of the likelihood of t (Murray, Adams & MacKay,
//! AISTATS 2010). The step leaves the posterior invariant and has nothing to tune.

use floral_linalg::{Mat, cholesky, solve_positive};
use rand::{Rng, RngExt};
use rand_distr::{Distribution, StandardNormal};

/// Variance of the constant, in units of the variance of the runs.
const CONSTANT: f64 = 10.0;

/// Prior means and standard deviations of the logarithms of lengths (to which half the logarithm of
/// the number of coordinates is added), of the variance of g, of the unknown variance of runs, and
/// of the variance of slopes.
const LENGTH: [f64; 2] = [0.7, 1.2];
const VARIANCE: [f64; 2] = [0.0, 1.0];
const UNKNOWN: [f64; 2] = [-7.0, 2.0];
const SLOPE: [f64; 2] = [0.0, 1.5];

/// Burn-in steps of the sampler, steps between kernels, and number of kernels.
const BEFORE: usize = 60;
const BETWEEN: usize = 6;
pub(crate) const KERNELS: usize = 12;

/// Largest number of tries in a step; the bracket shrinks to the current point much earlier.
const TRIES: usize = 60;

/// The parameters of a kernel.
#[derive(Debug, Clone)]
pub(crate) struct Kernel {
    /// 1 / l^2.
    pub inverse_squares: Vec<f64>,
    /// Variances of g, of the unknown part of a run's error, and of slopes.
    pub variance: f64,
    pub unknown: f64,
    pub slope: f64,
}

impl Kernel {
    /// The kernel of these numbers, which are standard normal under the prior.
    fn new(numbers: &[f64], coordinates: usize) -> Self {
        let lengths = LENGTH[0] + 0.5 * (coordinates.max(1) as f64).ln();
        let log = |[mean, deviation]: [f64; 2], k: usize| mean + deviation * numbers[k];
        let inverse_square = |d: usize| (-2.0 * log([lengths, LENGTH[1]], d)).exp();
        Self {
            inverse_squares: (0..coordinates).map(inverse_square).collect(),
            variance: log(VARIANCE, coordinates).exp(),
            unknown: log(UNKNOWN, coordinates + 1).exp(),
            slope: log(SLOPE, coordinates + 2).exp(),
        }
    }

    /// The covariance of the quantity at two points.
    pub fn covariance(&self, a: &[f64], b: &[f64], slopes: usize) -> f64 {
        let pairs = || a.iter().zip(b);
        let parts = pairs().zip(&self.inverse_squares);
        let square: f64 = parts.map(|((a, b), w)| w * (a - b) * (a - b)).sum();
        let linear: f64 = pairs().rev().take(slopes).map(|(a, b)| a * b).sum();
        self.variance * (-0.5 * square).exp() + self.slope * linear + CONSTANT
    }
}

/// The data on which kernels are conditioned: runs of mean zero and variance one.
pub(crate) struct Evidence<'a> {
    pub coordinates: &'a [Vec<f64>],
    pub slopes: usize,
    pub values: Mat<f64>,
    pub noise: Vec<f64>,
}

impl Evidence<'_> {
    /// Kernels drawn from their posterior.
    pub fn kernels(&self, rng: &mut impl Rng) -> Vec<Kernel> {
        let size = self.coordinates[0].len();
        let mut at = vec![0.0; size + 3];
        let mut level = self.log_likelihood(&at);
        let mut kernels = Vec::new();
        for step in 0..BEFORE + KERNELS * BETWEEN {
            (at, level) = self.step(at, level, rng);
            if step >= BEFORE && (step - BEFORE) % BETWEEN == BETWEEN - 1 {
                kernels.push(Kernel::new(&at, size));
            }
        }
        kernels
    }

    /// A point on the ellipse through the current point and a draw of the prior, whose likelihood
    /// exceeds a random share of the current one; the bracket of angles shrinks towards the current
    /// point, at angle zero.
    fn step(&self, at: Vec<f64>, level: f64, rng: &mut impl Rng) -> (Vec<f64>, f64) {
        let other: Vec<f64> = at.iter().map(|_| StandardNormal.sample(rng)).collect();
        let limit = level + rng.random::<f64>().ln();
        let turn = std::f64::consts::TAU;
        let mut angle = turn * rng.random::<f64>();
        let mut bracket = [angle - turn, angle];
        for _ in 0..TRIES {
            let (sin, cos) = angle.sin_cos();
            let pairs = at.iter().zip(&other);
            let next: Vec<f64> = pairs.map(|(a, b)| a * cos + b * sin).collect();
            let found = self.log_likelihood(&next);
            if found > limit {
                return (next, found);
            }
            bracket[usize::from(angle >= 0.0)] = angle;
            angle = bracket[0] + (bracket[1] - bracket[0]) * rng.random::<f64>();
        }
        (at, level)
    }

    /// log p(y | kernel) up to a constant; minus infinity if the covariance is singular.
    fn log_likelihood(&self, numbers: &[f64]) -> f64 {
        let kernel = Kernel::new(numbers, self.coordinates[0].len());
        let matrix = self.matrix(&kernel);
        let Some(weights) = solve_positive(&matrix, &self.values) else {
            return f64::NEG_INFINITY;
        };
        let mut factor = matrix;
        if !cholesky(&mut factor) {
            return f64::NEG_INFINITY;
        }
        let n = self.values.nrows();
        let half: f64 = (0..n).map(|i| factor[(i, i)].ln()).sum();
        let square: f64 = (0..n).map(|i| weights[(i, 0)] * self.values[(i, 0)]).sum();
        -0.5 * square - half
    }

    /// Covariances of the runs, including their errors.
    pub fn matrix(&self, kernel: &Kernel) -> Mat<f64> {
        let z = self.coordinates;
        Mat::from_fn(z.len(), z.len(), |i, j| {
            let own = if i == j {
                self.noise[i] + kernel.unknown
            } else {
                0.0
            };
            kernel.covariance(&z[i], &z[j], self.slopes) + own
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn without_runs_that_say_anything_kernels_are_drawn_from_the_prior() {
        let place = vec![0.0, 0.0];
        let evidence = Evidence {
            coordinates: std::slice::from_ref(&place),
            slopes: 0,
            values: Mat::zeros(1, 1),
            // So large that no kernel changes the likelihood.
            noise: vec![1e12],
        };
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let all: Vec<Kernel> = (0..40).flat_map(|_| evidence.kernels(&mut rng)).collect();
        let logs = all.iter().map(|k| -0.5 * k.inverse_squares[1].ln());
        let mean = logs.clone().sum::<f64>() / all.len() as f64;
        let square = logs.map(|l| (l - mean).powi(2)).sum::<f64>() / all.len() as f64;
        let expected = LENGTH[0] + 0.5 * 2.0_f64.ln();
        assert!((mean - expected).abs() < 0.2, "{mean} {expected}");
        assert!((square.sqrt() - LENGTH[1]).abs() < 0.2, "{}", square.sqrt());
    }
}
