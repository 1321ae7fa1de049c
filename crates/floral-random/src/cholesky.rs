//! Samples of a Gaussian process at arbitrary points, by a Cholesky factor of their covariance.

use floral_linalg::{Mat, cholesky};
use rand::Rng;
use rand_distr::{Distribution, StandardNormal};

use super::Kernel;
use super::circulant_sampler::Real;
use crate::{Error, Result};

/// Largest number of points whose covariance matrix is worth its memory: half a GiB.
const LARGEST: usize = 8192;

/// A lower triangular factor of the covariance matrix, and the jitter needed to find one.
#[derive(Debug, Clone)]
pub(super) struct CholeskySampler {
    /// Rows of the triangle, one after another, of lengths 1, 2, 3, ...
    triangle: Vec<f64>,
    points: usize,
    /// Added to the variance of every point.
    pub jitter: f64,
}

impl CholeskySampler {
    pub(super) fn new(kernel: &Kernel, nugget: f64, points: &[Vec<f64>]) -> Result<Self> {
        check(points)?;
        let n = points.len();
        let variance = kernel.variance() + nugget;
        // Rounding alone makes the matrix of a smooth kernel, or of coinciding points, indefinite
        // by about n times the machine precision.
        let ladder = (-15..=-8).map(|exponent| variance * 10_f64.powi(exponent));
        for jitter in std::iter::once(0.0).chain(ladder) {
            let mut matrix = Mat::from_fn(n, n, |i, j| kernel.between(&points[i], &points[j]));
            for i in 0..n {
                matrix[(i, i)] += nugget + jitter;
            }
            if cholesky(&mut matrix) {
                let rows = (0..n).flat_map(|i| (0..=i).map(move |j| (i, j)));
                return Ok(Self {
                    triangle: rows.map(|place| matrix[place]).collect(),
                    points: n,
                    jitter,
                });
            }
        }
        Err(Error::numerical(
            format!("the covariance matrix of {n} points with {kernel:?} is not positive"),
            "remove points that nearly coincide, or add a nugget",
        ))
    }

    /// One normal draw per point, multiplied by the triangle.
    pub(super) fn sample_into<T: Real>(&self, rng: &mut impl Rng, values: &mut [T]) {
        let draws = (0..self.points).map(|_| StandardNormal.sample(rng));
        let draws: Vec<f64> = draws.collect();
        let mut rest = self.triangle.as_slice();
        for (i, value) in values.iter_mut().enumerate() {
            let (row, below) = rest.split_at(i + 1);
            *value = T::rounded(row.iter().zip(&draws).map(|(l, z)| l * z).sum());
            rest = below;
        }
    }
}

fn check(points: &[Vec<f64>]) -> Result<()> {
    let refuse = |reason: String| Err(Error::config("points of a Gaussian process", reason));
    let Some(first) = points.first() else {
        return refuse("there are none".into());
    };
    if points.len() > LARGEST {
        let n = points.len();
        return refuse(format!(
            "{n} points, but the Cholesky method takes at most {LARGEST}; a regular grid has no limit"
        ));
    }
    for (i, point) in points.iter().enumerate() {
        if point.len() != first.len() || point.iter().any(|x| !x.is_finite()) {
            let dimensions = first.len();
            return refuse(format!(
                "point {i} is {point:?}, but {dimensions} finite coordinates are needed, as in point 0"
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Family, Purpose, stream};
    use rand::RngExt;

    fn scattered(n: usize) -> Vec<Vec<f64>> {
        let mut rng = stream(11, Purpose::Input, 0, 0);
        (0..n).map(|_| vec![rng.random(), rng.random()]).collect()
    }

    fn covariance(sampler: &CholeskySampler, i: usize, j: usize) -> f64 {
        let row = |i: usize| &sampler.triangle[i * (i + 1) / 2..(i + 1) * (i + 2) / 2];
        row(i).iter().zip(row(j)).map(|(a, b)| a * b).sum()
    }

    #[test]
    fn the_factor_reproduces_the_covariance() {
        let points = scattered(60);
        for (family, nugget) in [(Family::Exponential, 0.0), (Family::Rbf, 0.1)] {
            let kernel = Kernel::new(family, 0.2, 2.0).unwrap();
            let sampler = CholeskySampler::new(&kernel, nugget, &points).unwrap();
            assert_eq!(sampler.jitter, 0.0);
            for i in 0..60 {
                for j in 0..=i {
                    let white = if i == j { nugget } else { 0.0 };
                    let expected = kernel.between(&points[i], &points[j]) + white;
                    assert!((covariance(&sampler, i, j) - expected).abs() < 1e-13);
                }
            }
        }
    }

    #[test]
    fn equal_points_and_smooth_kernels_cost_a_small_reported_jitter() {
        let mut points = scattered(200);
        points.push(points[0].clone());
        for length in [0.1, 1.0, 10.0] {
            let kernel = Kernel::new(Family::Rbf, length, 1.0).unwrap();
            let sampler = CholeskySampler::new(&kernel, 0.0, &points).unwrap();
            assert!(sampler.jitter > 0.0 && sampler.jitter < 1e-12);
            let together = covariance(&sampler, 200, 0);
            assert!((together - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn bad_points_are_refused_with_the_reason() {
        let kernel = Kernel::new(Family::Rbf, 1.0, 1.0).unwrap();
        let refusal = |points: &[Vec<f64>]| {
            let error = CholeskySampler::new(&kernel, 0.0, points).unwrap_err();
            error.to_string()
        };
        assert!(refusal(&[]).contains("there are none"));
        assert!(refusal(&[vec![0.0], vec![1.0, 2.0]]).contains("point 1"));
        assert!(refusal(&[vec![f64::NAN]]).contains("finite"));
        assert!(refusal(&vec![vec![0.0]; LARGEST + 1]).contains("at most 8192"));
    }
}
