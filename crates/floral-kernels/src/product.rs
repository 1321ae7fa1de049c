//! Products of small matrices stored row by row.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

/// Values as a row-major matrix with `columns` columns.
pub fn rows(values: &[f32], columns: usize) -> MatRef<'_, f32> {
    MatRef::from_row_major_slice(values, values.len() / columns.max(1), columns)
}

/// y = a b.
pub fn multiply(y: &mut [f32], a: MatRef<'_, f32>, b: MatRef<'_, f32>) {
    scaled_product(y, Accum::Replace, a, b, 1.0);
}

/// y += a b.
pub fn multiply_add(y: &mut [f32], a: MatRef<'_, f32>, b: MatRef<'_, f32>) {
    scaled_product(y, Accum::Add, a, b, 1.0);
}

/// y -= a b.
pub fn multiply_subtract(y: &mut [f32], a: MatRef<'_, f32>, b: MatRef<'_, f32>) {
    scaled_product(y, Accum::Add, a, b, -1.0);
}

fn scaled_product(
    y: &mut [f32],
    accumulate: Accum,
    a: MatRef<'_, f32>,
    b: MatRef<'_, f32>,
    factor: f32,
) {
    let y = MatMut::from_row_major_slice_mut(y, a.nrows(), b.ncols());
    // Sequential: threads share the work one level above, in parts that do not depend on their
    // number.
    matmul(y, accumulate, a, b, factor, Par::Seq);
}
