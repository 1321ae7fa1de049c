//! Storage: atomic files, locks, checksums, and Zarr groups that grow chunk by chunk until they are
//! complete.
//!
//! - [`write_atomically`] writes one file, [`FolderLock`] locks a folder for one process,
//!   [`Checksum`] identifies contents;
//! - a `Group` is written from a `GroupPlan` in a `Partial` folder, from which an interrupted run
//!   continues; a [`Spool`] keeps its unfinished part; its arrays have one file per chunk, or per
//!   shard of several chunks;
//! - a `StoredArray` reads an array of any group, a `SingleFile` writes a complete group as .npz or
//!   NetCDF.
//!
//! The datasets of [`dataset`](crate::dataset), predictions, training runs and the data of reports
//! are stored with it.

#[doc(hidden)]
pub mod array_metadata;
mod atomic;
mod cache_folder;
mod checksum;
mod differences;
mod files;
mod flush;
mod group;
mod group_plan;
mod growing_array;
mod identity;
mod lock;
#[doc(hidden)]
pub mod names;
mod npz_archive;
mod number;
#[doc(hidden)]
pub mod operations;
mod packing;
#[doc(hidden)]
pub mod partial;
mod precision;
mod shard_store;
mod sharding;
mod single_file;
mod spool;
mod stored_array;

pub use atomic::write_atomically;
pub use cache_folder::{VARIABLE as CACHE_VARIABLE, cache_folder};
pub use checksum::Checksum;
pub use files::create_folder;
#[doc(hidden)]
pub use files::write_error;
pub use identity::refuse_overwriting;
pub use lock::FolderLock;
pub use precision::Precision;
pub use spool::{Spool, Spooled};

#[doc(hidden)]
pub use array_metadata::Dimension;
#[doc(hidden)]
pub use atomic::{name_twice, unique_name};
#[doc(hidden)]
pub use files::{read_json, read_regular, remove_folder, zarr_store};
#[doc(hidden)]
pub use group::Group;
#[doc(hidden)]
pub use group_plan::{GroupPlan, LARGEST_CHUNK, METADATA_FILE};
#[doc(hidden)]
pub use identity::Stamp;
#[doc(hidden)]
pub use npz_archive::{NamedArray, write_npz};
#[doc(hidden)]
pub use number::{Kind, Number};
#[doc(hidden)]
pub use packing::Packing;
#[doc(hidden)]
pub use single_file::{SingleFile, Supplement, SupplementArray, has_mark};
#[doc(hidden)]
pub use stored_array::StoredArray;
