//! What `operations.rs` did to files, in order, if it is asked for: what a disk may hold after a power
//! failure follows from it.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

/// A step that succeeded. Files are known by their number in the file system.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Done {
    /// A file was opened under a path.
    Opened {
        /// Where.
        path: PathBuf,
        /// Its number.
        file: u64,
        /// Whether nothing is in it, as in one that was made.
        is_empty: bool,
    },
    /// Bytes were added at the end of a file.
    Written(u64, Vec<u8>),
    /// What was written to a file has reached the disk.
    Synced(u64),
    /// The list of a folder's files has reached the disk.
    FolderSynced(PathBuf),
    /// All has.
    AllSynced,
    /// A file that was opened before has got this name as well.
    Linked(PathBuf, u64),
    /// What stood under the first name stands under the second.
    Renamed(PathBuf, PathBuf),
    /// What stood under two names was exchanged.
    Exchanged(PathBuf, PathBuf),
    /// A folder was made.
    FolderMade(PathBuf),
    /// A folder and all in it was removed.
    FolderRemoved(PathBuf),
    /// A file was removed.
    Removed(PathBuf),
}

static JOURNAL: Mutex<Vec<Done>> = Mutex::new(Vec::new());
static IS_KEPT: AtomicBool = AtomicBool::new(false);

/// Keeps all steps from here on, for [`take`].
pub fn keep() {
    IS_KEPT.store(true, Ordering::SeqCst);
}

/// The steps so far; those after it are not kept.
pub fn take() -> Vec<Done> {
    IS_KEPT.store(false, Ordering::SeqCst);
    std::mem::take(&mut *JOURNAL.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Adds a step, if they are kept.
pub(super) fn add(step: impl FnOnce() -> Done) {
    if IS_KEPT.load(Ordering::Relaxed) {
        let mut journal = JOURNAL.lock().unwrap_or_else(PoisonError::into_inner);
        journal.push(step());
    }
}

pub(super) fn opened(path: &Path, file: &File) {
    add(|| Done::Opened {
        path: path.to_owned(),
        file: number(file),
        is_empty: file.metadata().is_ok_and(|facts| facts.len() == 0),
    });
}

pub(super) fn linked(path: &Path) {
    if let Ok(file) = File::open(path) {
        add(|| Done::Linked(path.to_owned(), number(&file)));
    }
}

pub(super) fn written(file: &File, bytes: &[u8]) {
    add(|| Done::Written(number(file), bytes.to_vec()));
}

pub(super) fn synced(file: &File) {
    add(|| Done::Synced(number(file)));
}

/// A folder and those above it that are missing, from the top.
pub(super) fn folders_to_make(path: &Path) {
    let missing: Vec<&Path> = path
        .ancestors()
        .take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists())
        .collect();
    for folder in missing.into_iter().rev() {
        add(|| Done::FolderMade(folder.to_owned()));
    }
}

#[cfg(unix)]
fn number(file: &File) -> u64 {
    use std::os::unix::fs::MetadataExt;
    file.metadata().map_or(0, |facts| facts.ino())
}

#[cfg(not(unix))]
fn number(_file: &File) -> u64 {
    0
}
