//! Shared by the tests of several problems.

use super::Problem;
use crate::Field;
use crate::random::{Purpose, stream};

/// Euclidean norm of the difference divided by that of the truth.
pub fn relative_error(found: &[f64], truth: &[f64]) -> f64 {
    let norm = |values: &mut dyn Iterator<Item = f64>| values.map(|v| v * v).sum::<f64>().sqrt();
    let difference = norm(&mut found.iter().zip(truth).map(|(a, b)| a - b));
    difference / norm(&mut truth.iter().copied())
}

/// The order of convergence from the errors before and after halving the step.
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

/// Asserts that the exact mean and variance are within sampling error of those of many
/// realizations.
pub fn assert_moments_agree(problem: &dyn Problem, draws: u64) {
    let input = problem
        .draw_input(&mut stream(3, Purpose::Input, 0, 0))
        .unwrap();
    let exact = problem.exact_moments(&input).unwrap().unwrap();
    let sampled = realizations(problem, &input, draws, 3);
    let (points, draws) = (problem.grid().len(), draws as f64);
    let moments = exact.mean.values().iter().zip(exact.variance.values());
    for (i, (mean, variance)) in moments.enumerate() {
        let column = || sampled.iter().skip(i).step_by(points);
        let m = column().sum::<f64>() / draws;
        let v = column().map(|u| (u - m).powi(2)).sum::<f64>() / (draws - 1.0);
        // Five standard errors: one point in two million exceeds them.
        assert!((m - mean).abs() < 5.0 * (variance / draws).sqrt() + 1e-12);
        assert!((v - variance).abs() < 5.0 * variance * (2.0 / draws).sqrt() + 1e-12);
    }
}
