//! Assembly of a front: the Schur complements of its halves, and the equations that start in it.

use pulp::Simd;

use super::dissection::Front;
use super::front::DenseFront;
use super::lanes::zero;
use super::stencil::{DIAGONAL, Stencil};

/// The two right-hand sides, the same in all lanes.
#[derive(Clone, Copy)]
pub struct Sides<'a> {
    /// The source f.
    pub source: &'a [f64],
    /// The border q: the weights of the mean pressure.
    pub border: &'a [f64],
}

/// Adds the matrix entries and right-hand sides that start in a front.
#[inline(always)]
pub fn assemble<S: Simd>(
    simd: S,
    dense: &mut DenseFront<S>,
    front: &Front,
    stencil: &Stencil<S>,
    sides: Sides,
) {
    for (row, &node) in front.nodes[..front.own].iter().enumerate() {
        let values = dense.row_mut(row);
        let [source, border] = [sides.source, sides.border].map(|side| side[node]);
        let begun = [
            (row, simd.splat_f64s(DIAGONAL)),
            (front.height(), stencil.scaled(simd, source, node)),
            (front.height() + 1, stencil.scaled(simd, border, node)),
        ];
        for (column, value) in begun {
            values[column] = simd.add_f64s(values[column], value);
        }
    }
    for entry in &front.entries {
        let coupling = stencil.couplings[entry.node][entry.direction];
        let value = &mut dense.row_mut(entry.row)[entry.column];
        *value = simd.add_f64s(*value, coupling);
    }
}

/// Fills a front with the Schur complements of its halves, row by row.
#[inline(always)]
pub fn join<S: Simd>(
    simd: S,
    dense: &mut DenseFront<S>,
    front: &Front,
    halves: &[[DenseFront<S>; 2]],
) {
    for row in 0..front.height() {
        let target = dense.row_mut(row);
        target.fill(zero(simd));
        for (half, left) in front.halves.iter().zip(halves.iter().flatten()) {
            let Some(row) = half.rows[row] else {
                continue;
            };
            let left = left.complement(row);
            for run in &half.runs {
                let target = &mut target[run.place..][..run.columns.len()];
                for (sum, &value) in target.iter_mut().zip(&left[run.columns.clone()]) {
                    *sum = simd.add_f64s(*sum, value);
                }
            }
        }
    }
}
