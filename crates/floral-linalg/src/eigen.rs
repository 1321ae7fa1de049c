//! Eigenpairs of dense symmetric matrices.

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::{Mat, Par};

/// Eigenvalues of a symmetric matrix, largest first, and the eigenvectors as columns; none if the
/// iteration does not converge.
pub fn symmetric_eigen(matrix: &Mat<f64>) -> Option<(Vec<f64>, Mat<f64>)> {
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
}
