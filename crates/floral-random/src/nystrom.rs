//! The largest eigenpairs of the covariance integral operator, by Nystrom's method.

use floral_linalg::Mat;
use rayon::prelude::*;

use super::circulant::Embedding;
use super::krylov::{Eigenpairs, Search};
use super::{Kernel, canonical, eigen};
use crate::{Axis, Error, Grid, Result};

/// Grids up to this size are solved densely; larger ones by a Krylov method.
const SMALL: usize = 256;
/// Largest covariance matrix that is worth its memory and time.
const LARGEST_DENSE: usize = 2048;
/// Size of the Krylov basis, in numbers: 1 GiB.
const BASIS_NUMBERS: usize = 1 << 27;
/// Eigenvalues below this, relative to the first, are due to rounding.
const ROUNDING: f64 = 1e-13;

/// The `modes` largest eigenvalues and their eigenfunctions at the grid points, [mode][point].
///
/// They are canonical: `seed`, which starts the Krylov iteration, only affects rounding.
pub(super) fn eigenpairs(
    kernel: &Kernel,
    grid: &Grid,
    modes: usize,
    seed: u64,
) -> Result<Eigenpairs> {
    let embedding = Embedding::smallest(kernel, grid)?;
    let weights = trapezoid_weights(grid);
    let roots: Vec<f64> = weights.iter().map(|w| w.sqrt()).collect();
    let pairs = match krylov_eigenpairs(&embedding, grid, &roots, modes, seed)? {
        Some(pairs) => pairs,
        None => dense_eigenpairs(kernel, grid, &roots, modes)?,
    };
    let (mut values, mut functions) = eigenfunctions(pairs, grid, &roots)?;
    values.truncate(modes);
    functions.truncate(modes);
    Ok((values, functions))
}

/// Canonical eigenfunctions W^(-1/2) u from the eigenvectors u; eigenvalues due to rounding are set
/// to zero.
fn eigenfunctions(pairs: Eigenpairs, grid: &Grid, roots: &[f64]) -> Result<Eigenpairs> {
    let (mut values, mut vectors) = pairs;
    canonical::canonicalise(&mut values, &mut vectors, roots, grid)?;
    let threshold = ROUNDING * values[0];
    for value in values.iter_mut().filter(|v| **v < threshold) {
        *value = 0.0;
    }
    for vector in &mut vectors {
        for (v, root) in vector.iter_mut().zip(roots) {
            *v /= root;
        }
    }
    Ok((values, vectors))
}

/// Weights of the trapezoid rule at each grid point; an axis of one point has weight 1.
pub(super) fn trapezoid_weights(grid: &Grid) -> Vec<f64> {
    let along = |axis: &Axis| -> Vec<f64> {
        let last = axis.len() - 1;
        let weight = |i| match i {
            _ if last == 0 => 1.0,
            _ if i == 0 || i == last => 0.5 * axis.spacing(),
            _ => axis.spacing(),
        };
        (0..=last).map(weight).collect()
    };
    grid.axes.iter().map(along).fold(vec![1.0], |outer, inner| {
        let products = outer.iter().flat_map(|a| inner.iter().map(move |b| a * b));
        products.collect()
    })
}

/// At least the `modes` largest eigenpairs of W^(1/2) C W^(1/2), ending with a complete cluster;
/// none if a dense eigendecomposition is preferable.
fn krylov_eigenpairs(
    embedding: &Embedding,
    grid: &Grid,
    roots: &[f64],
    modes: usize,
    seed: u64,
) -> Result<Option<Eigenpairs>> {
    let n = roots.len();
    if n <= SMALL || 4 * modes > n {
        return Ok(None);
    }
    let search = Search {
        n,
        wanted: modes,
        block: block(grid),
        limit: (n / 2).min(BASIS_NUMBERS / n).min(16 * modes + 512),
        seed,
    };
    search.largest(covariance_operator(embedding, roots))
}

/// A block size at least as large as the multiplicities that the symmetry of the grid can cause:
/// two on a square, six on a cube with a separable kernel.
fn block(grid: &Grid) -> usize {
    match grid.axes.iter().filter(|axis| axis.len() > 1).count() {
        0..=2 => 4,
        _ => 8,
    }
}

/// Multiplication of a block of vectors, [vector][point], by W^(1/2) C W^(1/2).
fn covariance_operator(embedding: &Embedding, roots: &[f64]) -> impl Fn(&mut [f64]) {
    let product = embedding.product();
    move |block| {
        let vectors = block.par_chunks_exact_mut(roots.len());
        vectors.for_each_init(
            || product.work(),
            |work, vector| {
                let scaled = vector.iter().zip(roots).map(|(v, root)| v * root);
                let image = product.apply(scaled, work);
                for ((v, c), root) in vector.iter_mut().zip(image).zip(roots) {
                    *v = c * root;
                }
            },
        );
    }
}

fn dense_eigenpairs(
    kernel: &Kernel,
    grid: &Grid,
    roots: &[f64],
    modes: usize,
) -> Result<Eigenpairs> {
    let n = grid.len();
    if n > LARGEST_DENSE {
        return Err(Error::numerical(
            format!("no {modes} Karhunen-Loeve modes found on {n} points with {kernel:?}"),
            "ask for fewer modes, a longer correlation or a coarser grid; to sample the \
                     field itself, a Gaussian process on the grid needs no modes",
        ));
    }
    let points: Vec<Vec<f64>> = (0..n).map(|i| grid.point(i)).collect();
    let (mut values, vectors) = eigen::symmetric(&Mat::from_fn(n, n, |i, j| {
        roots[i] * roots[j] * kernel.between(&points[i], &points[j])
    }))?;
    values.truncate(canonical::cluster_end(&values, modes));
    let columns = (0..values.len()).map(|k| vectors.col(k).iter().copied().collect());
    Ok((values, columns.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Family;

    fn square(n: usize) -> Grid {
        Grid::new(vec![Axis::closed("y", n), Axis::closed("x", n)])
    }

    fn largest_difference(a: &[Vec<f64>], b: &[Vec<f64>]) -> f64 {
        let differences = a.iter().zip(b).flat_map(|(a, b)| a.iter().zip(b));
        differences.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    }

    /// A square has double eigenvalues; two modes end in the middle of a pair.
    #[test]
    fn krylov_agrees_with_a_dense_eigendecomposition_on_a_square() {
        let grid = square(20);
        let roots: Vec<f64> = trapezoid_weights(&grid).iter().map(|w| w.sqrt()).collect();
        for family in [Family::Rbf, Family::Exponential] {
            let kernel = Kernel::new(family, 0.2, 1.0).unwrap();
            let dense = dense_eigenpairs(&kernel, &grid, &roots, 30).unwrap();
            assert!(dense.0[1] - dense.0[2] < 1e-14, "the second is double");
            let (values, functions) = eigenfunctions(dense, &grid, &roots).unwrap();
            for modes in [1, 2, 3, 9, 30] {
                let found = eigenpairs(&kernel, &grid, modes, 0).unwrap();
                assert_eq!(found.1.len(), modes);
                for (found, dense) in found.0.iter().zip(&values) {
                    assert!((found - dense).abs() < 1e-14);
                }
                let difference = largest_difference(&found.1, &functions);
                assert!(difference < 1e-8, "{family} {modes} {difference}");
            }
        }
    }

    #[test]
    fn the_krylov_start_does_not_matter() {
        for (family, modes) in [(Family::Rbf, 10), (Family::Exponential, 32)] {
            let kernel = Kernel::new(family, 0.1, 1.0).unwrap();
            let from = |seed| eigenpairs(&kernel, &square(32), modes, seed).unwrap();
            let difference = largest_difference(&from(1).1, &from(2).1);
            assert!(difference < 1e-9, "{family} {difference}");
        }
    }

    #[test]
    fn too_many_modes_on_a_large_grid_are_refused_with_advice() {
        let kernel = Kernel::new(Family::Rbf, 0.1, 1.0).unwrap();
        let error = eigenpairs(&kernel, &square(46), 600, 0).unwrap_err();
        assert!(error.to_string().contains("ask for fewer modes"));
    }
}
