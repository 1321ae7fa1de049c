//! FLORAL learns the distribution of the gap between a cheap solution and the true one.
//!
//! The rooms of the library, in the order in which a field walks through them:
//!
//! - [`grid`], [`points`], [`field`]: where values live, and the values;
//! - [`random`]: seeded streams, covariance kernels, Gaussian random fields;
//! - [`problem`]: stochastic problems with an expensive and a cheap solver;
//! - [`dataset`]: their solutions in a Zarr store, generated and read input by input;
//! - [`operator`]: the network, a velocity field conditioned on the input and the cheap solution;
//! - [`flow`]: a prior, the path from it to the data, the velocity to learn;
//! - [`regression`]: symmetries, and kernel regression from few inputs;
//! - [`train`]: from a dataset to a run folder with checkpoints;
//! - [`predict`]: from a run and an input to realizations of its solution;
//! - [`sample`]: velocities integrated from prior to solution, statistics of the realizations;
//! - [`metric`]: how far predictions are from the truth;
//! - [`evaluate`]: a run's predictions beside the truth;
//! - [`compare`]: several runs beside the truth, and their report;
//! - [`report`]: tables, figures and pages from plain numbers;
//! - [`inspect`]: what a dataset holds, and whether its cheap solver is worth it;
//! - [`quickstart`]: all of it once, at a small size;
//! - [`reproduce`]: the paper's tables, our values beside the paper's;
//! - [`workers`]: tasks side by side, each with threads of its own;
//! - [`cost`]: the arithmetic and the memory that a network takes;
//! - [`mod@bench`]: how fast it runs on this machine;
//! - [`verify`]: this build's numbers beside reference numbers.

pub mod bench;
mod checksum;
pub mod compare;
pub mod cost;
pub mod dataset;
pub mod device;
pub mod error;
pub mod evaluate;
pub mod field;
pub mod flow;
pub mod grid;
pub mod inspect;
pub mod metric;
pub mod operator;
pub mod points;
pub mod predict;
pub mod problem;
pub mod quickstart;
pub mod random;
pub mod regression;
pub mod report;
pub mod reproduce;
pub mod sample;
pub mod train;
pub mod verify;
pub mod workers;

pub use checksum::Checksum;
pub use error::{Error, Result};
pub use field::Field;
/// An allocator for programs that train or sample.
pub use floral_kernels::memory;
pub use grid::{Axis, Grid};
pub use points::Points;
