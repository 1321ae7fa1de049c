//! The average of a field over a symmetry group.

use super::{Motion, Symmetries};
use crate::Lattice;

impl Symmetries {
    /// The mean of a field over all motions, which `apply` applies, and all rolls. field: [channel,
    /// point] -> the same shape.
    pub fn average(
        &self,
        lattice: &Lattice,
        field: &[f64],
        apply: impl Fn(&Motion, &[f64]) -> Vec<f64>,
    ) -> Vec<f64> {
        let count = self.motions.len() as f64;
        let mut mean = vec![0.0; field.len()];
        for motion in &self.motions {
            let moved = apply(motion, field);
            let sums = mean.iter_mut().zip(moved);
            sums.for_each(|(mean, value)| *mean += value / count);
        }
        for &axis in &self.rolled {
            let channels = mean.chunks_exact(lattice.len());
            mean = channels.flat_map(|c| along(lattice, axis, c)).collect();
        }
        mean
    }
}

/// Replaces every value by the mean of its line along `axis`.
fn along(lattice: &Lattice, axis: usize, channel: &[f64]) -> Vec<f64> {
    let (n, stride) = (lattice.axes[axis].len, lattice.stride(axis));
    let start = |p: usize| p - lattice.position(p, axis) * stride;
    let mean = |p: usize| (0..n).map(|i| channel[start(p) + i * stride]).sum::<f64>() / n as f64;
    let firsts: Vec<f64> = (0..channel.len())
        .map(|p| if start(p) == p { mean(p) } else { 0.0 })
        .collect();
    (0..channel.len()).map(|p| firsts[start(p)]).collect()
}
