//! Symmetries of a problem, declared as short strings and applied to arrays.
//!
//! A symmetry moves input and solution together: if u is the solution of the input a, the moved u
//! is the solution of the moved a. `declaration` reads and writes symmetries as strings, `motion`
//! moves arrays, `group` builds the group that a list of symmetries generates on a `lattice`, and
//! `average` averages a field over it. `points` holds scattered points, for domains that are no
//! grid.

mod average;
mod declaration;
mod error;
mod group;
mod lattice;
mod motion;
mod points;
mod signs;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

pub use declaration::Symmetry;
pub use error::{Error, Result};
pub use group::Symmetries;
pub use group::roll;
pub use lattice::{Lattice, LatticeAxis};
pub use motion::Motion;
pub use points::Points;
pub use signs::Signs;

/// Which field a symmetry acts on; low fidelity and solution are the same quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The input a.
    Input,
    /// The solution, and low fidelity.
    Solution,
}
