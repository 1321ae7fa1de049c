//! What is regressed on: a field per training input, moved by symmetries in its own way.

use super::case::Framed;
use super::symmetry::{Motion, Role};

/// How a target goes with a motion and a scaling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parity {
    /// As the solution does: means and residuals.
    Odd,
    /// As the solution's square does: variances.
    Even,
}

impl Parity {
    /// The moved target. values: [channel, point] -> the same shape.
    pub(super) fn apply(self, motion: &Motion, values: &[f64]) -> Vec<f64> {
        match self {
            Self::Odd => motion.apply(Role::Solution, values),
            Self::Even => motion.apply_even(values),
        }
    }

    /// The target's unit in the problem's own frame.
    pub(super) fn size(self, framed: &Framed) -> f64 {
        match self {
            Self::Odd => framed.size,
            Self::Even => framed.size * framed.size,
        }
    }
}

/// Framed inputs and a framed target field for each.
pub(super) struct Examples<'a> {
    /// The inputs.
    pub framed: &'a [Framed],
    /// One field an input: [channel, point].
    pub targets: Vec<Vec<f64>>,
    /// How the targets move.
    pub parity: Parity,
}
