//! The Cholesky factor of a symmetric positive definite matrix.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{
    LltRegularization, cholesky_in_place, cholesky_in_place_scratch,
};
use faer::linalg::cholesky::llt::solve::{solve_in_place, solve_in_place_scratch};
use faer::linalg::solvers::Solve;
use faer::{Mat, Par, Side};

/// Replaces the lower triangle of a matrix A by L of A = L L'; false if A is not positive definite.
pub fn cholesky(matrix: &mut Mat<f64>) -> bool {
    let n = matrix.nrows();
    let scratch = cholesky_in_place_scratch::<f64>(n, Par::Seq, Default::default());
    cholesky_in_place(
        matrix.as_mut(),
        LltRegularization::default(),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
        Default::default(),
    )
    .is_ok()
}

/// The solution x of A x = b; `None` if A is not positive definite. Reads only the lower triangle
/// of A.
pub fn solve_positive(matrix: &Mat<f64>, b: &Mat<f64>) -> Option<Mat<f64>> {
    Some(matrix.llt(Side::Lower).ok()?.solve(b))
}

/// Like [`solve_positive`], but in the memory of the matrix and on one thread, for callers that
/// solve many systems at once.
pub fn solve_positive_in_place(mut matrix: Mat<f64>, b: &Mat<f64>) -> Option<Mat<f64>> {
    if !cholesky(&mut matrix) {
        return None;
    }
    let mut x = b.clone();
    let scratch = solve_in_place_scratch::<f64>(x.nrows(), x.ncols(), Par::Seq);
    let mut memory = MemBuffer::new(scratch);
    let stack = MemStack::new(&mut memory);
    solve_in_place(matrix.as_ref(), x.as_mut(), Par::Seq, stack);
    Some(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_factor_times_its_transpose_is_the_matrix() {
        let matrix = Mat::from_fn(7, 7, |i, j| (-0.3 * (i as f64 - j as f64).abs()).exp());
        let mut factor = matrix.clone();
        assert!(cholesky(&mut factor));
        let lower = Mat::from_fn(7, 7, |i, j| if j <= i { factor[(i, j)] } else { 0.0 });
        let difference = &lower * lower.transpose() - &matrix;
        assert!(difference.norm_l2() < 1e-14);
        let b = Mat::from_fn(7, 2, |i, j| (i + 2 * j) as f64);
        let x = solve_positive(&matrix, &b).unwrap();
        assert_eq!(solve_positive_in_place(matrix.clone(), &b).unwrap(), x);
        assert!((&matrix * x - b).norm_l2() < 1e-13);
        let mut indefinite = Mat::from_fn(2, 2, |i, j| if i == j { 0.0 } else { 1.0 });
        assert!(!cholesky(&mut indefinite));
    }
}
