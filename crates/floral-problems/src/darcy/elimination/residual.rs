//! The backward error of a pressure: how well it satisfies its equations.

use pulp::Simd;

use super::assembly::Sides;
use super::dissection::neighbour;
use super::lanes::zero;
use super::stencil::{DIAGONAL, Stencil};

/// The residual of A p + q l = f divided by the sum of the magnitudes of its terms, both averaged
/// over nodes: the relative change of the equations that would make the solution exact.
#[inline(always)]
pub fn backward_error<S: Simd>(
    simd: S,
    stencil: &Stencil<S>,
    n: usize,
    sides: Sides,
    pressure: &[S::f64s],
    multiplier: S::f64s,
) -> S::f64s {
    let (mut residuals, mut sizes) = (zero(simd), zero(simd));
    for (node, couplings) in stencil.couplings.iter().enumerate() {
        let source = stencil.scaled(simd, sides.source[node], node);
        let border = stencil.scaled(simd, sides.border[node], node);
        let mut residual = source;
        let mut size = simd.abs_f64s(source);
        let mut subtract = |coefficient, unknown| {
            let term = simd.mul_f64s(coefficient, unknown);
            residual = simd.sub_f64s(residual, term);
            size = simd.add_f64s(size, simd.abs_f64s(term));
        };
        subtract(border, multiplier);
        subtract(simd.splat_f64s(DIAGONAL), pressure[node]);
        for (direction, &coupling) in couplings.iter().enumerate() {
            if let Some(other) = neighbour(n, node, direction) {
                subtract(coupling, pressure[other]);
            }
        }
        residuals = simd.add_f64s(residuals, simd.abs_f64s(residual));
        sizes = simd.add_f64s(sizes, size);
    }
    simd.div_f64s(residuals, sizes)
}
