//! Training, without the network: samples, batches, couplings, the optimiser, sums over ranks.

pub mod adam;
pub mod average;
pub mod batches;
pub mod coupling;
pub mod reduction;
pub mod sample_arrays;
pub mod samples;
pub mod tree;
