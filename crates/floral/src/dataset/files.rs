//! Files that are whole or absent, and write errors that say how to go on.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::Value;

use crate::{Error, Result};

/// Writes a file so that it appears under its name only once it is whole; `scratch` is a folder
/// on the same file system.
pub(super) fn write_whole(path: &Path, bytes: &[u8], scratch: &Path) -> Result<()> {
    let temporary = scratch.join(unique_name());
    let outcome = fs::write(&temporary, bytes).and_then(|()| fs::rename(&temporary, path));
    outcome.map_err(|error| {
        // The error at hand matters more than a leftover that the next run clears.
        let _ = fs::remove_file(&temporary);
        write_error(path)(error)
    })
}

/// Writes a file beside its place and renames it: it is there whole, or as it was before.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(".new");
    let outcome = fs::write(&temporary, bytes).and_then(|()| fs::rename(&temporary, path));
    outcome.map_err(write_error(path))
}

/// Writes a JSON file, whole or not at all.
pub(super) fn write_json(path: &Path, value: &Value, scratch: &Path) -> Result<()> {
    write_whole(path, format!("{value:#}\n").as_bytes(), scratch)
}

/// The JSON in a file, or none if there is no such file.
pub(super) fn read_json(path: &Path) -> Result<Option<Value>> {
    let bytes = match fs::read(path) {
        Err(error) if is_absence(&error) => return Ok(None),
        other => other.map_err(Error::io(path))?,
    };
    let value = serde_json::from_slice(&bytes).map_err(|error| Error::BadFile {
        path: path.to_owned(),
        reason: format!("is not valid JSON: {error}"),
    })?;
    Ok(Some(value))
}

fn is_absence(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// Turns an error while writing into a sentence with the file and what to do.
pub(super) fn write_error(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Error {
    move |error| {
        let advice = match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                "; make room, then run the same command again to continue"
            }
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                "; choose a folder in which you may write"
            }
            _ => "",
        };
        let source = io::Error::new(error.kind(), format!("{error}{advice}"));
        Error::io(path)(source)
    }
}

/// Creates a folder and those above it, where missing.
pub(super) fn create_folder(path: &Path) -> Result<()> {
    fs::create_dir_all(path).map_err(write_error(path))
}

/// Removes a folder and all in it, if it exists.
pub(super) fn remove_folder(path: &Path) -> Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(write_error(path)(error)),
        _ => Ok(()),
    }
}

/// Waits until a folder and all below it has reached the disk.
///
/// One call for the whole file system: for thousands of small files, asking one by one takes
/// longer than writing them.
#[cfg(target_os = "linux")]
pub(super) fn sync_tree(path: &Path) -> Result<()> {
    let folder = File::open(path).map_err(Error::io(path))?;
    rustix::fs::syncfs(folder).map_err(|error| write_error(path)(error.into()))
}

/// Waits until a folder and all below it has reached the disk.
#[cfg(not(target_os = "linux"))]
pub(super) fn sync_tree(path: &Path) -> Result<()> {
    if path.is_dir() {
        for entry in fs::read_dir(path).map_err(Error::io(path))? {
            sync_tree(&entry.map_err(Error::io(path))?.path())?;
        }
    }
    sync(path)
}

/// Waits until a file, or a folder's list of files, has reached the disk.
pub(super) fn sync(path: &Path) -> Result<()> {
    // Only Unix opens folders as files.
    if path.is_dir() && !cfg!(unix) {
        return Ok(());
    }
    let file = File::open(path).map_err(Error::io(path))?;
    file.sync_all().map_err(write_error(path))
}

/// A name that no other write uses, of this process or another.
fn unique_name() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("{}-{count}", std::process::id())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_told_with_the_way_on() {
        let full = io::Error::from(io::ErrorKind::StorageFull);
        let message = write_error("data.zarr.partial/x")(full).to_string();
        assert!(message.starts_with("data.zarr.partial/x: "), "{message}");
        assert!(message.contains("run the same command again"), "{message}");
    }
}
