//! The product of two dense matrices.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

/// `out = scale * a b` or `out += scale * a b`, depending on `accumulate`.
pub fn product(
    out: MatMut<'_, f64>,
    accumulate: Accum,
    a: MatRef<'_, f64>,
    b: MatRef<'_, f64>,
    scale: f64,
) {
    matmul(out, accumulate, a, b, scale, Par::Seq);
}

#[cfg(test)]
mod tests {
    use faer::Mat;

    use super::*;

    #[test]
    fn products_replace_or_add() {
        let a = Mat::from_fn(2, 3, |i, j| (3 * i + j) as f64);
        let b = Mat::from_fn(3, 1, |i, _| (i + 1) as f64);
        let mut out = Mat::from_fn(2, 1, |_, _| 1.0);
        product(out.as_mut(), Accum::Replace, a.as_ref(), b.as_ref(), 2.0);
        assert_eq!((out[(0, 0)], out[(1, 0)]), (16.0, 52.0));
        product(out.as_mut(), Accum::Add, a.as_ref(), b.as_ref(), -1.0);
        assert_eq!((out[(0, 0)], out[(1, 0)]), (8.0, 26.0));
    }
}
