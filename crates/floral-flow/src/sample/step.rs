//! One Runge-Kutta step of a block; every row has its own time and step length.

use std::ops::Range;

use rayon::prelude::*;

use super::failure::Failure;
use super::velocity::check_block;
use super::{Scalar, Tableau, Velocity};
use crate::Result;

/// Fewest values per task, so that short rows share a task.
const GRAIN: usize = 4096;

/// The stages of a method on a block.
///
/// A row with step zero idles: its velocity is evaluated but neither checked nor used.
pub(super) struct Stepper<'a, T, V: ?Sized> {
    tableau: &'static Tableau,
    velocity: &'a V,
    row_len: usize,
    /// Stage velocities, [stage][row, value].
    stages: Vec<Vec<T>>,
    /// The state at which the latest stage is evaluated; after a step, the new state: [row, value].
    argument: Vec<T>,
    times: Vec<T>,
}

impl<'a, T: Scalar, V: Velocity<T> + ?Sized> Stepper<'a, T, V> {
    /// For a block of these states: [row, value].
    pub(super) fn new(tableau: &'static Tableau, velocity: &'a V, states: &[T]) -> Result<Self> {
        check_block(velocity, states)?;
        Ok(Self {
            tableau,
            velocity,
            row_len: velocity.row_len(),
            stages: vec![vec![T::default(); states.len()]; tableau.stages()],
            argument: states.to_vec(),
            times: vec![T::default(); velocity.rows()],
        })
    }

    /// Evaluates the first stage: the velocity of `states` at `times`.
    pub(super) fn first_stage(&mut self, times: &[f64], states: &[T]) -> Result<()> {
        self.argument.copy_from_slice(states);
        self.evaluate(0, times, |_| true)
    }

    /// Uses the last stage as the first stage of the next step.
    pub(super) fn reuse_last_stage(&mut self) {
        let last = self.stages.len() - 1;
        self.stages.swap(0, last);
    }

    /// Velocities after Euler steps of these lengths from time 0; requires the first stage.
    pub(super) fn probe(&mut self, steps: &[f64], states: &[T]) -> Result<&[T]> {
        self.combine(&[1.0], steps, states);
        self.evaluate(1, steps, |_| true)?;
        Ok(&self.stages[1])
    }

    /// Evaluates the remaining stages and the new states; requires the first stage.
    pub(super) fn step(&mut self, times: &[f64], steps: &[f64], states: &[T]) -> Result<()> {
        let tableau = self.tableau;
        for stage in 1..tableau.stages() {
            self.combine(tableau.coupling[stage], steps, states);
            let node = tableau.nodes[stage];
            let at: Vec<f64> = times.iter().zip(steps).map(|(t, h)| t + node * h).collect();
            self.evaluate(stage, &at, |row| steps[row] != 0.0)?;
        }
        if !tableau.first_same_as_last() {
            self.combine(tableau.weights, steps, states);
        }
        Ok(())
    }

    /// The new states after a step: [row, value].
    pub(super) fn result(&self) -> &[T] {
        &self.argument
    }

    /// Values of a row.
    pub(super) fn row_len(&self) -> usize {
        self.row_len
    }

    /// The first stage's velocities: [row, value].
    pub(super) fn first(&self) -> &[T] {
        &self.stages[0]
    }

    /// Copies a row's new state to `states` and its last stage to its first.
    pub(super) fn accept(&mut self, row: usize, states: &mut [T]) {
        let span = self.span(row);
        states[span.clone()].copy_from_slice(&self.argument[span.clone()]);
        if let [first, .., last] = self.stages.as_mut_slice() {
            first[span.clone()].copy_from_slice(&last[span]);
        }
    }

    /// Root mean square over each row of the estimated error divided by `scale(old state, new
    /// state)`.
    pub(super) fn error_norms(
        &self,
        steps: &[f64],
        states: &[T],
        scale: impl Fn(f64, f64) -> f64 + Sync,
    ) -> Vec<f64> {
        // Borrowed separately from `self`, so that the velocity need not be shared between threads.
        let (tableau, stages, argument, len) =
            (self.tableau, &self.stages, &self.argument, self.row_len);
        let norm = |error: &mut Vec<T>, (row, step): (usize, &f64)| {
            let span = row * len..(row + 1) * len;
            weighted_sum(tableau.error, *step, stages, &span, error);
            let pairs = states[span.clone()].iter().zip(&argument[span]);
            rms(error
                .iter()
                .zip(pairs)
                .map(|(error, (old, new))| (*error).into() / scale((*old).into(), (*new).into())))
        };
        let rows = steps.par_iter().enumerate().with_min_len(GRAIN / len + 1);
        rows.map_init(|| vec![T::default(); len], norm).collect()
    }

    /// argument = states + step * sum_j coefficients[j] stages[j].
    fn combine(&mut self, coefficients: &[f64], steps: &[f64], states: &[T]) {
        let (stages, len) = (&self.stages, self.row_len);
        let rows = self.argument.par_chunks_exact_mut(len).enumerate();
        rows.with_min_len(GRAIN / len + 1).for_each(|(row, out)| {
            let span = row * len..(row + 1) * len;
            weighted_sum(coefficients, steps[row], stages, &span, out);
            for (out, state) in out.iter_mut().zip(&states[span]) {
                *out = *state + *out;
            }
        });
    }

    /// Evaluates the velocity of the argument at `times`; fails unless it is finite in the rows
    /// that count.
    fn evaluate(
        &mut self,
        stage: usize,
        times: &[f64],
        counts: impl Fn(usize) -> bool,
    ) -> Result<()> {
        for (to, time) in self.times.iter_mut().zip(times) {
            *to = T::from_f64(*time);
        }
        let out = &mut self.stages[stage];
        self.velocity.evaluate(&self.times, &self.argument, out)?;
        let mut rows = out.chunks_exact(self.row_len).enumerate();
        match rows.find(|(row, velocity)| counts(*row) && !all_finite(velocity)) {
            Some((row, _)) => Err(Failure::NotFinite.at(row, times[row])),
            None => Ok(()),
        }
    }

    fn span(&self, row: usize) -> Range<usize> {
        row * self.row_len..(row + 1) * self.row_len
    }
}

/// out = step * sum_j coefficients[j] stages[j], in one row.
fn weighted_sum<T: Scalar>(
    coefficients: &[f64],
    step: f64,
    stages: &[Vec<T>],
    span: &Range<usize>,
    out: &mut [T],
) {
    out.fill(T::default());
    let terms = coefficients.iter().zip(stages).filter(|(c, _)| **c != 0.0);
    for (coefficient, stage) in terms {
        let factor = T::from_f64(step * coefficient);
        for (out, velocity) in out.iter_mut().zip(&stage[span.clone()]) {
            *out = *out + factor * *velocity;
        }
    }
}

fn all_finite<T: Scalar>(values: &[T]) -> bool {
    values.iter().all(|value| (*value).into().is_finite())
}

/// Root mean square.
pub(super) fn rms(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    (values.map(|v| v * v).sum::<f64>() / count).sqrt()
}
