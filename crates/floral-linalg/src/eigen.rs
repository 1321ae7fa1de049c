//! Eigenpairs of dense symmetric matrices.

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::{Mat, Par};

/// Eigenvalues of a symmetric matrix, largest first, and the eigenvectors as columns; `None` if an
/// entry is not finite or the iteration does not converge.
pub fn symmetric_eigen(matrix: &Mat<f64>) -> Option<(Vec<f64>, Mat<f64>)> {
    if !matrix.is_all_finite() {
        return None;
    }
    eigen(matrix).or_else(|| shifted(matrix))
}

/// Eigenpairs by way of the matrix plus its norm times the identity.
///
/// The iteration sets an off-diagonal entry to zero once it is small relative to its neighbours on
/// the diagonal. Where these are rounding errors, as in the null space of a low-rank matrix, this
/// may never happen. The shift makes the diagonal as large as the norm.
fn shifted(matrix: &Mat<f64>) -> Option<(Vec<f64>, Mat<f64>)> {
    let size = matrix.norm_l2();
    let mut moved = matrix.clone();
    (0..matrix.nrows()).for_each(|i| moved[(i, i)] += size);
    let (values, vectors) = eigen(&moved)?;
    Some((values.iter().map(|v| v - size).collect(), vectors))
}

/// Eigenpairs, largest first; `None` if the iteration does not converge.
fn eigen(matrix: &Mat<f64>) -> Option<(Vec<f64>, Mat<f64>)> {
    let n = matrix.nrows();
    let mut values = Diag::zeros(n);
    let mut vectors = Mat::zeros(n, n);
    let scratch =
        self_adjoint_evd_scratch::<f64>(n, ComputeEigenvectors::Yes, Par::Seq, Default::default());
    self_adjoint_evd(
        matrix.as_ref(),
        values.as_mut(),
        Some(vectors.as_mut()),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
        Default::default(),
    )
    .ok()?;
    let descending = (0..n).rev().map(|i| values.column_vector()[i]).collect();
    Some((descending, vectors.reverse_cols().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pseudo-random numbers between -1 and 1.
    fn noise(i: usize, j: usize) -> f64 {
        let x = ((1 + i * 641 + j * 97) as f64 * 12.9898).sin() * 43758.5453;
        2.0 * (x - x.floor()) - 1.0
    }

    #[test]
    fn eigenpairs_come_largest_first_and_satisfy_their_equation() {
        let matrix = Mat::from_fn(6, 6, |i, j| 1.0 / (1 + i + j) as f64);
        let (values, vectors) = symmetric_eigen(&matrix).unwrap();
        assert!(values.windows(2).all(|pair| pair[0] >= pair[1]));
        for (k, value) in values.iter().enumerate() {
            let residual = &matrix * vectors.col(k) - vectors.col(k) * faer::Scale(*value);
            assert!(residual.norm_l2() < 1e-14);
        }
    }

    #[test]
    fn matrices_whose_entries_vanish_have_eigenpairs_too() {
        // Gram matrix of fields, some of them so small that their squares underflow.
        let size = |j: usize| (-90.0 * (j / 17) as f64 - (j % 17) as f64).exp();
        let fields = Mat::from_fn(10, 160, |i, j| noise(i, j) * size(j));
        let gram = fields.transpose() * &fields;
        assert!(eigen(&gram).is_none(), "the plain iteration converges now");
        let (values, vectors) = symmetric_eigen(&gram).unwrap();
        let trace: f64 = (0..160).map(|i| gram[(i, i)]).sum();
        assert!((values.iter().sum::<f64>() - trace).abs() < 1e-13 * trace);
        let residual = &gram * &vectors
            - &vectors * Mat::from_fn(160, 160, |i, j| if i == j { values[i] } else { 0.0 });
        assert!(residual.norm_l2() < 1e-13 * trace);
    }

    #[test]
    fn what_is_not_finite_has_none() {
        let matrix = Mat::from_fn(3, 3, |i, j| if i == j { f64::NAN } else { 1.0 });
        assert!(symmetric_eigen(&matrix).is_none());
    }
}
