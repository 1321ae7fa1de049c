//! Datasets: inputs, low-fidelity solutions and realizations of the true one, in a Zarr v3 group.
//!
//! [`generate()`] writes a dataset, an array one chunk per input; [`import`] makes one of files of
//! other programs; [`Dataset`] reads one, also one made by other means. Inputs to predict come from
//! any of them or from a NumPy archive, as an [`InputSource`]. See `train/control_variate.rs` for what is
//! learned from a stochastic low fidelity.
//!
#![doc = include_str!("layout.md")]

mod arrays;
pub(crate) mod axis_names;
mod facts;
mod generate;
pub mod import;
mod inputs;
pub(crate) mod layout;
pub(crate) mod mask;
mod normalise;
pub(crate) mod npz;
mod on_demand;
mod origin;
pub(crate) mod quantities;
mod reader;
mod realizations;
mod root;
mod sensors;
mod shapes;
pub mod split;
mod stochastic_low;
mod symmetries;
pub(crate) mod view;
mod writer;

pub use arrays::Arrays;
pub use generate::{Outcome, generate, generate_across};
pub use inputs::InputSource;
pub use layout::{FORMAT, Request};
pub use normalise::Normaliser;
pub use npz::NpzInputs;
pub use reader::Dataset;
pub use realizations::Realizations;
pub use split::{Split, SplitConfig};
pub use stochastic_low::LowPairing;

pub use crate::storage::{Precision, write_atomically};
