//! Datasets: inputs, low-fidelity solutions and high-fidelity realizations, in a Zarr v3 group.
//!
//! [`import`] makes a dataset from files of other programs, [`Arrays`] from fields in memory, and
//! crate `floral-problems` from its problems. [`Dataset`] reads a dataset of any origin. Inputs for
//! prediction come from any of these, or from a NumPy archive, [`NpzInputs`].
//!
#![doc = include_str!("layout.md")]

mod arrays;
#[doc(hidden)]
pub mod axis_names;
mod facts;
mod file_names;
pub mod import;
#[doc(hidden)]
pub mod layout;
#[doc(hidden)]
pub mod mask;
#[doc(hidden)]
pub mod mesh;
mod mesh_files;
mod normalise;
mod npz_inputs;
mod on_demand;
#[doc(hidden)]
pub mod parameters;
#[doc(hidden)]
pub mod prediction_names;
#[doc(hidden)]
pub mod quantities;
mod reader;
mod realizations;
mod root;
#[doc(hidden)]
pub mod sensors;
mod shapes;
pub mod split;
#[doc(hidden)]
pub mod stochastic_low;
#[doc(hidden)]
pub mod symmetries;
#[doc(hidden)]
pub mod ugrid;
#[doc(hidden)]
pub mod view;

pub use arrays::Arrays;
pub use layout::FORMAT;
pub use mesh_files::{MeshOptions, import_meshes, is_mesh_file, mesh_files, read_mesh};
pub use normalise::Normaliser;
pub use npz_inputs::NpzInputs;
pub use reader::Dataset;
pub use realizations::{ExactMoments, Realizations};
pub use split::{Split, SplitConfig};
pub use stochastic_low::LowPairing;

pub use crate::storage::{Precision, write_atomically};
