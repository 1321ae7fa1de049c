//! Interleaved fields: one realization per SIMD lane, node by node.

use pulp::{Simd, bytemuck};

/// Zero in every lane.
#[inline(always)]
pub fn zero<S: Simd>(simd: S) -> S::f64s {
    simd.splat_f64s(0.0)
}

/// Spreads fields of equal length over the lanes; unused lanes repeat the last field.
#[inline(always)]
pub fn interleave<S: Simd>(simd: S, fields: &[f64], lanes: &mut Vec<S::f64s>, nodes: usize) {
    lanes.clear();
    lanes.resize(nodes, zero(simd));
    let count = fields.len() / nodes;
    let values: &mut [f64] = bytemuck::cast_slice_mut(lanes);
    for lane in 0..S::F64_LANES {
        let field = &fields[lane.min(count - 1) * nodes..][..nodes];
        for (spot, value) in values.chunks_exact_mut(S::F64_LANES).zip(field) {
            spot[lane] = *value;
        }
    }
}

/// The field of one lane.
#[inline(always)]
pub fn extract<S: Simd>(lanes: &[S::f64s], lane: usize, field: &mut [f64]) {
    let values: &[f64] = bytemuck::cast_slice(lanes);
    for (value, spot) in field.iter_mut().zip(values.chunks_exact(S::F64_LANES)) {
        *value = spot[lane];
    }
}

/// The number in one lane.
#[inline(always)]
pub fn lane<S: Simd>(value: S::f64s, lane: usize) -> f64 {
    bytemuck::cast_slice::<S::f64s, f64>(&[value])[lane]
}
