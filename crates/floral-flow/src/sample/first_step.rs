//! The length of the first step, from the size of the state and of its first two derivatives.
//!
//! Hairer, Norsett & Wanner (1993), section II.4, "Starting step size".

use super::step::{Stepper, rms};
use super::{Scalar, Velocity};
use crate::Result;

/// Evaluations of the velocity in addition to the first stage.
pub(super) const EVALUATIONS: usize = 1;

/// First estimates for a row, from its state and velocity at time 0.
struct Start {
    /// d1: size of the velocity.
    slope: f64,
    /// h0: a step of Euler's method that changes the state by about 1 %.
    guess: f64,
}

/// The first step of every row, for a method of this order whose first stage is known.
///
/// `scale` gives the tolerated error of a value.
pub(super) fn first_steps<T: Scalar, V: Velocity<T> + ?Sized>(
    stepper: &mut Stepper<'_, T, V>,
    states: &[T],
    order: usize,
    scale: impl Fn(f64) -> f64,
) -> Result<Vec<f64>> {
    let len = stepper.row_len();
    let rows = states.chunks_exact(len);
    let norm = |values: &mut dyn ExactSizeIterator<Item = f64>, state: &[T]| {
        rms(values.zip(state).map(|(v, w)| v / scale((*w).into())))
    };
    let slopes = stepper.first().to_vec();
    let starts = rows.clone().zip(slopes.chunks_exact(len));
    let starts = starts.map(|(state, slope)| {
        let size = norm(&mut state.iter().map(|w| (*w).into()), state);
        Start::new(size, norm(&mut slope.iter().map(|v| (*v).into()), state))
    });
    let starts: Vec<Start> = starts.collect();
    let guesses: Vec<f64> = starts.iter().map(|start| start.guess).collect();
    let later = stepper.probe(&guesses, states)?.chunks_exact(len);
    let changes = later.zip(slopes.chunks_exact(len)).zip(rows);
    let changes = changes.map(|((later, slope), state)| {
        let pairs = later.iter().zip(slope);
        norm(&mut pairs.map(|(b, a)| (*b).into() - (*a).into()), state)
    });
    let steps = starts.iter().zip(changes);
    Ok(steps
        .map(|(start, change)| start.step(change, order))
        .collect())
}

impl Start {
    fn new(size: f64, slope: f64) -> Self {
        let guess = if size < 1e-5 || slope < 1e-5 {
            1e-6
        } else {
            // At most to time 1.
            (0.01 * size / slope).min(1.0)
        };
        Self { slope, guess }
    }

    /// h = min(100 h0, h1), where h1^(order) * max(d1, d2) = 0.01.
    fn step(&self, change: f64, order: usize) -> f64 {
        let largest = self.slope.max(change / self.guess);
        let step = if largest <= 1e-15 {
            (self.guess * 1e-3).max(1e-6)
        } else {
            (0.01 / largest).powf(1.0 / order as f64)
        };
        step.min(100.0 * self.guess)
    }
}
