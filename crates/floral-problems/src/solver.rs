//! The low-fidelity solver of a built-in problem, as a `LowSolver`.

use crate::{Field, Grid, Observer, Problem, Result};
use floral_data::low::LowSolver;

/// The solver of a built-in problem.
pub struct ProblemSolver(
    /// The problem.
    pub Box<dyn Problem>,
);

impl LowSolver for ProblemSolver {
    fn name(&self) -> String {
        format!("the solver of {}", self.0.name())
    }

    fn solve(&self, input: &Field, _grid: &Grid, _observer: &dyn Observer) -> Result<Field> {
        self.0.low_fidelity(input)
    }
}
