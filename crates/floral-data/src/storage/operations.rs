//! File operations, which all writes of `storage` pass through.
//!
//! A process may install one [`Watcher`]. The fault campaign (crate `floral-faults`) uses it to
//! make the n-th operation fail, or to record operations and discard data that had not reached the
//! disk. No command of the library installs one.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::sync::OnceLock;

/// A completed step; for creating and removing folders, a step that is about to happen.
#[derive(Debug, Clone, Copy)]
pub enum Step<'a> {
    /// A file was opened under a path.
    Opened(&'a Path, &'a File),
    /// Bytes were appended to a file.
    Written(&'a File, &'a [u8]),
    /// The contents of a file have reached the disk.
    Synced(&'a File),
    /// The entries of a folder have reached the disk.
    FolderSynced(&'a Path),
    /// All data of a file system have reached the disk.
    AllSynced,
    /// A file has got an additional name.
    Linked(&'a Path),
    /// The first path was renamed to the second.
    Renamed(&'a Path, &'a Path),
    /// The files or folders at two paths were exchanged.
    Exchanged(&'a Path, &'a Path),
    /// A folder and its missing parents will be created.
    FolderToMake(&'a Path),
    /// A folder and its contents will be removed.
    FolderToRemove(&'a Path),
    /// A file was removed.
    Removed(&'a Path),
}

/// Observes every operation, before and after it; an error from the watcher replaces the operation.
pub trait Watcher: Sync {
    /// Called before a file is read.
    fn before_read(&self) -> io::Result<()>;

    /// Called before an operation that changes something.
    fn before_change(&self) -> io::Result<()>;

    /// Called before bytes are written. Returns the number of bytes to write, and the outcome to
    /// report.
    fn before_bytes(&self, count: usize) -> (usize, io::Result<()>);

    /// Called after a step.
    fn after(&self, step: &Step<'_>);
}

static WATCHER: OnceLock<&'static dyn Watcher> = OnceLock::new();

/// Installs a watcher for all later operations; only the first one of a process takes effect.
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

/// To be called before a file is read.
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

/// A file that is written piece by piece.
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

/// Synchronizes the whole file system of a folder.
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

/// Exchanges two paths atomically; unsupported if the system or the file system cannot.
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

/// Exchanges two paths atomically; unsupported on this system.
#[cfg(not(target_os = "linux"))]
pub(super) fn exchange(_one: &Path, _other: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
