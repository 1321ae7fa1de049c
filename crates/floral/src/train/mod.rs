//! Training: from a dataset to a run folder with checkpoints.
//!
//! A training step of a network has four parts, kept apart so that several processes can share its
//! samples: the choice of samples ([`batches`]), their gradients ([`gradient`]), the reduction (a
//! sum over blocks of samples in a fixed order) and the update ([`update`], by [`adam`]). Methods
//! without a network are fitted in closed form ([`regression`]).

mod budget;
pub mod checkpoint;
pub mod config;
mod control_variate;
mod differences;
mod header;
mod identity;
mod learned_low;
mod log;
mod memory;
mod method;
mod network;
mod network_config;
mod paired_low;
mod points;
pub mod ranges;
mod reader;
mod reading;
#[cfg(feature = "networks")]
mod reference_run;
pub mod regression;
#[cfg(feature = "networks")]
mod resume;
pub mod run;
#[cfg(feature = "networks")]
mod saving;
mod scaling;
mod seal;
mod seen;
mod suited;
#[cfg(feature = "networks")]
pub mod trainer;
mod training;
mod training_input;
mod transforms;
#[cfg(feature = "networks")]
pub mod update;

pub use budget::Budget;
pub use checkpoint::{Checkpoint, Header, Progress};
pub use config::TrainConfig;
pub(crate) use learned_low::LearnedLow;
pub use method::Method;
#[cfg(feature = "networks")]
pub use model::Model;
#[cfg(feature = "networks")]
pub use reference_run::Foreign;
pub use run::RunFolder;
pub use training::{Opening, Outcome, Training, check, train};

pub use floral_flow::training::{adam, batches};
#[cfg(feature = "networks")]
pub use floral_networks::{stack::Stack, training::gradient};

#[cfg(not(feature = "networks"))]
pub use crate::no_networks::Stack;

pub use crate::observer::EpochRecord;

/// A network with the scales of its data, and its sizes on data of given shapes.
pub mod model {
    pub use super::network::*;
}

/// The samples of a run: their reader, their scaling and their storage.
pub mod samples {
    pub use floral_flow::training::samples::Samples;

    pub use super::reader::Reader;
    pub use super::scaling::Scaling;
}

#[cfg(test)]
#[cfg(feature = "networks")]
mod damaged_checkpoints;
#[cfg(test)]
#[cfg(feature = "networks")]
mod laws;
#[cfg(test)]
#[cfg(feature = "networks")]
mod tests;
