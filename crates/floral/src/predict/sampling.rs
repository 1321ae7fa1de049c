//! Settings for drawing realizations.

use serde::{Deserialize, Serialize};

use crate::Result;
use crate::sample::{Fixed, OdeSolver};
use floral_data::memory::check_room;

/// Default number of realizations per input, as in the paper.
pub const REALIZATIONS: usize = 2500;

/// Number of realizations per input, seed and ODE solver.
///
/// The default number is 2500, as in the paper. Some commands have their own defaults: a report
/// draws 500; sensitivity draws 8 per input, as it averages over many inputs; the mean of a
/// nonlinear quantity is predicted from 64.
///
/// ```
/// use floral::prelude::*;
///
/// let sampling = Sampling { seed: 3, ..Sampling::default() };
/// assert_eq!(sampling.realizations, 2500);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Sampling {
    /// Number of realizations; a deterministic method always has one.
    pub realizations: usize,
    /// Seed of the random draws.
    pub seed: u64,
    /// ODE solver of a flow; other methods ignore it.
    pub solver: OdeSolver,
}

impl Sampling {
    /// Refuses more realizations, of `values` values each, than memory can hold and sort at once.
    pub fn check_memory(&self, values: usize) -> Result<()> {
        let numbers = [self.realizations, values, 2 * size_of::<f32>()];
        check_room(
            &format!("{} realizations of {values} values", self.realizations),
            &numbers,
            "draw fewer, or store only their statistics",
        )
    }
}

impl Default for Sampling {
    /// [`REALIZATIONS`] with a few midpoint steps;
    /// [`Predictor::solver_within`](super::Predictor::solver_within) finds the number of steps that
    /// a run needs. The solver of the paper is [`OdeSolver::default`].
    fn default() -> Self {
        Self {
            realizations: REALIZATIONS,
            seed: 0,
            solver: OdeSolver::Fixed(Fixed::default()),
        }
    }
}
