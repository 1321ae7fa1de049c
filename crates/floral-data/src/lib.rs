//! The data of FLORAL: where values live, what they are, how they are stored, read and judged.
//!
//! - [`grid`], [`field`], [`quantity`], [`units`]: where values live, the values, and what they are;
//! - [`storage`], [`npz`]: files that are whole or absent, locks, checksums, Zarr groups, archives;
//! - [`dataset`]: inputs, low-fidelity solutions and realizations of the true one in a Zarr store;
//! - [`low`]: low fidelity on demand, by a solver of the user's, or what stands in for it;
//! - [`transform`]: functions of a solution's values, so that predictions keep to its range;
//! - [`metric`]: how far predictions are from the truth;
//! - [`inspect`](mod@inspect): what a dataset holds, and whether its low-fidelity solver is worth it;
//! - [`observer`], [`ranks`], [`memory`], [`error`]: progress, processes, room, and what goes wrong.

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
