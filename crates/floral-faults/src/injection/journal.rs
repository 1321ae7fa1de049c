//! What the library did to files, in order, if it is asked for: what a disk may hold after a power
//! failure follows from it.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use floral::storage::operations::Step;
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
    super::begin();
    IS_KEPT.store(true, Ordering::SeqCst);
}

/// The steps so far; those after it are not kept.
pub fn take() -> Vec<Done> {
    IS_KEPT.store(false, Ordering::SeqCst);
    std::mem::take(&mut *JOURNAL.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Adds a step of the library, if they are kept.
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

/// A folder and those above it that are missing, from the top.
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
