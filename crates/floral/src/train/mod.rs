//! Training: from a dataset to a run folder with checkpoints.
//!
//! A step is four things, kept apart so that several processes can share its samples: which samples
//! ([`batches`]), their gradients ([`gradient`]), their reduction (a sum over blocks of samples in a
//! fixed order) and the update ([`update`], by [`adam`]). Methods without a network are fitted in
//! one go ([`regression`]).

pub mod adam;
mod average;
pub mod batches;
mod budget;
pub mod checkpoint;
pub mod config;
mod control_variate;
mod coupling;
mod differences;
pub mod gradient;
mod header;
mod learned_low;
mod log;
mod method;
pub mod model;
mod paired_low;
pub mod ranges;
mod reader;
mod reduction;
mod reference_run;
pub mod regression;
mod resume;
pub mod run;
mod sample_arrays;
pub mod samples;
mod saving;
mod seal;
mod seen;
mod stack;
pub mod trainer;
mod training;
mod transforms;
mod tree;
pub mod update;

pub use budget::Budget;
pub use checkpoint::{Checkpoint, Header, Progress};
pub use config::TrainConfig;
pub(crate) use learned_low::LearnedLow;
pub use learned_low::supplied;
pub use method::Method;
pub use model::Model;
pub use reference_run::Foreign;
pub use run::RunFolder;
pub use stack::Stack;
pub use training::{EpochRecord, Outcome, check, fitted_prior, train, train_across};

#[cfg(test)]
mod damaged_checkpoints;
#[cfg(test)]
mod laws;
#[cfg(test)]
mod tests;
