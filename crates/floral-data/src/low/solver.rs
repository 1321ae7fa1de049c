//! The interface of a low-fidelity solver: a closure, a command or another type.

use crate::observer::Observer;
use crate::{Field, Grid, Result};

/// Computes the low-fidelity solution of one input, from any thread.
///
/// ```
/// use floral_data::low::{LowSolver, OnDemand};
/// use floral_data::{Axis, Field, Grid, Silent};
///
/// let solver = |input: &Field, _grid: &Grid| {
///     let doubled = input.values().iter().map(|v| 2.0 * v).collect();
///     Field::from_values(1, input.grid_shape(), doubled)
/// };
/// let grid = Grid::new(vec![Axis::closed("x", 3)]);
/// let input = Field::scalar(&grid, vec![0.0, 1.0, 2.0]);
/// let low = OnDemand::new(solver, 1).low(&input, &grid, &Silent)?;
/// assert_eq!(low.values(), [0.0, 2.0, 4.0]);
/// # Ok::<(), floral_data::Error>(())
/// ```
pub trait LowSolver: Send + Sync {
    /// Name in messages.
    fn name(&self) -> String;

    /// Identity of the solver, part of the key of cached results.
    fn identity(&self) -> String {
        self.name()
    }

    /// The low-fidelity solution of an input on its grid. A long computation should poll the
    /// observer for a stop request.
    fn solve(&self, input: &Field, grid: &Grid, observer: &dyn Observer) -> Result<Field>;
}

impl<F> LowSolver for F
where
    F: Fn(&Field, &Grid) -> Result<Field> + Send + Sync,
{
    fn name(&self) -> String {
        "the low-fidelity solver".into()
    }

    fn solve(&self, input: &Field, grid: &Grid, _observer: &dyn Observer) -> Result<Field> {
        self(input, grid)
    }
}
