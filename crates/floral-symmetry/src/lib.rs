//! Symmetries of a problem, declared as data and acted out on arrays.
//!
//! A symmetry moves input and solution together: if u solves for a, the moved u solves for the
//! moved a. `declaration` reads and writes them as short strings, `motion` moves arrays,
//! `group` gathers what a list of them generates on a lattice, `average` takes means over all of it.

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
    /// The solution, and its low-fidelity copy.
    Solution,
}
