//! A Gaussian process of one quantity over a few coordinates of the input, averaged over its
//! kernels.
//!
//!   q(z) = m + sum_s b_s z_s + g(z) + e,   cov(g(z), g(z')) = v exp(-1/2 sum_d ((z_d - z'_d) / l_d)^2),
//!
//! with a wide normal constant m, normal slopes b of the last coordinates (such as the same
//! quantity at low fidelity), and errors e of runs: their known sampling variance and an unknown
//! part. The logarithms of the lengths l and of the variances of g, of b and of the unknown part
//! have normal priors; lengths grow with the root of the number of coordinates, as distances do
//! (Hvarfner, Hellsten & Nardi, ICML 2024). A few runs hardly determine these parameters, and a
//! single best guess may call coordinates irrelevant by accident. They are therefore drawn from
//! their posterior by elliptical slice sampling (Murray, Adams & MacKay, AISTATS 2010), which has
//! nothing to tune, and predictions are averaged over the draws. `kernels` draws them;
//! `acquisition` chooses inputs by the process.

use floral_linalg::{Mat, solve_positive};
use rand::Rng;

use crate::kernels::{Evidence, Kernel};
use crate::{Error, Result};

/// Runs of a solver, as data of the process.
#[derive(Debug, Clone, Copy)]
pub struct Runs<'a> {
    /// The coordinates of each run, centred at about zero with a spread of about one.
    pub coordinates: &'a [Vec<f64>],
    /// Number of coordinates, counted from the last, in which the quantity may be linear.
    pub slopes: usize,
    /// The quantity.
    pub values: &'a [f64],
    /// Known error variance of each run.
    pub noise: &'a [f64],
}

/// A process conditioned on runs.
#[derive(Debug, Clone)]
pub struct Process {
    coordinates: Vec<Vec<f64>>,
    slopes: usize,
    /// Mean and standard deviation of the values, which are removed before the fit.
    mean: f64,
    scale: f64,
    fits: Vec<Fit>,
}

/// The fit with one kernel.
#[derive(Debug, Clone)]
struct Fit {
    kernel: Kernel,
    /// C^-1 with C the covariance of the runs.
    inverse: Mat<f64>,
    /// C^-1 y.
    weights: Mat<f64>,
    /// Error variance of each run.
    errors: Vec<f64>,
}

/// The posterior of the quantity for one kernel.
#[derive(Debug, Clone)]
pub struct Known {
    /// Posterior mean at each point.
    pub means: Vec<f64>,
    /// Posterior covariance: [point, point].
    pub covariance: Vec<f64>,
    /// Error variance of a run that the kernel infers in addition to its sampling variance.
    pub noise: f64,
}

/// Prediction of a run from the other runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LeftOut {
    /// The prediction minus the run.
    pub error: f64,
    /// Posterior variance of the quantity given the other runs, without the error variance of this
    /// run.
    pub unknown: f64,
}

impl Process {
    /// The process conditioned on runs; `rng` draws its kernels.
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
        let fits: Option<Vec<Fit>> = kernels
            .into_iter()
            .map(|k| Fit::new(&evidence, k))
            .collect();
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

    /// The posterior of each kernel at some points, in units of the quantity.
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

    /// Leave-one-out predictions, averaged over kernels: the error is (C^-1 y)_i / (C^-1)_ii and
    /// the variance 1 / (C^-1)_ii (Rasmussen & Williams, Gaussian Processes for Machine Learning,
    /// 2006, section 5.4.2).
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
    /// The mean over all kernels at each point.
    pub fn mean(all: &[Self]) -> Vec<f64> {
        let count = all.len() as f64;
        let places = all.first().map_or(0, |one| one.means.len());
        let mean = |i: usize| all.iter().map(|one| one.means[i]).sum::<f64>() / count;
        (0..places).map(mean).collect()
    }

    /// The variance at each point: the mean variance of the kernels plus the variance of their
    /// means.
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

impl Fit {
    /// None if the covariance of the runs is singular.
    fn new(evidence: &Evidence<'_>, kernel: Kernel) -> Option<Self> {
        let n = evidence.values.nrows();
        let inverse = solve_positive(&evidence.matrix(&kernel), &Mat::identity(n, n))?;
        Some(Self {
            weights: &inverse * &evidence.values,
            errors: evidence.noise.iter().map(|v| v + kernel.unknown).collect(),
            inverse,
            kernel,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::KERNELS;
    use rand::{RngExt, SeedableRng};
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
            .map(|kernel| Fit::new(&evidence, kernel).unwrap())
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
