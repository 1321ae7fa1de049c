//! Exact samples of a stationary Gaussian process on a regular grid, by one Hartley transform.
//!
//! With C = H L H / M on a torus of M points, H (L/M)^(1/2) z has covariance C for white noise z:
//! Wood & Chan (1994), J. Comput. Graph. Stat. 3, 409-432, with their Fourier basis made real.

use std::fmt;

use rand::Rng;
use rand_distr::{Distribution, StandardNormal};

use super::Kernel;
use super::circulant::Embedding;
use super::hartley::{Hartley, Work};
use crate::{Grid, Result};

/// Negative eigenvalues that carry less than this fraction of the variance are due to rounding.
const ROUNDING: f64 = 1e-13;
/// Largest number of doublings of the torus in search of one without negative eigenvalues.
const DOUBLINGS: usize = 5;
/// Number of points of the largest torus.
const LARGEST: usize = 1 << 22;

/// How a covariance was embedded in a torus, and how exact the embedding is.
#[derive(Debug, Clone, PartialEq)]
pub struct EmbeddingReport {
    /// Points of the torus per axis.
    pub torus: Vec<usize>,
    /// Number of doublings of the smallest exact torus that made its eigenvalues positive.
    pub doublings: usize,
    /// Variance added to each value by setting negative eigenvalues to zero, as a fraction of the
    /// process's variance. If it is below 1e-13, samples are exact up to rounding.
    pub clipped: f64,
}

/// A sampler on a regular grid.
#[derive(Clone)]
pub struct CirculantSampler {
    /// How the covariance was embedded.
    pub report: EmbeddingReport,
    /// Standard deviation of each coefficient divided by sqrt(M): shape [torus...].
    deviations: Vec<f64>,
    single: Hartley<f32>,
    double: Hartley<f64>,
}

impl CirculantSampler {
    pub(super) fn new(kernel: &Kernel, nugget: f64, grid: &Grid) -> Result<Self> {
        let (embedding, report) = positive_embedding(kernel, nugget, grid)?;
        let points = embedding.eigenvalues.len() as f64;
        let variances = embedding.eigenvalues.iter().map(|e| (e + nugget).max(0.0));
        Ok(Self {
            report,
            deviations: variances.map(|v| (v / points).sqrt()).collect(),
            single: Hartley::new(&embedding.torus, &embedding.torus, &embedding.grid),
            double: Hartley::new(&embedding.torus, &embedding.torus, &embedding.grid),
        })
    }

    /// Working memory for samples.
    pub(super) fn work<T: Real>(&self) -> Work<T> {
        T::hartley(self).work()
    }

    /// One normal draw per point of the torus, in the order of memory, followed by the transform.
    pub(super) fn sample_into<T: Real>(
        &self,
        rng: &mut impl Rng,
        work: &mut Work<T>,
        field: &mut [T],
    ) {
        let coefficient = |deviation: &f64| {
            let normal: f64 = StandardNormal.sample(rng);
            T::rounded(deviation * normal)
        };
        work.values.clear();
        work.values.extend(self.deviations.iter().map(coefficient));
        T::hartley(self).transform(work);
        field.copy_from_slice(&work.values);
    }
}

impl fmt::Debug for CirculantSampler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.report.fmt(f)
    }
}

/// The first of the successively doubled tori whose eigenvalues are positive up to rounding; if
/// there is none, the torus that comes closest.
fn positive_embedding(
    kernel: &Kernel,
    nugget: f64,
    grid: &Grid,
) -> Result<(Embedding, EmbeddingReport)> {
    let mut latest = Embedding::smallest(kernel, grid)?;
    let first = appraise(&latest, kernel, nugget, 0);
    let mut best = (latest.clone(), first);
    for doublings in 1..=DOUBLINGS {
        let next_points = latest.eigenvalues.len() << grid.dimensions();
        if best.1.clipped <= ROUNDING || next_points > LARGEST {
            break;
        }
        latest = latest.doubled(kernel);
        let report = appraise(&latest, kernel, nugget, doublings);
        if report.clipped < best.1.clipped {
            best = (latest.clone(), report);
        }
    }
    Ok(best)
}

fn appraise(
    embedding: &Embedding,
    kernel: &Kernel,
    nugget: f64,
    doublings: usize,
) -> EmbeddingReport {
    let below_zero = embedding.eigenvalues.iter().map(|e| (-e - nugget).max(0.0));
    let per_point = below_zero.sum::<f64>() / embedding.eigenvalues.len() as f64;
    EmbeddingReport {
        torus: embedding.torus.clone(),
        doublings,
        clipped: per_point / (kernel.variance() + nugget),
    }
}

/// Precisions in which samples can be written: f32 and f64.
pub trait Real: Precision {}
impl Real for f32 {}
impl Real for f64 {}

/// The part of [`Real`] that other crates cannot implement.
pub trait Precision: floral_fourier::Precision {
    fn rounded(value: f64) -> Self;
    fn hartley(sampler: &CirculantSampler) -> &Hartley<Self>;
}

impl Precision for f32 {
    fn rounded(value: f64) -> Self {
        value as f32
    }

    fn hartley(sampler: &CirculantSampler) -> &Hartley<Self> {
        &sampler.single
    }
}

impl Precision for f64 {
    fn rounded(value: f64) -> Self {
        value
    }

    fn hartley(sampler: &CirculantSampler) -> &Hartley<Self> {
        &sampler.double
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Axis;
    use crate::Family;

    fn unit(shape: &[usize]) -> Grid {
        Grid::new(shape.iter().map(|n| Axis::closed("x", *n)).collect())
    }

    /// Compares the covariance of samples, from their eigenvalues, with the kernel.
    #[test]
    fn samples_have_exactly_the_covariance_of_the_kernel() {
        let cases = [
            (Family::Rbf, 0.2, vec![64]),
            (Family::Rbf, 0.1, vec![33, 40]),
            (Family::Rbf, 0.1, vec![9, 8, 11]),
            (Family::Exponential, 1e-3, vec![64, 64]),
            (Family::Exponential, 0.3, vec![31, 32]),
            (Family::Exponential, 3.0, vec![20, 20]),
            (Family::Matern32, 0.2, vec![45]),
            (Family::Matern52, 0.2, vec![24, 25]),
        ];
        for (family, length, shape) in cases {
            let kernel = Kernel::new(family, length, 1.5).unwrap();
            let grid = unit(&shape);
            let (mut embedding, report) = positive_embedding(&kernel, 0.0, &grid).unwrap();
            assert!(report.clipped <= 1e-13, "{kernel:?} {report:?}");
            for eigenvalue in &mut embedding.eigenvalues {
                *eigenvalue = eigenvalue.max(0.0);
            }
            let product = embedding.product();
            let origin = (0..grid.len()).map(|i| f64::from(i == 0));
            let mut work = product.work();
            for (i, covariance) in product.apply(origin, &mut work).iter().enumerate() {
                let expected = kernel.between(&grid.point(0), &grid.point(i));
                let error = (covariance - expected).abs();
                assert!(error < 1e-12, "{kernel:?} {shape:?} {i} {error}");
            }
        }
    }

    /// A kernel much longer than the domain has no positive embedding of reasonable size.
    #[test]
    fn what_is_clipped_is_reported() {
        let kernel = Kernel::new(Family::Rbf, 100.0, 1.0).unwrap();
        let (_, report) = positive_embedding(&kernel, 0.0, &unit(&[16])).unwrap();
        assert!(report.clipped > 1e-13 && report.doublings <= DOUBLINGS);
    }

    #[test]
    fn a_nugget_lifts_negative_eigenvalues() {
        let kernel = Kernel::new(Family::Rbf, 0.3, 1.0).unwrap();
        let doublings = |nugget| {
            let (_, report) = positive_embedding(&kernel, nugget, &unit(&[32, 32])).unwrap();
            assert!(report.clipped <= 1e-13);
            report.doublings
        };
        assert!(doublings(0.0) > 0);
        assert_eq!(doublings(1.0), 0);
    }
}
