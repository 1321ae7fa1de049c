//! A Gaussian process of one quantity over a few coordinates of the input, averaged over its lengths.
//!
//!   q(z) = m + sum_s b_s z_s + g(z) + e,   cov(g(z), g(z')) = v exp(-1/2 sum_d ((z_d - z'_d) / l_d)^2),
//!
//! with a wide normal constant m, normal slopes b of the last coordinates (a quantity that low fidelity has as
//! well), and errors e of runs: their known sampling variance and an unknown part. The logarithms of the lengths l, of
//! the variances of g, of b and of the unknown part have normal priors; lengths grow with the root of the number of
//! coordinates, as distances do (Hvarfner, Hellsten & Nardi, ICML 2024). Few runs hardly know them: one best guess
//! calls coordinates irrelevant by accident. So they are drawn from their posterior by elliptical slice
//! sampling (Murray, Adams & MacKay, AISTATS 2010), which has nothing to tune, and what is known of q is
//! averaged over them. `acquisition` chooses by it.

use floral_linalg::{Mat, cholesky, solve_positive};
use rand::{Rng, RngExt};
use rand_distr::{Distribution, StandardNormal};

use crate::{Error, Result};

/// Variance of the constant, in units of that of the runs.
const CONSTANT: f64 = 10.0;

/// Means and deviations of the logarithms of lengths (beside half that of the number of coordinates), of the
/// variance of g, of the unknown variance of runs, and of the variance of slopes.
const LENGTH: [f64; 2] = [0.7, 1.2];
const VARIANCE: [f64; 2] = [0.0, 1.0];
const UNKNOWN: [f64; 2] = [-7.0, 2.0];
const SLOPE: [f64; 2] = [0.0, 1.5];

/// Steps of the sampler before the first kernel is kept, steps between kernels, and kernels.
const BEFORE: usize = 60;
const BETWEEN: usize = 6;
const KERNELS: usize = 12;

/// Tries of a step; the bracket shrinks so fast that the present point is met long before.
const TRIES: usize = 60;

/// Runs of a solver, as the process sees them.
#[derive(Debug, Clone, Copy)]
pub struct Runs<'a> {
    /// The coordinates of each, about zero with a spread of about one.
    pub coordinates: &'a [Vec<f64>],
    /// How many coordinates, the last ones, the quantity may be linear in.
    pub slopes: usize,
    /// The quantity.
    pub values: &'a [f64],
    /// The variance of its own error.
    pub noise: &'a [f64],
}

/// A process given runs.
#[derive(Debug, Clone)]
pub struct Process {
    coordinates: Vec<Vec<f64>>,
    slopes: usize,
    /// Mean and standard deviation of the values, which the fit takes out.
    mean: f64,
    scale: f64,
    fits: Vec<Fit>,
}

/// The numbers of a kernel.
#[derive(Debug, Clone)]
struct Kernel {
    /// 1 / l^2.
    inverse_squares: Vec<f64>,
    variance: f64,
    unknown: f64,
    slope: f64,
}

/// The runs by one kernel.
#[derive(Debug, Clone)]
struct Fit {
    kernel: Kernel,
    /// C^-1 with C the covariance of the runs.
    inverse: Mat<f64>,
    /// C^-1 y.
    weights: Mat<f64>,
    /// The variance of the errors of each run.
    errors: Vec<f64>,
}

/// What is known of the quantity by one kernel.
#[derive(Debug, Clone)]
pub struct Known {
    /// Its mean at each place.
    pub means: Vec<f64>,
    /// Of what is not known: [place, place].
    pub covariance: Vec<f64>,
    /// The variance of the error of a run that the kernel finds beside its sampling variance.
    pub noise: f64,
}

/// A run as the others predict it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LeftOut {
    /// The prediction less the run.
    pub error: f64,
    /// The variance of what the others do not know of the quantity, without that of the run's own error.
    pub unknown: f64,
}

impl Process {
    /// The process given runs; `rng` draws its kernels.
    pub fn new(runs: &Runs<'_>, rng: &mut impl Rng) -> Result<Self> {
        runs.check()?;
        let n = runs.values.len() as f64;
        let mean = runs.values.iter().sum::<f64>() / n;
        let square = runs.values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n;
        let scale = if square > 0.0 { square.sqrt() } else { 1.0 };
        let evidence = Evidence {
            values: Mat::from_fn(runs.values.len(), 1, |i, _| (runs.values[i] - mean) / scale),
            noise: runs.noise.iter().map(|v| v / (scale * scale)).collect(),
            coordinates: runs.coordinates,
            slopes: runs.slopes,
        };
        let kernels = evidence.kernels(rng);
        let fits: Option<Vec<Fit>> = kernels.into_iter().map(|k| evidence.fit(k)).collect();
        let fits = fits.ok_or_else(|| {
            Error::new(
                "runs",
                "their covariance is singular; leave out repeated inputs without noise",
            )
        })?;
        Ok(Self {
            coordinates: runs.coordinates.to_vec(),
            slopes: runs.slopes,
            mean,
            scale,
            fits,
        })
    }

    /// What each kernel knows at some places, in units of the quantity.
    pub fn at(&self, places: &[Vec<f64>]) -> Vec<Known> {
        self.fits
            .iter()
            .map(|fit| self.known(fit, places))
            .collect()
    }

    fn known(&self, fit: &Fit, places: &[Vec<f64>]) -> Known {
        let (n, runs) = (places.len(), self.coordinates.len());
        let covariance = |a: &[f64], b: &[f64]| fit.kernel.covariance(a, b, self.slopes);
        let cross = Mat::from_fn(n, runs, |i, j| covariance(&places[i], &self.coordinates[j]));
        let explained = &cross * &fit.inverse * cross.transpose();
        let means = &cross * &fit.weights;
        let square = self.scale * self.scale;
        let left =
            |i: usize, j: usize| square * (covariance(&places[i], &places[j]) - explained[(i, j)]);
        let pairs = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
        Known {
            means: (0..n)
                .map(|i| self.mean + self.scale * means[(i, 0)])
                .collect(),
            covariance: pairs
                .map(|(i, j)| match i == j {
                    true => left(i, i).max(0.0),
                    false => left(i, j),
                })
                .collect(),
            noise: square * fit.kernel.unknown,
        }
    }

    /// Each run as the others predict it, averaged over kernels: its error is (C^-1 y)_i / (C^-1)_ii and its variance
    /// 1 / (C^-1)_ii (Rasmussen & Williams, Gaussian Processes for Machine Learning, 2006, section 5.4.2).
    pub fn left_out(&self) -> Vec<LeftOut> {
        let count = self.fits.len() as f64;
        let one = |i: usize| {
            let mut sum = LeftOut {
                error: 0.0,
                unknown: 0.0,
            };
            for fit in &self.fits {
                let variance = 1.0 / fit.inverse[(i, i)];
                sum.error -= self.scale * fit.weights[(i, 0)] * variance / count;
                sum.unknown += self.scale.powi(2) * (variance - fit.errors[i]).max(0.0) / count;
            }
            sum
        };
        (0..self.coordinates.len()).map(one).collect()
    }
}

impl Known {
    /// The mean of all kernels at each place.
    pub fn mean(all: &[Self]) -> Vec<f64> {
        let count = all.len() as f64;
        let places = all.first().map_or(0, |one| one.means.len());
        let mean = |i: usize| all.iter().map(|one| one.means[i]).sum::<f64>() / count;
        (0..places).map(mean).collect()
    }

    /// The variance at each place: that of each kernel, and of their means.
    pub fn variance(all: &[Self]) -> Vec<f64> {
        let count = all.len() as f64;
        let variance = |(i, mean): (usize, &f64)| {
            let own = |one: &Self| one.covariance[i * one.means.len() + i];
            let each = |one: &Self| own(one) + (one.means[i] - mean).powi(2);
            all.iter().map(each).sum::<f64>() / count
        };
        Self::mean(all).iter().enumerate().map(variance).collect()
    }
}

impl Runs<'_> {
    fn check(&self) -> Result<()> {
        let n = self.values.len();
        let size = self.coordinates.first().map_or(0, Vec::len);
        let same = self.coordinates.iter().all(|z| z.len() == size);
        if n == 0
            || self.coordinates.len() != n
            || self.noise.len() != n
            || !same
            || size < self.slopes
        {
            let reason = format!(
                "{n} values, {} lists of coordinates and {} variances; give one each, of one size, for every run",
                self.coordinates.len(),
                self.noise.len()
            );
            return Err(Error::new("runs", reason));
        }
        let numbers = self.coordinates.iter().flatten().chain(self.values);
        let noise = self.noise.iter().all(|v| v.is_finite() && *v >= 0.0);
        if !numbers.into_iter().all(|v| v.is_finite()) || !noise {
            return Err(Error::new(
                "runs",
                "some numbers are not finite, or a variance is negative",
            ));
        }
        Ok(())
    }
}

impl Kernel {
    /// From numbers that are standard normal before runs are seen.
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

    /// The covariance of the quantity at two places.
    fn covariance(&self, a: &[f64], b: &[f64], slopes: usize) -> f64 {
        let pairs = || a.iter().zip(b);
        let parts = pairs().zip(&self.inverse_squares);
        let square: f64 = parts.map(|((a, b), w)| w * (a - b) * (a - b)).sum();
        let linear: f64 = pairs().rev().take(slopes).map(|(a, b)| a * b).sum();
        self.variance * (-0.5 * square).exp() + self.slope * linear + CONSTANT
    }
}

/// What kernels are drawn by: runs of mean zero and variance one.
struct Evidence<'a> {
    coordinates: &'a [Vec<f64>],
    slopes: usize,
    values: Mat<f64>,
    noise: Vec<f64>,
}

impl Evidence<'_> {
    /// Kernels drawn from their posterior.
    fn kernels(&self, rng: &mut impl Rng) -> Vec<Kernel> {
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

    /// A point of the ellipse through the present one and a draw of the prior, with a likelihood above a random share of
    /// the present one; the bracket of angles shrinks towards the present one, at angle zero.
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

    /// log p(y | kernel) but for a constant; minus infinity where the covariance is singular.
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

    fn matrix(&self, kernel: &Kernel) -> Mat<f64> {
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

    fn fit(&self, kernel: Kernel) -> Option<Fit> {
        let n = self.values.nrows();
        let inverse = solve_positive(&self.matrix(&kernel), &Mat::identity(n, n))?;
        Some(Fit {
            weights: &inverse * &self.values,
            errors: self.noise.iter().map(|v| v + kernel.unknown).collect(),
            inverse,
            kernel,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    fn places(count: usize, size: usize, seed: u64) -> Vec<Vec<f64>> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let place = |_| (0..size).map(|_| 3.4 * rng.random::<f64>() - 1.7).collect();
        (0..count).map(place).collect()
    }

    fn process(z: &[Vec<f64>], slopes: usize, noise: f64, q: impl Fn(&[f64]) -> f64) -> Process {
        let values: Vec<f64> = z.iter().map(|z| q(z)).collect();
        let runs = Runs {
            coordinates: z,
            slopes,
            values: &values,
            noise: &vec![noise; z.len()],
        };
        Process::new(&runs, &mut ChaCha8Rng::seed_from_u64(7)).unwrap()
    }

    fn rms(values: impl Iterator<Item = f64>) -> f64 {
        let all: Vec<f64> = values.collect();
        (all.iter().map(|v| v * v).sum::<f64>() / all.len() as f64).sqrt()
    }

    #[test]
    fn a_smooth_quantity_is_predicted_as_well_as_it_says() {
        let q = |z: &[f64]| 5.0 + (1.5 * z[0]).sin() + 0.3 * z[1];
        let process = process(&places(20, 3, 1), 0, 0.0, q);
        let others = places(60, 3, 2);
        let known = process.at(&others);
        let errors = Known::mean(&known);
        let error = rms(errors.iter().zip(&others).map(|(mean, z)| mean - q(z)));
        let expected = rms(Known::variance(&known).iter().map(|v| v.sqrt()));
        assert!(error < 0.1, "{error}");
        assert!(
            (0.4..4.0).contains(&(expected / error)),
            "{expected} {error}"
        );
    }

    #[test]
    fn coordinates_that_do_not_act_get_long_lengths() {
        let process = process(&places(16, 3, 3), 0, 0.0, |z| (2.0 * z[1]).sin());
        let mean = |d: usize| -> f64 {
            let all = process.fits.iter();
            all.map(|fit| -0.5 * fit.kernel.inverse_squares[d].ln())
                .sum::<f64>()
                / KERNELS as f64
        };
        assert!(
            mean(1) + 1.0 < mean(0).min(mean(2)),
            "{} {} {}",
            mean(0),
            mean(1),
            mean(2)
        );
    }

    #[test]
    fn units_of_the_quantity_do_not_matter() {
        let z = places(8, 2, 4);
        let one = process(&z, 0, 0.01, |z| z[0] * z[1]).at(&z);
        let other = process(&z, 0, 0.01 * 1e12, |z| 300.0 + 1e6 * z[0] * z[1]).at(&z);
        for (one, other) in Known::variance(&one).iter().zip(Known::variance(&other)) {
            assert!((other / one / 1e12 - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn left_out_runs_are_those_of_a_fit_without_them() {
        let z = places(9, 2, 5);
        let q = |z: &[f64]| z[0].exp() - z[1];
        let all = process(&z, 1, 0.02, q);
        let left_out = all.left_out()[4];
        let mut alone = all.clone();
        alone.coordinates.remove(4);
        let values: Vec<f64> = alone
            .coordinates
            .iter()
            .map(|z| (q(z) - all.mean) / all.scale)
            .collect();
        let evidence = Evidence {
            coordinates: &alone.coordinates,
            slopes: 1,
            values: Mat::from_fn(8, 1, |i, _| values[i]),
            noise: vec![0.02 / all.scale.powi(2); 8],
        };
        let kernels = all.fits.iter().map(|fit| fit.kernel.clone());
        let fits = kernels
            .map(|kernel| evidence.fit(kernel).unwrap())
            .collect();
        let alone = Process { fits, ..alone };
        let known = alone.at(&z[4..5]);
        let error = Known::mean(&known)[0] - q(&z[4]);
        assert!(
            (left_out.error - error).abs() < 1e-9,
            "{left_out:?} {error}"
        );
        let unknown = known.iter().map(|k| k.covariance[0]).sum::<f64>() / KERNELS as f64;
        assert!(
            (left_out.unknown - unknown).abs() < 1e-9,
            "{left_out:?} {unknown}"
        );
    }

    #[test]
    fn a_quantity_that_is_linear_in_low_fidelity_needs_few_runs() {
        let q = |z: &[f64]| 2.0 + 3.0 * z[1];
        let error = |slopes: usize| {
            let known = process(&places(5, 2, 6), slopes, 0.0, q).at(&[vec![0.0, 4.0]]);
            (Known::mean(&known)[0] - 14.0).abs()
        };
        assert!(error(1) < 0.3 * error(0), "{} {}", error(1), error(0));
    }

    #[test]
    fn equal_values_and_bad_numbers_are_no_panic() {
        let z = places(3, 2, 8);
        let known = process(&z, 0, 0.0, |_| 4.0).at(&z);
        assert!(Known::mean(&known).iter().all(|m| (m - 4.0).abs() < 1e-9));
        let values = [1.0, f64::NAN, 2.0];
        let runs = |values, noise| Runs {
            coordinates: &z,
            slopes: 0,
            values,
            noise,
        };
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let words = |runs: Runs<'_>, rng: &mut ChaCha8Rng| {
            Process::new(&runs, rng).unwrap_err().to_string()
        };
        assert!(words(runs(&values, &[0.0; 3]), &mut rng).contains("not finite"));
        assert!(words(runs(&values[..1], &[0.0; 3]), &mut rng).contains("1 values, 3 lists"));
    }
}
