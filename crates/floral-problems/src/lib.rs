//! Stochastic problems: inputs, random high-fidelity solutions and a deterministic low-fidelity
//! solution.

pub mod advection;
pub mod burgers;
pub mod catalogue;
pub mod darcy;
#[cfg(test)]
mod declared_tests;
mod generate;
mod origin;
mod plan;
pub mod plume;
pub mod residual1d;
mod resolution;
pub mod sine_waves;
mod solver;
pub mod space_time;
#[cfg(test)]
mod testing;
mod writer;

pub use generate::{Outcome, generate, generate_across};
pub use origin::Origin;
pub use plan::Request;
pub use resolution::Resolution;
pub use solver::ProblemSolver;

pub use floral_data::dataset::ExactMoments;
use floral_data::{
    Axis, Error, Field, Grid, Observer, Quantities, Quantity, Result, dataset, grid, memory,
    observer, ranks,
};
use floral_random as random;

use crate::random::Stream;

/// A random map from an input field to a solution field, and its deterministic low-fidelity
/// approximation.
pub trait Problem: Send + Sync {
    /// The name by which users ask for it.
    fn name(&self) -> &'static str;

    /// The grid on which input and solution are stored.
    fn grid(&self) -> &Grid;

    /// Every constant, as in a configuration file.
    fn constants(&self) -> toml::Table;

    /// Warnings about these constants, one sentence each; none for sensible constants.
    fn caveats(&self) -> Vec<String> {
        Vec::new()
    }

    /// The motions that take solutions to solutions, in the notation of
    /// [`Symmetry`](floral_symmetry::Symmetry).
    ///
    /// They are symmetries of the map: if the solution for a is distributed as u, then the solution
    /// for the moved a is distributed as the moved u, and the low-fidelity solution moves in the
    /// same way. The distribution of inputs need not be symmetric.
    fn symmetries(&self) -> &'static [&'static str] {
        &[]
    }

    /// Names of the channels of input and solution, if they have any.
    fn quantities(&self) -> Quantities {
        Quantities::default()
    }

    /// Draws an input from its distribution.
    fn draw_input(&self, rng: &mut Stream) -> Result<Field>;

    /// The deterministic low-fidelity solution, on the same grid.
    fn low_fidelity(&self, input: &Field) -> Result<Field>;

    /// One realization of the solution for each stream, written to `out`: [realization, channel,
    /// grid...]. Returns the number of draws that had to be repeated.
    ///
    /// A realization depends on its input and its stream alone, not on the others computed with it:
    /// computing them together may only affect speed.
    fn high_fidelity(
        &self,
        input: &Field,
        streams: &mut [Stream],
        out: &mut [f64],
    ) -> Result<usize>;

    /// Mean and variance of the solution, if they are known exactly.
    fn exact_moments(&self, input: &Field) -> Result<Option<ExactMoments>>;
}

/// Refuses a constant that is not a positive number.
fn positive(problem: &'static str, name: &str, value: f64) -> Result<()> {
    if value.is_finite() && value > 0.0 {
        return Ok(());
    }
    Err(Error::unsolvable(
        problem,
        format!("{name} is {value}, but must be a positive number"),
    ))
}

/// Refuses an input that is not one channel on `grid`.
fn expect_shape(input: &Field, grid: &Grid) -> Result<()> {
    if input.channels() == 1 && input.grid_shape() == grid.shape() {
        return Ok(());
    }
    Err(Error::shape(
        "the input field",
        [&[input.channels()], input.grid_shape()].concat(),
        [vec![1], grid.shape()].concat(),
    ))
}

/// Refuses an output that has no place for exactly one field per stream.
fn expect_room(out: &[f64], streams: usize, grid: &Grid) -> Result<()> {
    if out.len() == streams * grid.len() {
        return Ok(());
    }
    Err(Error::shape(
        "the output for realizations",
        vec![out.len()],
        [vec![streams, 1], grid.shape()].concat(),
    ))
}

/// The quantities of a problem with one channel each: (name, long name) of input and solution.
fn scalars(input: (&str, &str), solution: (&str, &str)) -> Quantities {
    let scalar =
        |(name, long_name): (&str, &str)| vec![Quantity::named(name).with_long_name(long_name)];
    Quantities {
        input: scalar(input),
        solution: scalar(solution),
    }
}

/// A configuration as it is written in a file.
fn to_table(config: &impl serde::Serialize) -> toml::Table {
    toml::Table::try_from(config).expect("a configuration is a struct of numbers and strings")
}
