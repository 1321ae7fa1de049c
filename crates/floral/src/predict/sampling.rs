//! How many realizations are drawn per input, and how they are integrated.

use serde::{Deserialize, Serialize};

use crate::Result;
use crate::sample::{Fixed, OdeSolver};
use floral_data::memory::check_room;

/// Realizations per input where no number is given: the paper's.
pub const REALIZATIONS: usize = 2500;

/// How many realizations are drawn per input, and how they are integrated.
///
/// The number is 2500 by default, as in the paper. Commands that draw for other ends have defaults of their
/// own: a report shows 500; sensitivity needs 8 per input, as it averages over many inputs; the mean of a
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
    /// How many; a deterministic method has one, whatever is asked.
    pub realizations: usize,
    /// The seed of the priors.
    pub seed: u64,
    /// The integrator.
    pub solver: OdeSolver,
}

impl Sampling {
    /// Refuses more realizations, of this number of values each, than memory can hold and sort at once.
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
    /// [`REALIZATIONS`] by a few midpoint steps;
    /// [`Predictor::solver_within`](super::Predictor::solver_within) finds how many a run needs. The
    /// paper's integrator is [`OdeSolver::default`].
    fn default() -> Self {
        Self {
            realizations: REALIZATIONS,
            seed: 0,
            solver: OdeSolver::Fixed(Fixed::default()),
        }
    }
}
