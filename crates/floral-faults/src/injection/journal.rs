//! The journal: the file operations of the library in order, if requested. It determines what a
//! disk may contain after a power failure.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use floral::storage::operations::Step;
use serde::{Deserialize, Serialize};

/// A step that succeeded. Files are identified by their inode number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Done {
    /// A file was opened at a path.
    Opened {
        /// The path.
        path: PathBuf,
        /// The number of the file.
        file: u64,
        /// Whether the file is empty, for example because it was created.
        is_empty: bool,
    },
    /// Bytes were appended to a file.
    Written(u64, Vec<u8>),
    /// The bytes of a file have reached the disk.
    Synced(u64),
    /// The entries of a folder have reached the disk.
    FolderSynced(PathBuf),
    /// Everything has reached the disk.
    AllSynced,
    /// A file that was opened before got this additional name.
    Linked(PathBuf, u64),
    /// A file or folder was renamed from the first to the second path.
    Renamed(PathBuf, PathBuf),
    /// Two paths were exchanged.
    Exchanged(PathBuf, PathBuf),
    /// A folder was created.
    FolderMade(PathBuf),
    /// A folder was removed with all its contents.
    FolderRemoved(PathBuf),
    /// A file was removed.
    Removed(PathBuf),
}

static JOURNAL: Mutex<Vec<Done>> = Mutex::new(Vec::new());
static IS_KEPT: AtomicBool = AtomicBool::new(false);

/// Records all steps from here on, for [`take`].
pub fn keep() {
    super::begin();
    IS_KEPT.store(true, Ordering::SeqCst);
}

/// Returns the steps so far and stops recording.
pub fn take() -> Vec<Done> {
    IS_KEPT.store(false, Ordering::SeqCst);
    std::mem::take(&mut *JOURNAL.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Adds a step of the library if steps are recorded.
pub(super) fn add(step: &Step<'_>) {
    if !IS_KEPT.load(Ordering::Relaxed) {
        return;
    }
    let done = match *step {
        Step::Opened(path, file) => Done::Opened {
            path: path.to_owned(),
            file: number(file),
            is_empty: file.metadata().is_ok_and(|facts| facts.len() == 0),
        },
        Step::Written(file, bytes) => Done::Written(number(file), bytes.to_vec()),
        Step::Synced(file) => Done::Synced(number(file)),
        Step::FolderSynced(folder) => Done::FolderSynced(folder.to_owned()),
        Step::AllSynced => Done::AllSynced,
        Step::Linked(path) => match File::open(path) {
            Ok(file) => Done::Linked(path.to_owned(), number(&file)),
            Err(_) => return,
        },
        Step::Renamed(from, to) => Done::Renamed(from.to_owned(), to.to_owned()),
        Step::Exchanged(one, other) => Done::Exchanged(one.to_owned(), other.to_owned()),
        Step::FolderToMake(path) => return push(missing(path).map(Done::FolderMade)),
        Step::FolderToRemove(path) => Done::FolderRemoved(path.to_owned()),
        Step::Removed(path) => Done::Removed(path.to_owned()),
    };
    push([done]);
}

fn push(steps: impl IntoIterator<Item = Done>) {
    let mut journal = JOURNAL.lock().unwrap_or_else(PoisonError::into_inner);
    journal.extend(steps);
}

/// A folder and its parents, as far as they do not exist, from the top.
fn missing(path: &Path) -> impl Iterator<Item = PathBuf> {
    let missing: Vec<PathBuf> = path
        .ancestors()
        .take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists())
        .map(Path::to_owned)
        .collect();
    missing.into_iter().rev()
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
