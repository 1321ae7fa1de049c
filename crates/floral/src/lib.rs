//! FLORAL learns the distribution of the gap between a cheap solution and the true one.
//!
//! The rooms of the library, in the order in which a field walks through them:
//!
//! - [`grid`], [`points`], [`field`]: where values live, and the values;
//! - [`storage`]: files that are whole or absent, locks, checksums;
//! - [`random`]: seeded streams, covariance kernels, Gaussian random fields;
//! - [`problem`]: stochastic problems with an expensive and a cheap solver;
//! - [`dataset`]: their solutions in a Zarr store, generated and read input by input;
//! - [`operator`]: the network, a velocity field conditioned on the input and the cheap solution;
//! - [`flow`]: a prior, the path from it to the data, the velocity to learn;
//! - [`train`]: from a dataset to a run folder with checkpoints;
//! - [`predict`]: from a run and an input to realizations of its solution;
//! - [`sample`]: velocities integrated from prior to solution, statistics of the realizations;
//! - [`metric`]: how far predictions are from the truth;
//! - [`evaluate`]: a run's predictions beside the truth;
//! - [`inspect`]: what a dataset holds, and whether its cheap solver is worth it;
//! - [`cost`]: the arithmetic and the memory that a network takes;
//! - [`verify`]: this build's numbers beside reference numbers.

pub mod cost;
pub mod dataset;
pub mod device;
pub mod error;
pub mod evaluate;
pub mod field;
mod fit;
pub mod flow;
pub mod grid;
pub mod inspect;
pub mod metric;
pub mod observer;
pub mod operator;
pub mod points;
pub mod predict;
pub mod problem;
pub mod random;
pub mod sample;
pub mod storage;
pub mod train;
pub mod verify;

pub use error::{Error, Result};
pub use field::Field;
pub use fit::fit;
/// An allocator for programs that train or sample.
pub use floral_kernels::memory;
pub use grid::{Axis, Grid};
pub use observer::{Event, Observer, Silent};
pub use points::Points;
pub use storage::Checksum;
