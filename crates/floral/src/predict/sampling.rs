//! How many realizations are wanted of an input, and how they are made.

use serde::{Deserialize, Serialize};

use crate::Result;
use crate::sample::{Fixed, OdeSolver};
use floral_data::memory::check_room;

/// How many realizations are wanted of an input, and how they are made.
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
    /// Refuses more realizations of so many values than there is memory for, where all are held at once
    /// and sorted.
    pub fn check_memory(&self, values: usize) -> Result<()> {
        let numbers = [self.realizations, values, 2 * size_of::<f32>()];
        check_room(
            &format!("{} realizations of {values} values", self.realizations),
            &numbers,
            "ask for fewer of them, or let `floral sample` store their statistics alone",
        )
    }
}

impl Default for Sampling {
    /// The paper's 2500 realizations by a few midpoint steps;
    /// [`Predictor::solver_within`](super::Predictor::solver_within) finds how many a run needs. The
    /// paper's integrator is [`OdeSolver::default`].
    fn default() -> Self {
        Self {
            realizations: 2500,
            seed: 0,
            solver: OdeSolver::Fixed(Fixed::default()),
        }
    }
}
