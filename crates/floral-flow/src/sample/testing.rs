//! Velocities with known solutions.

use std::f64::consts::PI;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Cost, Scalar, Velocity};
use crate::Result;

/// A pointwise velocity `f(row, time, value)` that counts its evaluations.
pub(super) struct Pointwise<T, F> {
    rows: usize,
    row_len: usize,
    f: F,
    calls: AtomicUsize,
    scalar: PhantomData<fn(T)>,
}

impl<T: Scalar, F: Fn(usize, T, T) -> T> Pointwise<T, F> {
    pub(super) fn by_row(rows: usize, row_len: usize, f: F) -> Self {
        Self {
            rows,
            row_len,
            f,
            calls: AtomicUsize::new(0),
            scalar: PhantomData,
        }
    }

    /// Number of evaluations of the block.
    pub(super) fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }
}

/// The same velocity in every row.
pub(super) fn pointwise<T: Scalar, F: Fn(T, T) -> T>(
    rows: usize,
    row_len: usize,
    f: F,
) -> Pointwise<T, impl Fn(usize, T, T) -> T> {
    Pointwise::by_row(rows, row_len, move |_, time, value| f(time, value))
}

impl<T: Scalar, F: Fn(usize, T, T) -> T> Velocity<T> for Pointwise<T, F> {
    fn rows(&self) -> usize {
        self.rows
    }

    fn row_len(&self) -> usize {
        self.row_len
    }

    fn evaluate(&self, times: &[T], states: &[T], out: &mut [T]) -> Result<()> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        for (i, (out, state)) in out.iter_mut().zip(states).enumerate() {
            let row = i / self.row_len;
            *out = (self.f)(row, times[row], *state);
        }
        Ok(())
    }
}

/// A velocity of two values with a known solution at time 1.
pub(super) struct AnalyticField {
    pub(super) name: &'static str,
    velocity: fn(f64, [f64; 2]) -> [f64; 2],
    start: [f64; 2],
    end: [f64; 2],
}

impl Velocity<f64> for AnalyticField {
    fn rows(&self) -> usize {
        1
    }

    fn row_len(&self) -> usize {
        2
    }

    fn evaluate(&self, times: &[f64], states: &[f64], out: &mut [f64]) -> Result<()> {
        out.copy_from_slice(&(self.velocity)(times[0], [states[0], states[1]]));
        Ok(())
    }
}

impl AnalyticField {
    /// The larger error of the two values at time 1.
    pub(super) fn error(&self, integrate: impl Fn(&Self, &mut [f64]) -> Result<Cost>) -> f64 {
        let mut states = self.start;
        integrate(self, &mut states).unwrap();
        let differences = states.iter().zip(self.end).map(|(w, end)| (w - end).abs());
        differences.fold(0.0, f64::max)
    }
}

/// Linear decay, logistic growth, rotation by half a turn, and a rate that depends on time.
pub(super) fn analytic_fields() -> [AnalyticField; 4] {
    let logistic = |start: f64| 1.0 / (1.0 + (1.0 / start - 1.0) * (-3f64).exp());
    [
        AnalyticField {
            name: "decay",
            velocity: |_, [a, b]| [-2.0 * a, -0.5 * b],
            start: [1.0, -2.0],
            end: [(-2f64).exp(), -2.0 * (-0.5f64).exp()],
        },
        AnalyticField {
            name: "logistic",
            velocity: |_, [a, b]| [3.0 * a * (1.0 - a), 3.0 * b * (1.0 - b)],
            start: [0.05, 0.3],
            end: [logistic(0.05), logistic(0.3)],
        },
        AnalyticField {
            name: "rotation",
            velocity: |_, [a, b]| [-PI * b, PI * a],
            start: [1.0, 0.5],
            end: [-1.0, -0.5],
        },
        AnalyticField {
            name: "time-dependent",
            velocity: |t, [a, b]| [2.0 * t * a, (3.0 * t).cos() * b],
            start: [1.0, 2.0],
            end: [1f64.exp(), 2.0 * (3f64.sin() / 3.0).exp()],
        },
    ]
}
