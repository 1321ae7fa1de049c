//! What the tests of several problems share.

use super::Problem;
use crate::Field;
use crate::random::{Purpose, stream};

/// Euclidean norm of the difference over that of the truth.
pub fn relative_error(found: &[f64], truth: &[f64]) -> f64 {
    let norm = |values: &mut dyn Iterator<Item = f64>| values.map(|v| v * v).sum::<f64>().sqrt();
    let difference = norm(&mut found.iter().zip(truth).map(|(a, b)| a - b));
    difference / norm(&mut truth.iter().copied())
}

/// The order that an error shows when the step is halved.
pub fn observed_order(coarse: f64, fine: f64) -> f64 {
    (coarse / fine).log2()
}

/// Realizations 0..count of an input, one after the other.
pub fn realizations(problem: &dyn Problem, input: &Field, count: u64, seed: u64) -> Vec<f64> {
    let mut streams: Vec<_> = (0..count)
        .map(|j| stream(seed, Purpose::Realization, 0, j))
        .collect();
    let mut out = vec![0.0; streams.len() * problem.grid().len()];
    problem
        .high_fidelity(input, &mut streams, &mut out)
        .unwrap();
    out
}
