//! A lock on a folder, so that only one process at a time writes to it. The system releases it when
//! the process ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;

use super::files::{create_folder, write_error};
use crate::{Error, Result};

/// Locks a folder until it is dropped or the process ends in any way.
///
/// The file `lock` remains in the folder; only the lock held on it matters.
#[derive(Debug)]
pub struct FolderLock {
    file: File,
}

impl Drop for FolderLock {
    /// Releases the lock explicitly. Closing the file is not sufficient: a child process that
    /// another thread is starting holds a copy of it until it executes its program, and would keep
    /// the lock.
    fn drop(&mut self) {
        // If this fails, closing the file releases the lock.
        self.file.unlock().ok();
    }
}

impl FolderLock {
    /// Locks a folder, which is created if missing. Fails if another process, or another part of
    /// this one, holds the lock; the error calls the folder `what` ("dataset", "run").
    pub fn acquire(folder: &Path, what: &str) -> Result<Self> {
        let path = folder.join("lock");
        loop {
            create_folder(folder)?;
            let options = OpenOptions::new()
                .write(true)
                .create(true)
                .truncate(false)
                .open(&path);
            let file = match options {
                // The previous holder of the lock has finished and removed the folder.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                other => other.map_err(write_error(&path))?,
            };
            hold(&file, folder, what)?;
            if is_at(&file, &path) {
                return Ok(Self { file });
            }
        }
    }
}

fn hold(file: &File, folder: &Path, what: &str) -> Result<()> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(Error::bad_file(
            folder,
            format!("another process is writing this {what}; wait for it, or stop it"),
        )),
        // Some network file systems do not support locks. Files are written atomically, so that two
        // writers would waste time but leave no broken file.
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => Ok(()),
        Err(TryLockError::Error(error)) => Err(write_error(folder)(error)),
    }
}

/// Whether the path still refers to this file, and not to a missing or newer one.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_held_is_refused_by_name_until_it_is_released() {
        let folder = tempfile::tempdir().unwrap();
        let run = folder.path().join("runs/curve");
        let held = FolderLock::acquire(&run, "run").unwrap();
        let refusal = FolderLock::acquire(&run, "run").unwrap_err().to_string();
        assert!(refusal.starts_with(&run.display().to_string()), "{refusal}");
        assert!(
            refusal.contains("another process is writing this run"),
            "{refusal}"
        );
        drop(held);
        FolderLock::acquire(&run, "run").unwrap();
    }

    #[test]
    fn a_released_folder_is_free_even_if_a_starting_process_has_a_copy_of_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let held = FolderLock::acquire(folder.path(), "run").unwrap();
        let _inherited = held.file.try_clone().unwrap();
        drop(held);
        FolderLock::acquire(folder.path(), "run").unwrap();
    }
}
