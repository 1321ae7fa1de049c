//! Low fidelity for inputs that lack it: computed by a solver, or replaced by a stand-in.
//!
//! A [`LowSolver`] is a closure or a [`CommandSolver`], which runs a user's program and exchanges
//! NumPy archives with it. [`OnDemand`] calls it in parallel and caches its results in a folder, by
//! the checksums of input and solver. A [`Dataset`](crate::dataset::Dataset) or `predict::Cases`
//! requests missing low fidelity from it. A [`StandIn`] depends only on the input or the training
//! solutions, and is therefore part of a trained run. [`LowConfig`] holds the settings of a run
//! that choose between them.

mod cache;
mod command;
mod config;
mod exchange;
mod filter;
mod named_files;
mod on_demand;
mod solver;
mod stand_in;

pub use command::CommandSolver;
pub use config::{LowConfig, LowKind};
pub use exchange::{read_high, write_high};
pub use on_demand::OnDemand;
pub use solver::LowSolver;
pub use stand_in::StandIn;
