//! Storage: files that are whole or absent, locks, checksums, and Zarr groups that grow chunk by
//! chunk until they are complete.
//!
//! - [`write_atomically`] writes one file, [`FolderLock`] keeps a folder to one process,
//!   [`Checksum`] knows the same contents again;
//! - a `Group` is written from a `GroupPlan` in a `Partial` folder, from which a run
//!   that was cut goes on; a [`Spool`] keeps the part of it that is under way; its arrays have a file
//!   for each chunk, or for several in a shard;
//! - a `StoredArray` reads an array of any group, a `SingleFile` writes a complete group as .npz or
//!   NetCDF.
//!
//! The datasets of [`dataset`](crate::dataset), the predictions of [`predict`](crate::predict), the
//! runs of [`train`](crate::train) and what is kept by reports stand on it.

pub(crate) mod array_metadata;
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
pub mod journal;
mod lock;
pub(crate) mod names;
mod number;
pub mod operations;
mod packing;
pub(crate) mod partial;
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
pub(crate) use files::write_error;
pub use identity::refuse_overwriting;
pub use lock::FolderLock;
pub use precision::Precision;
pub use spool::{Spool, Spooled};

pub(crate) use array_metadata::Dimension;
pub(crate) use atomic::{name_twice, unique_name};
pub(crate) use files::{read_json, read_regular, remove_folder, zarr_store};
pub(crate) use group::Group;
pub(crate) use group_plan::{GroupPlan, LARGEST_CHUNK, METADATA_FILE};
pub(crate) use identity::Stamp;
pub(crate) use number::{Kind, Number};
pub(crate) use packing::Packing;
pub(crate) use single_file::{SingleFile, has_mark};
pub(crate) use stored_array::StoredArray;
