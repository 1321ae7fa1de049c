//! Storage: files that are whole or absent, folders that one process at a time may write, and
//! checksums by which the same contents are known again.

mod atomic;
mod checksum;
mod files;
mod lock;

pub use atomic::write_atomically;
pub use checksum::Checksum;
pub use lock::FolderLock;

pub(crate) use atomic::write_whole;
pub(crate) use files::{
    create_folder, read_json, remove_folder, sync, sync_tree, write_error, write_json,
};
