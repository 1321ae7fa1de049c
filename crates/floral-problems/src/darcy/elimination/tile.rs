//! Tiles of a dense front: blocks of L, U and the Schur complement that fit into registers.

use pulp::Simd;

use super::lanes::zero;

/// Walks a range in tiles of a fixed size, the last of which may be smaller. The body gets the
/// start of its tile and, as a constant, its size.
macro_rules! in_tiles {
    ($range:expr, [$($rest:literal),*] $tile:literal, |$start:ident, $SIZE:ident| $body:expr) => {{
        let range = $range;
        for $start in range.clone().step_by($tile) {
            match range.end - $start {
                $($rest => {
                    const $SIZE: usize = $rest;
                    $body
                })*
                _ => {
                    const $SIZE: usize = $tile;
                    $body
                }
            }
        }
    }};
}
pub(super) use in_tiles;

/// R unfinished rows, and the finished rows of the pivots above them.
pub(super) struct Rows<'a, S: Simd, const R: usize> {
    /// The rows of U, with its diagonal inverted.
    pub above: &'a [S::f64s],
    pub rows: &'a mut [S::f64s],
    pub stride: usize,
    /// Number of finished pivots.
    pub pivots: usize,
}

type Tile<S, const R: usize, const C: usize> = [[<S as Simd>::f64s; C]; R];

// Indices are clearer here than iterators.
#[allow(clippy::needless_range_loop)]
impl<S: Simd, const R: usize> Rows<'_, S, R> {
    /// Completes a tile of L: the tile updated by the previous pivots, times the inverse of U's
    /// diagonal block.
    #[inline(always)]
    pub fn lower_tile<const C: usize>(&mut self, simd: S, column: usize) {
        let mut tile = self.updated::<C>(simd, column, column);
        for c in 0..C {
            let inverse = self.above[(column + c) * self.stride + column + c];
            for row in &mut tile {
                for d in 0..c {
                    let upper = self.above[(column + d) * self.stride + column + c];
                    row[c] = simd.negate_mul_add_e_f64s(row[d], upper, row[c]);
                }
                row[c] = simd.mul_f64s(row[c], inverse);
            }
        }
        self.store(&tile, column);
    }

    /// Factors the diagonal block in place, with its diagonal inverted.
    #[inline(always)]
    pub fn diagonal_tile(&mut self, simd: S) {
        let mut tile = self.updated::<R>(simd, self.pivots, self.pivots);
        for d in 0..R {
            tile[d][d] = simd.div_f64s(simd.splat_f64s(1.0), tile[d][d]);
            for r in d + 1..R {
                tile[r][d] = simd.mul_f64s(tile[r][d], tile[d][d]);
                for c in d + 1..R {
                    tile[r][c] = simd.negate_mul_add_e_f64s(tile[r][d], tile[d][c], tile[r][c]);
                }
            }
        }
        self.store(&tile, self.pivots);
    }

    /// Completes a tile of U: the tile updated by the previous pivots, reduced by the diagonal
    /// block of L.
    #[inline(always)]
    pub fn upper_tile<const C: usize>(&mut self, simd: S, column: usize) {
        let mut tile = self.updated::<C>(simd, column, self.pivots);
        for r in 1..R {
            for d in 0..r {
                let lower = self.rows[r * self.stride + self.pivots + d];
                for c in 0..C {
                    tile[r][c] = simd.negate_mul_add_e_f64s(lower, tile[d][c], tile[r][c]);
                }
            }
        }
        self.store(&tile, column);
    }

    /// Completes a tile of the Schur complement.
    #[inline(always)]
    pub fn schur_tile<const C: usize>(&mut self, simd: S, column: usize) {
        let tile = self.updated::<C>(simd, column, self.pivots);
        self.store(&tile, column);
    }

    /// The tile minus the product of its rows of L and its columns of U over the first `depth`
    /// pivots.
    #[inline(always)]
    fn updated<const C: usize>(&self, simd: S, column: usize, depth: usize) -> Tile<S, R, C> {
        let mut tile = [[zero(simd); C]; R];
        let mut lower: [&[S::f64s]; R] = [&[]; R];
        for r in 0..R {
            let row = &self.rows[r * self.stride..][..self.stride];
            tile[r].copy_from_slice(&row[column..column + C]);
            lower[r] = &row[..depth];
        }
        for k in 0..depth {
            let upper = &self.above[k * self.stride + column..][..C];
            for r in 0..R {
                for c in 0..C {
                    tile[r][c] = simd.negate_mul_add_e_f64s(lower[r][k], upper[c], tile[r][c]);
                }
            }
        }
        tile
    }

    #[inline(always)]
    fn store<const C: usize>(&mut self, tile: &Tile<S, R, C>, column: usize) {
        for (r, values) in tile.iter().enumerate() {
            self.rows[r * self.stride + column..][..C].copy_from_slice(values);
        }
    }
}
