//! Eigenpairs of small dense symmetric matrices.

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::{Mat, Par};

use crate::{Error, Result};

/// Eigenvalues of a symmetric matrix, largest first, and the eigenvectors as columns.
///
/// Sequential, so that the result does not depend on the number of threads.
pub(super) fn symmetric(matrix: &Mat<f64>) -> Result<(Vec<f64>, Mat<f64>)> {
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
    .map_err(|_| Error::Numerical {
        what: format!("the eigenvalues of a symmetric {n} x {n} matrix did not converge"),
        advice: "check the kernel and the coordinates for extreme values".into(),
    })?;
    let descending = (0..n).rev().map(|i| values.column_vector()[i]).collect();
    Ok((descending, vectors.reverse_cols().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenpairs_come_largest_first_and_satisfy_their_equation() {
        let matrix = Mat::from_fn(6, 6, |i, j| 1.0 / (1 + i + j) as f64);
        let (values, vectors) = symmetric(&matrix).unwrap();
        assert!(values.windows(2).all(|pair| pair[0] >= pair[1]));
        for (k, value) in values.iter().enumerate() {
            let residual = &matrix * vectors.col(k) - vectors.col(k) * faer::Scale(*value);
            assert!(residual.norm_l2() < 1e-14);
        }
    }
}
