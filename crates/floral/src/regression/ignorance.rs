//! Ignorance: how far the predicted mean may be off, from what it missed at inputs left out.

use super::kriging::Moments;
use super::spread::unit;
use super::target::Parity;
use super::{Lattice, Symmetries};

/// Errors at inputs left out, as factor fields, and their mean square at every point.
pub(super) struct Ignorance {
    factors: Vec<Vec<f64>>,
    variance: Vec<f64>,
}

/// Share of the errors' squares that is taken for ignorance even if realizations explain them.
const LEAST: f64 = 0.05;

impl Ignorance {
    /// errors: [input][channel, point].
    pub(super) fn new(
        lattice: &Lattice,
        symmetries: &Symmetries,
        errors: &[Vec<f64>],
        moments: &[Moments],
    ) -> Self {
        let inputs = errors.len() as f64;
        let mut variance = vec![0.0; errors[0].len()];
        for (error, moments) in errors.iter().zip(moments) {
            let noise = moments.variance.as_deref();
            for (p, sum) in variance.iter_mut().enumerate() {
                let noise = noise.map_or(0.0, |v| v[p] / moments.count as f64);
                *sum += (error[p] * error[p] - noise) / inputs;
            }
        }
        let mut square = vec![0.0; variance.len()];
        for error in errors {
            square
                .iter_mut()
                .zip(error)
                .for_each(|(s, e)| *s += e * e / inputs);
        }
        let [variance, square] =
            [variance, square].map(|field| averaged(lattice, symmetries, &field));
        // A training set of n inputs knows more than the n - 1 that were asked about the last.
        let more = ((inputs - 1.0) / inputs).max(0.5).powi(2);
        let pairs = variance.iter().zip(&square);
        Self {
            variance: pairs.map(|(v, s)| more * v.max(LEAST * s)).collect(),
            factors: unit(errors.to_vec()),
        }
    }

    /// Factor fields of unit variance.
    pub(super) fn factors(&self) -> &[Vec<f64>] {
        &self.factors
    }

    /// Variance of the mean at every point, framed.
    pub(super) fn variance(&self) -> &[f64] {
        &self.variance
    }
}

/// The average over all motions and rolls of a field of squares.
fn averaged(lattice: &Lattice, symmetries: &Symmetries, field: &[f64]) -> Vec<f64> {
    let mut mean = vec![0.0; field.len()];
    for motion in &symmetries.motions {
        let moved = Parity::Even.apply(motion, field);
        let count = symmetries.motions.len() as f64;
        mean.iter_mut()
            .zip(moved)
            .for_each(|(m, v)| *m += v / count);
    }
    for &axis in &symmetries.rolled {
        mean = mean
            .chunks_exact(lattice.len())
            .flat_map(|c| along(lattice, axis, c))
            .collect();
    }
    mean
}

/// Every value replaced by the mean of its line along `axis`.
fn along(lattice: &Lattice, axis: usize, channel: &[f64]) -> Vec<f64> {
    let (n, stride) = (lattice.axes[axis].len, lattice.stride(axis));
    let start = |p: usize| p - lattice.position(p, axis) * stride;
    let mean = |p: usize| (0..n).map(|i| channel[start(p) + i * stride]).sum::<f64>() / n as f64;
    let firsts: Vec<f64> = (0..channel.len())
        .map(|p| if start(p) == p { mean(p) } else { 0.0 })
        .collect();
    (0..channel.len()).map(|p| firsts[start(p)]).collect()
}
