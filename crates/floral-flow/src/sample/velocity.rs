//! A velocity field: the right-hand side of dw/dt = v(w, t), for a block of rows at once.

use std::ops::{Add, Mul};

use crate::{Error, Result};

/// The precision of a state: f32 in use, f64 where convergence is measured.
pub trait Scalar:
    Copy + Default + Send + Sync + Add<Output = Self> + Mul<Output = Self> + Into<f64> + 'static
{
    /// The nearest representable value.
    fn from_f64(value: f64) -> Self;
}

impl Scalar for f32 {
    fn from_f64(value: f64) -> Self {
        value as Self
    }
}

impl Scalar for f64 {
    fn from_f64(value: f64) -> Self {
        value
    }
}

/// A velocity field evaluated for a fixed number of rows at once; each row is a separate state.
///
/// The velocity of a row depends, to the last bit, only on the row's position in the block, its
/// time and its state, not on the other rows.
pub trait Velocity<T: Scalar> {
    /// Rows of a block; never zero.
    fn rows(&self) -> usize;

    /// Values of a row; never zero.
    fn row_len(&self) -> usize;

    /// times: \[row\], states: \[row, value\] -> velocities into `out`, same shape as the states.
    fn evaluate(&self, times: &[T], states: &[T], out: &mut [T]) -> Result<()>;
}

/// Refuses a velocity without rows or values, and states that do not fill exactly one block.
pub(super) fn check_block<T: Scalar>(
    velocity: &(impl Velocity<T> + ?Sized),
    states: &[T],
) -> Result<()> {
    let (rows, values) = (velocity.rows(), velocity.row_len());
    if states.len() == rows * values && !states.is_empty() {
        return Ok(());
    }
    Err(Error::shape(
        "the block of states",
        vec![states.len()],
        vec![rows.max(1), values.max(1)],
    ))
}

#[cfg(test)]
mod tests {
    use super::super::OdeSolver;
    use super::super::testing::pointwise;

    #[test]
    fn states_that_do_not_fill_the_block_are_refused() {
        let decay = pointwise(2, 3, |_, w: f64| -w);
        for states in [vec![], vec![0.0; 5], vec![0.0; 7]] {
            let error = OdeSolver::default().integrate(&decay, &mut states.clone());
            assert!(error.unwrap_err().to_string().contains("[2, 3]"));
        }
        let empty = pointwise(0, 3, |_, w: f64| -w);
        assert!(OdeSolver::default().integrate(&empty, &mut []).is_err());
    }
}
