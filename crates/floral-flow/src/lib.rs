//! Flow matching in function space, without the network: how a velocity is learned and integrated.
//!
//! - [`flow`]: a prior, the path from it to the data, the velocity to learn;
//! - [`sample`]: velocities integrated from prior to solution, statistics of the realizations;
//! - [`network`]: the sizes, the named weights and the time waves of a network;
//! - [`training`]: batches, couplings, the optimiser, sums over ranks;
//! - [`cost`]: the arithmetic and the memory that a network takes.
//!
//! Nothing here needs a tensor library; crate `floral-networks` computes the velocity.

pub mod cost;
pub mod flow;
pub mod network;
pub mod sample;
pub mod training;

use floral_data::{Axis, Error, Grid, Result, grid, observer, ranks, storage};
use floral_random as random;
