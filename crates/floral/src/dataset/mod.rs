//! Datasets: inputs, cheap solutions and realizations of the true one, in a Zarr v3 group.
//!
//! | array | dimensions | |
//! |---|---|---|
//! | `input` | input, channel, grid... | what the solvers were given |
//! | `low` | input, channel, grid... | the cheap solution |
//! | `high` | input, realization, channel, grid... | draws of the true one |
//! | `exact_mean`, `exact_variance` | input, channel, grid... | where they are known |
//! | `redraws` | input | how many draws the solver had to repeat |
//! | one per grid axis | that axis | its coordinates |
//!
//! Each array has one chunk per input. [`generate()`] writes a dataset, [`Dataset`] reads one,
//! also one made by other means. Inputs to predict come from either or from a NumPy archive, as
//! an [`InputSource`]; a [`PredictionWriter`] stores what is predicted.

mod archive;
mod differences;
mod generate;
mod inputs;
mod layout;
mod metadata;
mod normalise;
mod npy;
mod npz;
mod npz_inputs;
mod origin;
mod partial;
mod precision;
mod prediction_store;
mod reader;
mod realizations;
mod root;
mod shapes;
mod split;
mod spool;
mod store;
mod stored_array;
mod writer;

pub use generate::{Observer, Outcome, generate};
pub use inputs::InputSource;
pub use layout::{FORMAT, Request};
pub use normalise::Normaliser;
pub use npz_inputs::NpzInputs;
pub use precision::Precision;
pub use prediction_store::{Places, PredictionPlan, PredictionWriter};
pub use reader::Dataset;
pub use realizations::Realizations;
pub use split::{Split, SplitConfig};
pub use spool::{Spool, Spooled};

pub use crate::storage::write_atomically;
