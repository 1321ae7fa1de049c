//! Faults of file operations: the n-th of a process fails, or the process ends before it.

pub mod journal;

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use floral::storage::operations::{self, Step, Watcher};

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
/// before. They are those of the process: one test at a time can have them.
pub fn let_fail(faults: &[(u32, Fault)]) {
    begin();
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

/// Stands beside the operations of the library.
struct Injected;

/// Lets the operations of the library pass by here.
fn begin() {
    operations::watch(&Injected);
}

impl Watcher for Injected {
    fn before_read(&self) -> io::Result<()> {
        met(&READS).map_or(Ok(()), |fault| Err(fault.error()))
    }

    fn before_change(&self) -> io::Result<()> {
        met(&WRITES).map_or(Ok(()), |fault| Err(fault.error()))
    }

    fn before_bytes(&self, count: usize) -> (usize, io::Result<()>) {
        match met(&WRITES) {
            None => (count, Ok(())),
            Some(fault @ Fault::Short) => (count / 2, Err(fault.error())),
            Some(fault) => (0, Err(fault.error())),
        }
    }

    fn after(&self, step: &Step<'_>) {
        journal::add(step);
    }
}
