//! Folders and JSON files, synchronization with the disk, and write errors with advice.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;
use zarrs::filesystem::FilesystemStore;

use super::atomic::write_whole;
use super::operations;
use crate::{Error, Result};

/// A folder as a store of the Zarr library.
pub fn zarr_store(path: &Path) -> Result<FilesystemStore> {
    refuse_other_than_text(path)?;
    FilesystemStore::new(path).map_err(|error| Error::bad_file(path, error.to_string()))
}

/// Refuses a path that is not UTF-8, which the Zarr library requires.
pub(super) fn refuse_other_than_text(path: &Path) -> Result<()> {
    match path.to_str() {
        Some(_) => Ok(()),
        None => Err(Error::bad_file(
            path,
            "is a path that is not UTF-8, which Zarr cannot have; rename it",
        )),
    }
}

/// Writes a JSON file atomically.
pub(super) fn write_json(path: &Path, value: &Value, scratch: &Path) -> Result<()> {
    write_whole(path, format!("{value:#}\n").as_bytes(), scratch)
}

/// The JSON in a file, or none if there is no such file.
pub fn read_json(path: &Path) -> Result<Option<Value>> {
    let bytes = match read_regular(path) {
        Err(error) if is_absence(&error) => return Ok(None),
        other => other.map_err(Error::io(path))?,
    };
    let value = serde_json::from_slice(&bytes)
        .map_err(|error| Error::bad_file(path, format!("is not valid JSON: {error}")))?;
    Ok(Some(value))
}

/// The bytes of a regular file; reading a pipe or a device might never end.
pub fn read_regular(path: &Path) -> io::Result<Vec<u8>> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other(
            "is not a regular file; put the file there",
        ));
    }
    operations::read(path)
}

fn is_absence(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// Adds the file and advice to an error while writing.
pub fn write_error(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Error {
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

/// Creates a folder and its missing parents.
pub fn create_folder(path: &Path) -> Result<()> {
    refuse_dangling(path)?;
    operations::create_dir_all(path).map_err(write_error(path))
}

/// Refuses a dangling symbolic link: it appears absent, but nothing can be created in its place.
pub(super) fn refuse_dangling(path: &Path) -> Result<()> {
    if !path.is_symlink() || path.exists() {
        return Ok(());
    }
    Err(Error::bad_file(
        path,
        "is a link to nothing; make what it leads to, or remove it",
    ))
}

/// Removes a folder and its contents, if it exists.
pub fn remove_folder(path: &Path) -> Result<()> {
    match operations::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(write_error(path)(error)),
        _ => Ok(()),
    }
}

/// Waits until a folder and its contents have reached the disk.
///
/// Uses one call for the whole file system: for thousands of small files, one call per file takes
/// longer than writing them.
#[cfg(target_os = "linux")]
pub(super) fn sync_tree(path: &Path) -> Result<()> {
    operations::sync_file_system(path).map_err(write_error(path))
}

/// Waits until a folder and its contents have reached the disk.
#[cfg(not(target_os = "linux"))]
pub(super) fn sync_tree(path: &Path) -> Result<()> {
    if path.is_dir() {
        for entry in fs::read_dir(path).map_err(Error::io(path))? {
            sync_tree(&entry.map_err(Error::io(path))?.path())?;
        }
    }
    sync(path)
}

/// Waits until a file or a directory entry has reached the disk.
pub(super) fn sync(path: &Path) -> Result<()> {
    if path.is_dir() {
        return sync_folder(path).map_err(write_error(path));
    }
    let file = File::open(path).map_err(Error::io(path))?;
    operations::sync_all(&file).map_err(write_error(path))
}

/// Waits until a folder's directory entries have reached the disk, if the system supports it.
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    // Only Unix can open folders as files.
    if !cfg!(unix) {
        return Ok(());
    }
    match operations::sync_folder(folder) {
        // Some network file systems cannot synchronize folders.
        Err(error) if is_unsupported(&error) => Ok(()),
        other => other,
    }
}

fn is_unsupported(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::Unsupported | io::ErrorKind::InvalidInput
    )
}

/// The folder of a file.
pub(super) fn parent_of(path: &Path) -> &Path {
    let parent = path.parent().filter(|path| !path.as_os_str().is_empty());
    parent.unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_link_to_nothing_is_named_and_a_pipe_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(folder.path().join("nowhere"), &link).unwrap();
        let words = create_folder(&link).unwrap_err().to_string();
        assert!(words.contains("link to nothing"), "{words}");
        let pipe = folder.path().join("zarr.json");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
            0,
        )
        .unwrap();
        let words = read_json(&pipe).unwrap_err().to_string();
        assert!(words.contains("not a regular file"), "{words}");
        assert_eq!(read_json(&folder.path().join("none")).unwrap(), None);
    }

    #[test]
    fn a_full_disk_is_reported_with_what_to_do() {
        let full = io::Error::from(io::ErrorKind::StorageFull);
        let message = write_error("data.zarr.partial/x")(full).to_string();
        assert!(message.starts_with("data.zarr.partial/x: "), "{message}");
        assert!(message.contains("run the same command again"), "{message}");
    }
}
