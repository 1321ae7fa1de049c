//! Sampling: carry draws of the prior along a velocity field and gather their statistics.
//!
//! Nothing here knows where the velocity comes from: a [`Velocity`] is integrated from time 0 to 1
//! by an [`OdeSolver`], many realizations at a time by a [`BlockIntegration`], which passes each
//! finished one to a consumer such as [`EnsembleStatistics`].

pub mod adaptive;
mod aliasing;
pub mod block_integration;
pub mod cost;
pub mod fixed;
pub mod solver;
pub mod statistics;
pub mod tableau;
pub mod velocity;

mod control;
mod failure;
mod first_step;
mod step;
#[cfg(test)]
mod testing;

pub use adaptive::Adaptive;
pub use aliasing::Aliasing;
pub use block_integration::{BlockIntegration, Progress, from_prior};
pub use cost::{Cost, RowCost};
pub use fixed::Fixed;
pub use solver::OdeSolver;
pub use statistics::{EnsembleStatistics, Wanted};
pub use tableau::Tableau;
pub use velocity::{Scalar, Velocity};
