//! Stochastic problems: inputs, random high-fidelity solutions and a deterministic low-fidelity one.

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

/// A random map from an input field to a solution field, and a deterministic low-fidelity stand-in.
pub trait Problem: Send + Sync {
    /// The name by which users ask for it.
    fn name(&self) -> &'static str;

    /// The grid on which input and solution are stored.
    fn grid(&self) -> &Grid;

    /// Every constant, as it would be written in a configuration file.
    fn constants(&self) -> toml::Table;

    /// What a user of these constants should know, a sentence each; none for sensible ones.
    fn caveats(&self) -> Vec<String> {
        Vec::new()
    }

    /// The motions that take solutions to solutions, in the words of
    /// [`Symmetry`](floral_symmetry::Symmetry).
    ///
    /// They are symmetries of the map: if the solution for a has the law of u, that for the moved a
    /// has the law of the moved u, and so has the low-fidelity one. The law of inputs need not have
    /// them.
    fn symmetries(&self) -> &'static [&'static str] {
        &[]
    }

    /// What the channels of input and solution are, so far as they have names.
    fn quantities(&self) -> Quantities {
        Quantities::default()
    }

    /// Draws an input from its distribution.
    fn draw_input(&self, rng: &mut Stream) -> Result<Field>;

    /// The deterministic low-fidelity solution, on the same grid.
    fn low_fidelity(&self, input: &Field) -> Result<Field>;

    /// One realization of the solution for each stream, written to `out`:
    /// [realization, channel, grid...]. Returns how many draws had to be repeated.
    ///
    /// A realization depends on its input and its stream alone, whichever others are asked for
    /// beside it: solving them together may only be a matter of speed.
    fn high_fidelity(
        &self,
        input: &Field,
        streams: &mut [Stream],
        out: &mut [f64],
    ) -> Result<usize>;

    /// Mean and variance of the solution, where they are known exactly.
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

/// Refuses an input of another shape than one channel on `grid`.
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

/// The quantities of a problem with one channel each, by name and name in full.
fn scalars(input: (&str, &str), solution: (&str, &str)) -> Quantities {
    let scalar =
        |(name, long_name): (&str, &str)| vec![Quantity::named(name).with_long_name(long_name)];
    Quantities {
        input: scalar(input),
        solution: scalar(solution),
    }
}

/// A configuration as it would be written in a file.
fn to_table(config: &impl serde::Serialize) -> toml::Table {
    toml::Table::try_from(config).expect("a configuration is a struct of numbers and strings")
}
