//! A lock that one process at a time can hold, and that the system releases when it is killed.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;

use super::files::{create_folder, write_error};
use crate::{Error, Result};

/// Takes the lock of a folder, which is created if missing; held until the file is dropped.
pub(super) fn acquire(folder: &Path) -> Result<File> {
    let path = folder.join("lock");
    loop {
        create_folder(folder)?;
        let options = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path);
        let file = match options {
            // Whoever held the lock has finished and removed the folder.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            other => other.map_err(write_error(&path))?,
        };
        hold(&file, folder)?;
        if is_at(&file, &path) {
            return Ok(file);
        }
    }
}

fn hold(file: &File, folder: &Path) -> Result<()> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(Error::BadFile {
            path: folder.to_owned(),
            reason: "another process is writing this dataset; wait for it, or stop it".into(),
        }),
        // Some network file systems know no locks. Files are written whole and are the same
        // whoever writes them, so two writers would waste time but not spoil the dataset.
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => Ok(()),
        Err(TryLockError::Error(error)) => Err(write_error(folder)(error)),
    }
}

/// Whether the path still leads to this file, and not to nothing or to a later one.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), path.metadata()) {
        (Ok(held), Ok(found)) => (held.dev(), held.ino()) == (found.dev(), found.ino()),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_at(_file: &File, path: &Path) -> bool {
    path.exists()
}
