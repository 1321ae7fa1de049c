//! The data of FLORAL: grids, fields, units, storage, datasets, metrics.
//!
//! - [`grid`], [`field`], [`quantity`], [`units`]: grids, the values on them, names and units of
//!   the values;
//! - [`storage`], [`npz`]: atomic files, locks, checksums, Zarr groups, archives;
//! - [`dataset`]: inputs, low-fidelity solutions and high-fidelity realizations in a Zarr store;
//! - [`low`]: low fidelity on demand, computed by a user's solver or a substitute;
//! - [`transform`]: transforms of a solution's values that keep predictions in its range;
//! - [`metric`]: the error of predictions;
//! - [`inspect`](mod@inspect): a summary of a dataset, and whether its low-fidelity solver is worth
//!   using;
//! - [`observer`], [`ranks`], [`memory`], [`error`]: progress, processes, available memory, errors.

pub mod dataset;
pub mod error;
pub mod field;
pub mod grid;
pub mod inspect;
/// Meshes, their weights, interpolation and files.
pub use floral_mesh as mesh;
pub mod low;
pub mod memory;
pub mod metric;
#[doc(hidden)]
pub mod npz;
pub mod observer;
mod plural;
pub mod quantity;
pub mod ranks;
pub mod storage;
pub mod transform;
pub mod units;

pub use dataset::Arrays;
pub use error::{Advice, Error, Note, Result};
pub use field::Field;
pub use grid::{Axis, AxisKind, Grid, Points};
pub use observer::{Event, Observer, Silent};
pub use plural::counted;
pub use quantity::{Quantities, Quantity};
pub use storage::Checksum;
