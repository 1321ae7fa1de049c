//! A unique choice among the possible bases of eigenvectors.
//!
//! Eigenvectors are determined up to sign and, within a cluster of equal eigenvalues (which every
//! square grid has), up to rotation. The choice made here depends on the geometry of the grid
//! alone, so that a dataset's seed gives the same fields, up to rounding, on any machine and with
//! any eigensolver.

use floral_linalg::Mat;

use super::eigen;
use crate::{Grid, Result};

/// The end of the cluster of equal eigenvalues to which `values[end - 1]` belongs.
///
/// `values` are in descending order. Eigenvalues that symmetry makes equal differ by rounding,
/// 1e-15 of the largest.
pub(super) fn cluster_end(values: &[f64], mut end: usize) -> usize {
    while end < values.len() {
        let (last, next) = (values[end - 1], values[end]);
        if last - next > 1e-9 * last.abs() + 1e-14 * values[0] {
            break;
        }
        end += 1;
    }
    end
}

/// Rotates each cluster of eigenvectors and fixes all signs.
///
/// `vectors`: [mode][point], orthonormal, the eigenfunctions times `root_weights`.
pub(super) fn canonicalise(
    values: &mut [f64],
    vectors: &mut [Vec<f64>],
    root_weights: &[f64],
    grid: &Grid,
) -> Result<()> {
    let places = scaled_points(grid);
    let mut start = 0;
    while start < values.len() {
        let end = cluster_end(values, start + 1);
        let mean = values[start..end].iter().sum::<f64>() / (end - start) as f64;
        values[start..end].fill(mean);
        if end > start + 1 {
            rotate(&mut vectors[start..end], &places)?;
        }
        start = end;
    }
    for vector in vectors {
        fix_sign(vector, root_weights, &places);
    }
    Ok(())
}

/// All points, with coordinates scaled to the unit interval.
fn scaled_points(grid: &Grid) -> Vec<Vec<f64>> {
    let scaled = |i| {
        let point = grid.point(i).into_iter().zip(&grid.axes);
        let scale = |(x, axis): (f64, &crate::Axis)| {
            let extent = axis.spacing() * (axis.len() - 1) as f64;
            if extent > 0.0 {
                (x - axis.coordinates[0]) / extent
            } else {
                0.0
            }
        };
        point.map(scale).collect()
    };
    (0..grid.len()).map(scaled).collect()
}

/// sum_a sqrt(a) f(x_a), with axes counted from 1. The weights are linearly independent over the
/// rationals, so that no symmetry of the grid leaves the sum unchanged.
fn generic(place: &[f64], f: impl Fn(f64) -> f64) -> f64 {
    let terms = place.iter().enumerate();
    terms.map(|(a, x)| ((a + 1) as f64).sqrt() * f(*x)).sum()
}

/// Rotates a cluster so that multiplication by the generic square is diagonal, smallest value
/// first.
fn rotate(cluster: &mut [Vec<f64>], places: &[Vec<f64>]) -> Result<()> {
    let square: Vec<f64> = places.iter().map(|p| generic(p, |x| x * x)).collect();
    let size = cluster.len();
    let restricted = Mat::from_fn(size, size, |i, j| {
        let products = cluster[i].iter().zip(&cluster[j]).zip(&square);
        -products.map(|((a, b), g)| a * b * g).sum::<f64>()
    });
    let (_, rotation) = eigen::symmetric(&restricted)?;
    let rotated = (0..size).map(|k| {
        let mut vector = vec![0.0; places.len()];
        for (j, old) in cluster.iter().enumerate() {
            for (new, old) in vector.iter_mut().zip(old) {
                *new += rotation[(j, k)] * old;
            }
        }
        vector
    });
    let rotated: Vec<_> = rotated.collect();
    cluster.clone_from_slice(&rotated);
    Ok(())
}

/// Makes the integral of the eigenfunction against exp(x + sqrt(2) y + ...) positive.
fn fix_sign(vector: &mut [f64], root_weights: &[f64], places: &[Vec<f64>]) {
    let terms = vector.iter().zip(root_weights).zip(places);
    let integral: f64 = terms
        .map(|((v, root), place)| v * root * generic(place, |x| x).exp())
        .sum();
    if integral < 0.0 {
        vector.iter_mut().for_each(|v| *v = -*v);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cluster_ends_at_the_first_large_distance() {
        let values = [3.0, 1.0, 1.0 - 1e-15, 1.0 - 2e-15, 0.5];
        assert_eq!(cluster_end(&values, 1), 1);
        assert_eq!(cluster_end(&values, 2), 4);
        assert_eq!(cluster_end(&values, 4), 4);
        assert_eq!(cluster_end(&values, 5), 5);
    }
}
