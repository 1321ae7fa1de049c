//! The true correlation of an input, and how far factors are from it.

use floral_linalg::{Mat, MatRef};

/// The true correlation by its residuals.
pub struct Truth<'a> {
    residuals: MatRef<'a, f64>,
    square: f64,
}

impl<'a> Truth<'a> {
    pub fn new(residuals: &'a [f64], points: usize) -> Self {
        let residuals =
            MatRef::from_column_major_slice(residuals, points, residuals.len() / points);
        let gram: Mat<f64> = residuals.transpose() * residuals;
        Self {
            residuals,
            square: gram.squared_norm_l2(),
        }
    }

    /// |C - F| / |C| of factors [factor, point].
    pub fn error(&self, factors: &[f64]) -> f64 {
        let points = self.residuals.nrows();
        let f = MatRef::from_column_major_slice(factors, points, factors.len() / points);
        let own: Mat<f64> = f.transpose() * f;
        let seen: Mat<f64> = self.residuals.transpose() * f;
        let square = self.square + own.squared_norm_l2() - 2.0 * seen.squared_norm_l2();
        (square / self.square).max(0.0).sqrt()
    }
}
