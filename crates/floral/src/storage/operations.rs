//! The file operations of this room, one after the other: what stands on them is tested by letting the
//! n-th fail, by ending the process before it, or by asking for what was done (`journal.rs`) and
//! dropping what had not reached the disk.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use super::journal::{self, Done};

/// What befalls an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// There is no space left, for this operation and all after it.
    Full,
    /// The device fails once.
    Broken,
    /// It is not permitted, once.
    Denied,
    /// Half of the bytes are written, then the device fails; of an operation without bytes, before it.
    Short,
    /// The process ends before it, as if killed.
    End,
    /// Nothing can be written any more: this operation and all after it.
    ReadOnly,
    /// Of what is read, counted on its own, the device gives nothing, once.
    Unread,
}

/// The exit code of a process that was ended.
pub const ENDED: i32 = 137;

/// Faults to come, each at an operation counted from one; and what was counted so far.
static FAULTS: Mutex<Vec<(u32, Fault)>> = Mutex::new(Vec::new());
static ARE_SET: AtomicBool = AtomicBool::new(false);
static WRITES: AtomicU32 = AtomicU32::new(0);
static READS: AtomicU32 = AtomicU32::new(0);

/// Lets the n-th file operations from here on meet faults, counted from one, in the place of those set
/// before. For tests that use storage; one process can run one such test at a time.
pub fn let_fail(faults: &[(u32, Fault)]) {
    WRITES.store(0, Ordering::SeqCst);
    READS.store(0, Ordering::SeqCst);
    *FAULTS.lock().unwrap_or_else(PoisonError::into_inner) = faults.to_vec();
    ARE_SET.store(!faults.is_empty(), Ordering::SeqCst);
}

/// Whether all faults were met.
pub fn has_failed() -> bool {
    let faults = FAULTS.lock().unwrap_or_else(PoisonError::into_inner);
    let is_past = |(operation, fault): &(u32, Fault)| {
        let count = match fault {
            Fault::Unread => &READS,
            _ => &WRITES,
        };
        *operation <= count.load(Ordering::SeqCst)
    };
    !faults.is_empty() && faults.iter().all(is_past)
}

/// The fault that the next operation meets, if it meets one.
fn met(count: &AtomicU32) -> Option<Fault> {
    if !ARE_SET.load(Ordering::Relaxed) {
        return None;
    }
    let number = count.fetch_add(1, Ordering::SeqCst) + 1;
    let is_read = std::ptr::eq(count, &READS);
    let faults = FAULTS.lock().unwrap_or_else(PoisonError::into_inner);
    let meets = |(operation, fault): &&(u32, Fault)| {
        let lasts = matches!(fault, Fault::Full | Fault::ReadOnly);
        (*fault == Fault::Unread) == is_read
            && (*operation == number || *operation < number && lasts)
    };
    faults.iter().find(meets).map(|(_, fault)| *fault)
}

/// Goes on, fails or ends.
fn pass() -> io::Result<()> {
    match met(&WRITES) {
        None => Ok(()),
        Some(fault) => Err(fault.error()),
    }
}

impl Fault {
    fn error(self) -> io::Error {
        match self {
            Self::Full => io::ErrorKind::StorageFull.into(),
            Self::Denied => io::ErrorKind::PermissionDenied.into(),
            Self::ReadOnly => io::ErrorKind::ReadOnlyFilesystem.into(),
            Self::Broken | Self::Short | Self::Unread => io::Error::other("input/output error"),
            Self::End => std::process::exit(ENDED),
        }
    }
}

/// What comes before anything is read of a file.
pub(crate) fn before_read() -> io::Result<()> {
    match met(&READS) {
        None => Ok(()),
        Some(fault) => Err(fault.error()),
    }
}

pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    before_read()?;
    fs::read(path)
}

pub(crate) fn open(options: &fs::OpenOptions, path: &Path) -> io::Result<File> {
    pass()?;
    let file = options.open(path)?;
    journal::opened(path, &file);
    Ok(file)
}

pub(crate) fn write_all(mut file: &File, bytes: &[u8]) -> io::Result<()> {
    let fault = met(&WRITES);
    let kept = match fault {
        None => bytes,
        Some(Fault::Short) => &bytes[..bytes.len() / 2],
        Some(fault) => return Err(fault.error()),
    };
    file.write_all(kept)?;
    journal::written(file, kept);
    fault.map_or(Ok(()), |fault| Err(fault.error()))
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

pub(crate) fn sync_all(file: &File) -> io::Result<()> {
    pass()?;
    file.sync_all()?;
    journal::synced(file);
    Ok(())
}

pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    pass()?;
    File::open(folder)?.sync_all()?;
    journal::add(|| Done::FolderSynced(folder.to_owned()));
    Ok(())
}

/// All of the file system that a folder is on.
#[cfg(target_os = "linux")]
pub(super) fn sync_file_system(folder: &Path) -> io::Result<()> {
    pass()?;
    rustix::fs::syncfs(File::open(folder)?)?;
    journal::add(|| Done::AllSynced);
    Ok(())
}

pub(super) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    pass()?;
    fs::rename(from, to)?;
    journal::add(|| Done::Renamed(from.to_owned(), to.to_owned()));
    Ok(())
}

pub(super) fn link(from: &Path, to: &Path) -> io::Result<()> {
    pass()?;
    fs::hard_link(from, to)?;
    journal::linked(to);
    Ok(())
}

pub(super) fn create_dir_all(path: &Path) -> io::Result<()> {
    pass()?;
    journal::folders_to_make(path);
    fs::create_dir_all(path)
}

pub(super) fn remove_dir_all(path: &Path) -> io::Result<()> {
    pass()?;
    journal::add(|| Done::FolderRemoved(path.to_owned()));
    fs::remove_dir_all(path)
}

pub(super) fn remove_file(path: &Path) -> io::Result<()> {
    pass()?;
    fs::remove_file(path)?;
    journal::add(|| Done::Removed(path.to_owned()));
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
    journal::add(|| Done::Exchanged(one.to_owned(), other.to_owned()));
    Ok(())
}

/// Exchanges what stands under two names, at once; unsupported where the system or the file system
/// cannot.
#[cfg(not(target_os = "linux"))]
pub(super) fn exchange(_one: &Path, _other: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
