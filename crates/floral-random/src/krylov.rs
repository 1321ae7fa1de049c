//! The largest eigenpairs of a symmetric operator known only by its action: block Lanczos.
//!
//! Golub & Underwood (1977), The block Lanczos method for computing eigenvalues. Every new block is
//! orthogonalised against all earlier ones. Blocks find all copies of a multiple eigenvalue at
//! once.

use floral_linalg::{Accum, Mat, MatMut, MatRef, product};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use super::{canonical, eigen};
use crate::Result;

/// Residual norm of an accepted eigenpair, relative to the largest eigenvalue.
const CONVERGED: f64 = 1e-13;
/// Residual norm at which an eigenvalue is accurate enough to separate clusters.
const LOCATED: f64 = 1e-7;

/// Eigenvalues, largest first, and the orthonormal eigenvectors: [mode][point].
pub(super) type Eigenpairs = (Vec<f64>, Vec<Vec<f64>>);

/// Parameters of a search for eigenpairs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Search {
    /// Size of the operator.
    pub n: usize,
    /// Number of eigenpairs; those in the same cluster as the last one are added.
    pub wanted: usize,
    /// Vectors per block: at least the largest multiplicity among the eigenvalues.
    pub block: usize,
    /// Largest number of basis vectors, to limit memory.
    pub limit: usize,
    /// Seed of the first block.
    pub seed: u64,
}

impl Search {
    /// The largest eigenpairs; none if they need more basis vectors than the limit.
    ///
    /// `apply` overwrites a block, [vector][point], by its image.
    pub(super) fn largest(&self, apply: impl Fn(&mut [f64])) -> Result<Option<Eigenpairs>> {
        let limit = self.limit.min(self.n);
        let mut space = Space::start(self.n, self.block, self.seed);
        let mut next_check = 2 * (self.wanted + self.block);
        while space.vectors() + self.block <= limit {
            space.expand(&apply);
            let done = space.vectors() - self.block;
            if done >= next_check || space.vectors() + self.block > limit {
                let (values, vectors) = eigen::symmetric(&space.projected())?;
                if let Some(count) = space.converged(&values, &vectors, self.wanted) {
                    return Ok(Some(space.eigenpairs(values, &vectors, count)));
                }
                next_check = done + (done / 8).max(2 * self.block);
            }
        }
        Ok(None)
    }
}

/// An orthonormal basis of the Krylov space, and the operator's projection on all but its last
/// block.
struct Space {
    n: usize,
    block: usize,
    rng: ChaCha8Rng,
    /// [vector][point].
    basis: Vec<f64>,
    /// Q_j' A Q_j, block by block.
    diagonal: Vec<Mat<f64>>,
    /// R_j with A Q_j = ... + Q_(j+1) R_j.
    coupling: Vec<Mat<f64>>,
    /// A lower bound of the operator's norm.
    scale: f64,
}

impl Space {
    fn start(n: usize, block: usize, seed: u64) -> Self {
        let mut space = Self {
            n,
            block,
            rng: ChaCha8Rng::seed_from_u64(seed),
            basis: Vec::new(),
            diagonal: Vec::new(),
            coupling: Vec::new(),
            scale: 0.0,
        };
        let mut first: Vec<f64> = (0..n * block).map(|_| normal(&mut space.rng)).collect();
        space.orthonormalise(&mut first);
        space.basis.append(&mut first);
        space
    }

    fn vectors(&self) -> usize {
        self.basis.len() / self.n
    }

    /// Appends the next block and the projections that lead to it.
    fn expand(&mut self, apply: impl Fn(&mut [f64])) {
        let last = self.basis.len() - self.n * self.block;
        let mut block = self.basis[last..].to_vec();
        apply(&mut block);
        let norms = block.chunks_exact(self.n).map(norm);
        self.scale = norms.fold(self.scale, f64::max);
        // The two latest blocks account for most of the image; a sweep over the whole basis removes
        // what rounding leaves of them and of the other blocks.
        let recent = last.saturating_sub(self.n * self.block);
        let along = project_out(&self.basis[recent..], &mut block, self.n);
        let rows = along.nrows() - self.block;
        self.diagonal
            .push(along.as_ref().subrows(rows, self.block).to_owned());
        project_out(&self.basis, &mut block, self.n);
        let coupling = self.orthonormalise(&mut block);
        self.coupling.push(coupling);
        self.basis.append(&mut block);
    }

    /// Overwrites a block by an orthonormal one that is orthogonal to the basis; its product with
    /// the returned triangular factor is the original block. Directions lost in rounding are
    /// replaced by random ones.
    fn orthonormalise(&mut self, block: &mut [f64]) -> Mat<f64> {
        let mut factor = Mat::zeros(self.block, self.block);
        for c in 0..self.block {
            let (before, rest) = block.split_at_mut(c * self.n);
            let column = &mut rest[..self.n];
            let original = norm(column);
            self.add_projection(before, column, &mut factor, c);
            let mut length = norm(column);
            if length < 1e-3 * original.max(self.scale) {
                project_out(&self.basis, column, self.n);
                self.add_projection(before, column, &mut factor, c);
                length = norm(column);
            }
            if length > 1e-15 * self.scale {
                factor[(c, c)] = length;
            } else {
                self.refill(before, column);
                length = norm(column);
            }
            column.iter_mut().for_each(|v| *v /= length);
            // Division by a small length amplifies what rounding left of the other directions.
            if factor[(c, c)] < 1e-3 * self.scale {
                project_out(&self.basis, column, self.n);
                project_out(before, column, self.n);
                let length = norm(column);
                column.iter_mut().for_each(|v| *v /= length);
            }
        }
        factor
    }

    fn add_projection(&self, before: &[f64], column: &mut [f64], factor: &mut Mat<f64>, c: usize) {
        let along = project_out(before, column, self.n);
        for r in 0..c {
            factor[(r, c)] += along[(r, 0)];
        }
    }

    /// Fills a column with a random direction orthogonal to the basis and to the columns before it.
    fn refill(&mut self, before: &[f64], column: &mut [f64]) {
        column.fill_with(|| normal(&mut self.rng));
        for _ in 0..2 {
            project_out(&self.basis, column, self.n);
            project_out(before, column, self.n);
        }
    }

    /// Q' A Q without the last block of the basis: a block tridiagonal matrix.
    fn projected(&self) -> Mat<f64> {
        let size = self.vectors() - self.block;
        let mut matrix = Mat::zeros(size, size);
        for (j, diagonal) in self.diagonal.iter().enumerate() {
            for r in 0..self.block {
                for c in 0..self.block {
                    let (row, column) = (j * self.block + r, j * self.block + c);
                    matrix[(row, column)] = 0.5 * (diagonal[(r, c)] + diagonal[(c, r)]);
                    if row + self.block < size {
                        matrix[(row + self.block, column)] = self.coupling[j][(r, c)];
                        matrix[(column, row + self.block)] = self.coupling[j][(r, c)];
                    }
                }
            }
        }
        matrix
    }

    /// Number of leading pairs to take, once they have converged and the next one is located.
    fn converged(&self, values: &[f64], vectors: &Mat<f64>, wanted: usize) -> Option<usize> {
        let coupling = self.coupling.last()?;
        let residual = |k: usize| {
            let end = vectors
                .as_ref()
                .col(k)
                .subrows(values.len() - self.block, self.block);
            (coupling * end).norm_l2()
        };
        let count = canonical::cluster_end(values, wanted);
        let accurate = |k, tolerance| k < values.len() && residual(k) <= tolerance * values[0];
        let all = (0..count).all(|k| accurate(k, CONVERGED));
        (all && accurate(count, LOCATED)).then_some(count)
    }

    fn eigenpairs(&self, mut values: Vec<f64>, vectors: &Mat<f64>, count: usize) -> Eigenpairs {
        values.truncate(count);
        let mut result = vec![0.0; self.n * count];
        product(
            MatMut::from_column_major_slice_mut(&mut result, self.n, count),
            Accum::Replace,
            MatRef::from_column_major_slice(&self.basis, self.n, self.vectors())
                .subcols(0, vectors.nrows()),
            vectors.as_ref().subcols(0, count),
            1.0,
        );
        let vectors = result.chunks_exact(self.n).map(<[f64]>::to_vec);
        (values, vectors.collect())
    }
}

/// block -= Q Q' block; returns the coefficients Q' block.
fn project_out(basis: &[f64], block: &mut [f64], n: usize) -> Mat<f64> {
    let basis = MatRef::from_column_major_slice(basis, n, basis.len() / n);
    let columns = block.len() / n;
    let mut block = MatMut::from_column_major_slice_mut(block, n, columns);
    let mut along = Mat::zeros(basis.ncols(), columns);
    product(
        along.as_mut(),
        Accum::Replace,
        basis.transpose(),
        block.as_ref(),
        1.0,
    );
    product(block.as_mut(), Accum::Add, basis, along.as_ref(), -1.0);
    along
}

fn norm(vector: &[f64]) -> f64 {
    vector.iter().map(|v| v * v).sum::<f64>().sqrt()
}

fn normal(rng: &mut ChaCha8Rng) -> f64 {
    StandardNormal.sample(rng)
}
