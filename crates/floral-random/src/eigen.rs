//! Eigenpairs of small dense symmetric matrices, with an error that gives advice.

use floral_linalg::{Mat, symmetric_eigen};

use crate::{Error, Result};

/// Eigenvalues of a symmetric matrix, largest first, and the eigenvectors as columns.
pub(super) fn symmetric(matrix: &Mat<f64>) -> Result<(Vec<f64>, Mat<f64>)> {
    symmetric_eigen(matrix).ok_or_else(|| {
        Error::numerical(
            format!(
                "the eigenvalues of a symmetric {0} x {0} matrix did not converge",
                matrix.nrows()
            ),
            "check the kernel and the coordinates for extreme values",
        )
    })
}
