//! The file operations of this room, one after the other: what stands on them is tested by letting the
//! n-th fail, or by ending the process before it.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicI64, AtomicU8, Ordering};

/// What befalls an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Fault {
    /// There is no space left, for this operation and all after it.
    Full = 1,
    /// The device fails once.
    Broken = 2,
    /// It is not permitted, once.
    Denied = 3,
    /// Half of the bytes are written, then the device fails; of an operation without bytes, before it.
    Short = 4,
    /// The process ends before it, as if killed.
    End = 5,
}

/// The exit code of a process that was ended.
pub const ENDED: i32 = 137;

/// Operations until the fault, less than one where there is none.
static LEFT: AtomicI64 = AtomicI64::new(0);
static FAULT: AtomicU8 = AtomicU8::new(0);

/// Lets the n-th file operation from here on meet a fault, counted from one; for tests of what
/// stands on storage, of which one process holds one at a time.
pub fn let_fail(operation: u32, fault: Fault) {
    LEFT.store(i64::from(operation), Ordering::SeqCst);
    FAULT.store(fault as u8, Ordering::SeqCst);
}

/// Whether an operation has met its fault.
pub fn has_failed() -> bool {
    FAULT.load(Ordering::SeqCst) != 0 && LEFT.load(Ordering::SeqCst) <= 0
}

/// The fault that an operation meets, if it meets one.
fn met() -> Option<Fault> {
    let fault = match FAULT.load(Ordering::Relaxed) {
        0 => return None,
        1 => Fault::Full,
        2 => Fault::Broken,
        3 => Fault::Denied,
        4 => Fault::Short,
        _ => Fault::End,
    };
    let left = LEFT.fetch_sub(1, Ordering::SeqCst);
    (left == 1 || left < 1 && fault == Fault::Full).then_some(fault)
}

/// Goes on, fails or ends.
fn pass() -> io::Result<()> {
    match met() {
        None => Ok(()),
        Some(fault) => Err(fault.error()),
    }
}

impl Fault {
    fn error(self) -> io::Error {
        match self {
            Self::Full => io::ErrorKind::StorageFull.into(),
            Self::Denied => io::ErrorKind::PermissionDenied.into(),
            Self::Broken | Self::Short => io::Error::other("input/output error"),
            Self::End => std::process::exit(ENDED),
        }
    }
}

pub(crate) fn open(options: &fs::OpenOptions, path: &Path) -> io::Result<File> {
    pass()?;
    options.open(path)
}

pub(crate) fn write_all(mut file: &File, bytes: &[u8]) -> io::Result<()> {
    match met() {
        None => file.write_all(bytes),
        Some(Fault::Short) => {
            file.write_all(&bytes[..bytes.len() / 2])?;
            Err(Fault::Short.error())
        }
        Some(fault) => Err(fault.error()),
    }
}

pub(crate) fn sync_all(file: &File) -> io::Result<()> {
    pass()?;
    file.sync_all()
}

pub(super) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    pass()?;
    fs::rename(from, to)
}

pub(super) fn create_dir_all(path: &Path) -> io::Result<()> {
    pass()?;
    fs::create_dir_all(path)
}

pub(super) fn remove_dir_all(path: &Path) -> io::Result<()> {
    pass()?;
    fs::remove_dir_all(path)
}

pub(super) fn remove_file(path: &Path) -> io::Result<()> {
    pass()?;
    fs::remove_file(path)
}

/// Exchanges what stands under two names, at once; unsupported where the system or the file system
/// cannot.
#[cfg(target_os = "linux")]
pub(super) fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use rustix::io::Errno;
    pass()?;
    renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).map_err(|error| match error {
        Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP => io::ErrorKind::Unsupported.into(),
        other => other.into(),
    })
}

/// Exchanges what stands under two names, at once; unsupported where the system or the file system
/// cannot.
#[cfg(not(target_os = "linux"))]
pub(super) fn exchange(_one: &Path, _other: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
