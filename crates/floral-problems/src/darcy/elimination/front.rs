//! Partial elimination of a dense front, one realization per SIMD lane.
//!
//! The pivots' rows and columns are factored into L U without row exchanges, which turns the
//! remaining rows into their Schur complement. The work is done in tiles small enough for the
//! registers; each tile is completed in one visit, using all rows above it.

use pulp::Simd;

use super::aligned::Aligned;
use super::tile::{Rows, in_tiles};

/// A dense front in row-major order.
pub(super) struct DenseFront<S: Simd> {
    values: Aligned<S>,
    width: usize,
    stride: usize,
    pivots: usize,
}

impl<S: Simd> DenseFront<S> {
    /// A front without any rows.
    pub fn empty() -> Self {
        Self {
            values: Aligned::empty(),
            width: 0,
            stride: 1,
            pivots: 0,
        }
    }

    /// Sets the size of a front whose first `pivots` unknowns are to be eliminated.
    #[inline(always)]
    pub fn reset(&mut self, height: usize, width: usize, pivots: usize) {
        self.pivots = pivots;
        self.width = width;
        // Odd, so that the rows of a column do not all fall on the same cache sets.
        self.stride = width | 1;
        self.values.resize(height * self.stride);
    }

    /// One row, ending with the right-hand sides.
    #[inline(always)]
    pub fn row(&self, row: usize) -> &[S::f64s] {
        &self.values.values()[row * self.stride..][..self.width]
    }

    /// One row, ending with the right-hand sides.
    #[inline(always)]
    pub fn row_mut(&mut self, row: usize) -> &mut [S::f64s] {
        &mut self.values.values_mut()[row * self.stride..][..self.width]
    }

    /// One row of the Schur complement, ending with the right-hand sides.
    #[inline(always)]
    pub fn complement(&self, row: usize) -> &[S::f64s] {
        &self.row(self.pivots + row)[self.pivots..]
    }

    /// Eliminates the pivots. Afterwards their rows hold U, with its diagonal inverted, and the
    /// other rows hold their Schur complement from column `pivots` on.
    #[inline(always)]
    pub fn eliminate(&mut self, simd: S) {
        let (pivots, width) = (self.pivots, self.width);
        in_tiles!(0..pivots, [1, 2] 3, |row, R| self.pivot_rows::<R>(simd, row));
        let height = self.values.values().len() / self.stride;
        let block = rows_per_block::<S>(pivots);
        for first in (pivots..height).step_by(block) {
            let block = first..height.min(first + block);
            in_tiles!(block.clone(), [1, 2, 3] 4, |row, R| self.lower_rows::<R>(simd, row));
            in_tiles!(pivots..width, [1, 2] 3, |column, C| {
                in_tiles!(block.clone(), [1, 2, 3] 4, |row, R| {
                    self.rows::<R>(row, pivots).schur_tile::<C>(simd, column);
                });
            });
        }
    }

    /// Completes R rows of L and U.
    #[inline(always)]
    fn pivot_rows<const R: usize>(&mut self, simd: S, first: usize) {
        let width = self.width;
        let mut rows = self.rows::<R>(first, first);
        in_tiles!(0..first, [1, 2] 3, |column, C| rows.lower_tile::<C>(simd, column));
        rows.diagonal_tile(simd);
        in_tiles!(first + R..width, [1, 2] 3, |column, C| rows.upper_tile::<C>(simd, column));
    }

    /// Completes R rows of L below the pivots.
    #[inline(always)]
    fn lower_rows<const R: usize>(&mut self, simd: S, first: usize) {
        let pivots = self.pivots;
        let mut rows = self.rows::<R>(first, pivots);
        in_tiles!(0..pivots, [1, 2] 3, |column, C| rows.lower_tile::<C>(simd, column));
    }

    #[inline(always)]
    fn rows<const R: usize>(&mut self, first: usize, pivots: usize) -> Rows<'_, S, R> {
        let (above, below) = self.values.values_mut().split_at_mut(first * self.stride);
        Rows {
            above: &above[..pivots * self.stride],
            rows: &mut below[..R * self.stride],
            stride: self.stride,
            pivots,
        }
    }
}

/// Number of rows whose part of L fills half of a first-level cache of 32 KiB.
fn rows_per_block<S: Simd>(pivots: usize) -> usize {
    let row = pivots.max(1) * size_of::<S::f64s>();
    (16384 / row).next_multiple_of(4).max(4)
}
