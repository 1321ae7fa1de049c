//! Low fidelity where a dataset holds none: a solver that is called for the inputs that lack it, or
//! a stand-in that needs no solver.
//!
//! A [`LowSolver`] is a closure or a [`CommandSolver`], which runs a program of the user's and talks
//! with it by NumPy archives. [`OnDemand`] calls it in parallel and keeps what it returned in a
//! folder, by the checksums of input and solver; a [`Dataset`](crate::dataset::Dataset) or
//! `predict::Cases` asks it for what they lack. A [`StandIn`] is a function of the
//! input or of the training solutions alone, and so part of what a run has learned. [`LowConfig`] is
//! how the settings of a run ask for one or the other.

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
