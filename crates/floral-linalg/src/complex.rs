//! Hermitian eigenpairs and inverses of small complex matrices.

use faer::linalg::solvers::DenseSolveCore;
use faer::{Mat, Side, c64};

/// Eigenvalues of a Hermitian matrix, smallest first, and the eigenvectors as columns. Reads only
/// the lower triangle. `None` if the iteration does not converge.
pub fn hermitian_eigen(matrix: &Mat<c64>) -> Option<(Vec<f64>, Mat<c64>)> {
    let eigen = matrix.self_adjoint_eigen(Side::Lower).ok()?;
    let values = (0..matrix.nrows()).map(|k| eigen.S().column_vector()[k].re);
    Some((values.collect(), eigen.U().to_owned()))
}

/// The inverse of a nonsingular matrix.
pub fn inverse(matrix: &Mat<c64>) -> Mat<c64> {
    matrix.partial_piv_lu().inverse()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hermitian() -> Mat<c64> {
        Mat::from_fn(5, 5, |i, j| {
            let (a, b) = (i as f64, j as f64);
            let diagonal = if i == j { 3.0 } else { 0.0 };
            c64::new(diagonal + (-(a - b).abs()).exp(), 0.3 * (a - b))
        })
    }

    #[test]
    fn eigenpairs_satisfy_their_equation() {
        let matrix = hermitian();
        let (values, vectors) = hermitian_eigen(&matrix).unwrap();
        assert!(values.is_sorted());
        for (k, value) in values.iter().enumerate() {
            for i in 0..5 {
                let sum: c64 = (0..5).map(|j| matrix[(i, j)] * vectors[(j, k)]).sum();
                assert!((sum - vectors[(i, k)] * *value).norm() < 1e-13);
            }
        }
    }

    #[test]
    fn a_matrix_times_its_inverse_is_one() {
        let product = hermitian() * inverse(&hermitian());
        for (i, j) in (0..5).flat_map(|i| (0..5).map(move |j| (i, j))) {
            let expected = c64::new(if i == j { 1.0 } else { 0.0 }, 0.0);
            assert!((product[(i, j)] - expected).norm() < 1e-13);
        }
    }
}
