//! Stationary Gaussian processes, sampled exactly on grids and at scattered points.

use rand::Rng;
use rayon::prelude::*;

use super::Kernel;
use super::cholesky::CholeskySampler;
use super::circulant_sampler::CirculantSampler;
pub use super::circulant_sampler::{EmbeddingReport, Real};
use crate::{Error, Grid, Result};

/// A zero-mean Gaussian process with a stationary kernel, optionally with white noise.
#[derive(Debug, Clone)]
pub struct GaussianProcess {
    kernel: Kernel,
    nugget: f64,
    place: Place,
    sampler: Sampler,
}

#[derive(Debug, Clone)]
enum Place {
    Grid(Grid),
    Points(Vec<Vec<f64>>),
}

#[derive(Debug, Clone)]
enum Sampler {
    Circulant(CirculantSampler),
    Cholesky(CholeskySampler),
}

/// How a process is sampled, and how exact samples are.
#[derive(Debug, Clone, PartialEq)]
pub enum Report {
    /// By embedding in a torus.
    Embedding(EmbeddingReport),
    /// By a Cholesky factor, after adding `jitter` to every variance.
    Cholesky {
        /// The smallest sufficient power of ten times the variance, or zero.
        jitter: f64,
    },
}

impl GaussianProcess {
    /// The process on a grid of evenly spaced axes, by circulant embedding.
    pub fn on_grid(kernel: &Kernel, grid: &Grid) -> Result<Self> {
        Self::build(*kernel, 0.0, Place::Grid(grid.clone()))
    }

    /// The process at arbitrary points, all with the same number of coordinates, by Cholesky.
    ///
    /// Coinciding points are allowed; [`Report::Cholesky`] holds the jitter that they need.
    pub fn on_points(kernel: &Kernel, points: &[Vec<f64>]) -> Result<Self> {
        Self::build(*kernel, 0.0, Place::Points(points.to_vec()))
    }

    /// The same process plus independent noise of this variance at every point.
    pub fn with_nugget(self, variance: f64) -> Result<Self> {
        if !variance.is_finite() || variance < 0.0 {
            return Err(Error::config(
                "Gaussian process",
                format!("nugget = {variance}, but it must be zero or positive"),
            ));
        }
        if variance == self.nugget {
            return Ok(self);
        }
        Self::build(self.kernel, variance, self.place)
    }

    fn build(kernel: Kernel, nugget: f64, place: Place) -> Result<Self> {
        let sampler = match &place {
            Place::Grid(grid) => Sampler::Circulant(CirculantSampler::new(&kernel, nugget, grid)?),
            Place::Points(points) => {
                Sampler::Cholesky(CholeskySampler::new(&kernel, nugget, points)?)
            }
        };
        Ok(Self {
            kernel,
            nugget,
            place,
            sampler,
        })
    }

    /// Number of values in a sample.
    pub fn len(&self) -> usize {
        match &self.place {
            Place::Grid(grid) => grid.len(),
            Place::Points(points) => points.len(),
        }
    }

    /// Whether samples have no values, which is never the case.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The kernel, without the nugget.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// Variance of the independent noise.
    pub fn nugget(&self) -> f64 {
        self.nugget
    }

    /// How samples are made, and how exact they are.
    pub fn report(&self) -> Report {
        match &self.sampler {
            Sampler::Circulant(circulant) => Report::Embedding(circulant.report.clone()),
            Sampler::Cholesky(cholesky) => Report::Cholesky {
                jitter: cholesky.jitter,
            },
        }
    }

    /// A sample in double precision.
    pub fn sample(&self, rng: &mut impl Rng) -> Vec<f64> {
        let mut values = vec![0.0; self.len()];
        self.sample_into(rng, &mut values);
        values
    }

    /// Writes a sample in f32 or f64; for the same stream both agree up to rounding.
    ///
    /// # Panics
    /// If `values` does not have one value per point.
    pub fn sample_into<T: Real>(&self, rng: &mut impl Rng, values: &mut [T]) {
        assert_eq!(values.len(), self.len(), "one value per point");
        match &self.sampler {
            Sampler::Circulant(circulant) => {
                circulant.sample_into(rng, &mut circulant.work(), values);
            }
            Sampler::Cholesky(cholesky) => cholesky.sample_into(rng, values),
        }
    }

    /// Writes one sample per stream, in parallel: [sample, point...].
    ///
    /// A sample depends on its own stream alone, not on the batch or on the number of threads.
    ///
    /// # Panics
    /// If `values` does not have one value per stream and point.
    pub fn sample_batch_into<T: Real, R: Rng + Send>(&self, streams: &mut [R], values: &mut [T]) {
        let n = self.len();
        assert_eq!(
            values.len(),
            streams.len() * n,
            "one value per stream and point"
        );
        let samples = values.par_chunks_exact_mut(n).zip(streams);
        match &self.sampler {
            Sampler::Circulant(circulant) => samples.for_each_init(
                || circulant.work(),
                |work, (values, stream)| circulant.sample_into(stream, work, values),
            ),
            Sampler::Cholesky(cholesky) => {
                samples.for_each(|(values, stream)| cholesky.sample_into(stream, values));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Axis;
    use crate::{Family, Purpose, Stream, stream};

    fn unit(shape: &[usize]) -> Grid {
        Grid::new(shape.iter().map(|n| Axis::closed("x", *n)).collect())
    }

    fn streams(count: u64) -> Vec<Stream> {
        (0..count)
            .map(|i| stream(5, Purpose::Realization, 0, i))
            .collect()
    }

    fn batch<T: Real>(process: &GaussianProcess, count: u64) -> Vec<T> {
        let mut values = vec![T::zero(); count as usize * process.len()];
        process.sample_batch_into(&mut streams(count), &mut values);
        values
    }

    /// Compares means and covariances over many samples with the kernel at all pairs of some
    /// points.
    ///
    /// A sample covariance c_ij of N draws has variance (c_ii c_jj + c_ij^2) / N, a mean c_ii / N.
    /// Of a thousand comparisons, one exceeds 5.5 standard deviations for one seed in 26 000.
    fn assert_covariance(process: &GaussianProcess, points: &[Vec<f64>]) {
        const SAMPLES: usize = 4000;
        let values: Vec<f32> = batch(process, SAMPLES as u64);
        let expected = |i: usize, j: usize| {
            let white = if i == j { process.nugget() } else { 0.0 };
            process.kernel().between(&points[i], &points[j]) + white
        };
        let mean_over = |f: &dyn Fn(&[f32]) -> f64| {
            values.chunks_exact(process.len()).map(f).sum::<f64>() / SAMPLES as f64
        };
        let chosen: Vec<usize> = (0..points.len())
            .step_by(points.len().div_ceil(40))
            .collect();
        for &i in &chosen {
            let mean = mean_over(&|field| f64::from(field[i]));
            assert!(mean.abs() < 5.5 * (expected(i, i) / SAMPLES as f64).sqrt());
            for &j in chosen.iter().filter(|j| **j >= i) {
                let covariance = mean_over(&|field| f64::from(field[i]) * f64::from(field[j]));
                let square = expected(i, i) * expected(j, j) + expected(i, j).powi(2);
                let error = (covariance - expected(i, j)).abs();
                let tolerance = 5.5 * (square / SAMPLES as f64).sqrt();
                assert!(
                    error < tolerance,
                    "{process:?} {i} {j}: {error} {tolerance}"
                );
            }
        }
    }

    #[test]
    fn samples_on_grids_have_the_covariance_of_the_kernel() {
        for (family, length, shape) in [
            (Family::Exponential, 1e-3, vec![16, 16]),
            (Family::Exponential, 0.2, vec![15, 9]),
            (Family::Rbf, 0.2, vec![33]),
            (Family::Matern32, 0.1, vec![1, 20]),
            (Family::Matern52, 0.3, vec![5, 6, 7]),
        ] {
            let kernel = Kernel::new(family, length, 1.5).unwrap();
            let grid = unit(&shape);
            let process = GaussianProcess::on_grid(&kernel, &grid).unwrap();
            let points: Vec<_> = (0..grid.len()).map(|i| grid.point(i)).collect();
            assert_covariance(&process, &points);
        }
    }

    #[test]
    fn samples_at_points_have_the_covariance_of_the_kernel() {
        let points: Vec<Vec<f64>> = (0..30)
            .map(|i| vec![f64::from(i * i % 17) / 17.0, f64::from(i) / 30.0])
            .collect();
        let kernel = Kernel::new(Family::Matern32, 0.3, 0.7).unwrap();
        let process = GaussianProcess::on_points(&kernel, &points).unwrap();
        assert_eq!(process.report(), Report::Cholesky { jitter: 0.0 });
        assert_covariance(&process, &points);
    }

    #[test]
    fn a_nugget_adds_independent_noise() {
        let kernel = Kernel::new(Family::Rbf, 0.3, 1.0).unwrap();
        let grid = unit(&[12]);
        let points: Vec<_> = (0..grid.len()).map(|i| grid.point(i)).collect();
        let on_grid = GaussianProcess::on_grid(&kernel, &grid).unwrap();
        let on_points = GaussianProcess::on_points(&kernel, &points).unwrap();
        for process in [on_grid, on_points] {
            assert_covariance(&process.clone().with_nugget(0.5).unwrap(), &points);
            assert!(process.with_nugget(-1.0).is_err());
        }
    }

    #[test]
    fn a_sample_depends_on_its_stream_alone() {
        let kernel = Kernel::new(Family::Exponential, 0.01, 1.0).unwrap();
        let process = GaussianProcess::on_grid(&kernel, &unit(&[17, 20])).unwrap();
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            pool.build().unwrap().install(|| batch::<f32>(&process, 9))
        };
        let together = on(1);
        assert_eq!(together, on(3));
        let mut alone = vec![0.0; process.len()];
        for (stream, field) in streams(9)
            .iter_mut()
            .zip(together.chunks_exact(process.len()))
        {
            process.sample_into(stream, &mut alone);
            assert_eq!(alone, field);
        }
    }

    #[test]
    fn precisions_agree_up_to_rounding() {
        let kernel = Kernel::new(Family::Rbf, 0.2, 1.0).unwrap();
        let process = GaussianProcess::on_grid(&kernel, &unit(&[64, 64])).unwrap();
        let (single, double) = (batch::<f32>(&process, 2), batch::<f64>(&process, 2));
        assert_eq!(double[..4096], process.sample(&mut streams(1)[0]));
        for (single, double) in single.iter().zip(&double) {
            assert!((f64::from(*single) - double).abs() < 1e-5);
        }
    }
}
