//! The file operations of this room, one after the other.
//!
//! A [`Watcher`] may stand beside them, one per process: the fault campaign (crate `floral-faults`) lets
//! the n-th fail, or records what was done and drops what had not reached the disk. No command of the
//! library sets one.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::sync::OnceLock;

/// A step that is done; those of folders are about to be.
#[derive(Debug, Clone, Copy)]
pub enum Step<'a> {
    /// A file was opened under a path.
    Opened(&'a Path, &'a File),
    /// Bytes were added at the end of a file.
    Written(&'a File, &'a [u8]),
    /// What was written to a file has reached the disk.
    Synced(&'a File),
    /// The list of a folder's files has reached the disk.
    FolderSynced(&'a Path),
    /// All of a file system has.
    AllSynced,
    /// A file has got this name as well.
    Linked(&'a Path),
    /// What stood under the first name stands under the second.
    Renamed(&'a Path, &'a Path),
    /// What stood under two names was exchanged.
    Exchanged(&'a Path, &'a Path),
    /// A folder, and those above it that are missing, are to be made.
    FolderToMake(&'a Path),
    /// A folder and all in it is to be removed.
    FolderToRemove(&'a Path),
    /// A file was removed.
    Removed(&'a Path),
}

/// Sees every operation, before and after it; an error takes its place.
pub trait Watcher: Sync {
    /// Before anything is read of a file.
    fn before_read(&self) -> io::Result<()>;

    /// Before an operation that changes something.
    fn before_change(&self) -> io::Result<()>;

    /// Before bytes are written: how many of them are, and what comes of it.
    fn before_bytes(&self, count: usize) -> (usize, io::Result<()>);

    /// After a step.
    fn after(&self, step: &Step<'_>);
}

static WATCHER: OnceLock<&'static dyn Watcher> = OnceLock::new();

/// Lets every operation from here on pass by a watcher. The first one of a process stays.
pub fn watch(by: &'static dyn Watcher) {
    let _ = WATCHER.set(by);
}

fn pass() -> io::Result<()> {
    WATCHER
        .get()
        .map_or(Ok(()), |watcher| watcher.before_change())
}

fn report(step: &Step<'_>) {
    if let Some(watcher) = WATCHER.get() {
        watcher.after(step);
    }
}

/// What comes before anything is read of a file.
pub fn before_read() -> io::Result<()> {
    WATCHER
        .get()
        .map_or(Ok(()), |watcher| watcher.before_read())
}

pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    before_read()?;
    fs::read(path)
}

pub fn open(options: &fs::OpenOptions, path: &Path) -> io::Result<File> {
    pass()?;
    let file = options.open(path)?;
    report(&Step::Opened(path, &file));
    Ok(file)
}

pub fn write_all(mut file: &File, bytes: &[u8]) -> io::Result<()> {
    let Some(watcher) = WATCHER.get() else {
        return file.write_all(bytes);
    };
    let (count, outcome) = watcher.before_bytes(bytes.len());
    if count == 0 && outcome.is_err() {
        return outcome;
    }
    let kept = &bytes[..count];
    file.write_all(kept)?;
    report(&Step::Written(file, kept));
    outcome
}

/// A file to which is written piece by piece.
pub(super) struct Pieces<'a>(pub &'a File);

impl Write for Pieces<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        write_all(self.0, bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub fn sync_all(file: &File) -> io::Result<()> {
    pass()?;
    file.sync_all()?;
    report(&Step::Synced(file));
    Ok(())
}

pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    pass()?;
    File::open(folder)?.sync_all()?;
    report(&Step::FolderSynced(folder));
    Ok(())
}

/// All of the file system that a folder is on.
#[cfg(target_os = "linux")]
pub(super) fn sync_file_system(folder: &Path) -> io::Result<()> {
    pass()?;
    rustix::fs::syncfs(File::open(folder)?)?;
    report(&Step::AllSynced);
    Ok(())
}

pub(super) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    pass()?;
    fs::rename(from, to)?;
    report(&Step::Renamed(from, to));
    Ok(())
}

pub(super) fn link(from: &Path, to: &Path) -> io::Result<()> {
    pass()?;
    fs::hard_link(from, to)?;
    report(&Step::Linked(to));
    Ok(())
}

pub(super) fn create_dir_all(path: &Path) -> io::Result<()> {
    pass()?;
    report(&Step::FolderToMake(path));
    fs::create_dir_all(path)
}

pub(super) fn remove_dir_all(path: &Path) -> io::Result<()> {
    pass()?;
    report(&Step::FolderToRemove(path));
    fs::remove_dir_all(path)
}

pub(super) fn remove_file(path: &Path) -> io::Result<()> {
    pass()?;
    fs::remove_file(path)?;
    report(&Step::Removed(path));
    Ok(())
}

/// Exchanges what stands under two names, at once; unsupported where the system or the file system
/// cannot.
#[cfg(target_os = "linux")]
pub(super) fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use rustix::io::Errno;
    pass()?;
    let exchanged = renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE);
    exchanged.map_err(|error| match error {
        Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP => io::ErrorKind::Unsupported.into(),
        other => io::Error::from(other),
    })?;
    report(&Step::Exchanged(one, other));
    Ok(())
}

/// Exchanges what stands under two names, at once; unsupported where the system or the file system
/// cannot.
#[cfg(not(target_os = "linux"))]
pub(super) fn exchange(_one: &Path, _other: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
