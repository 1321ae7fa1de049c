//! FLORAL learns the distribution of the gap between a cheap solution and the true one.
//!
//! The rooms of the library, in the order in which a field walks through them:
//!
//! - [`grid`], [`field`]: where values live, and the values;
//! - [`random`]: seeded streams, covariance kernels, Gaussian random fields;
//! - [`problem`]: stochastic problems with an expensive and a cheap solver;
//! - [`sample`]: velocities integrated from prior to solution, statistics of the realizations.

pub mod error;
pub mod field;
pub mod grid;
pub mod metric;
pub mod problem;
pub mod random;
pub mod sample;
pub mod verify;

pub use error::{Error, Result};
pub use field::Field;
pub use grid::{Axis, Grid};
