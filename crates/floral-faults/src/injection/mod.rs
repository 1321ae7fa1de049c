//! Faults of file operations: the n-th operation of a process fails, or the process ends before it.

pub mod journal;

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use floral::storage::operations::{self, Step, Watcher};

/// The fault of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// No space is left, for this operation and all later ones.
    Full,
    /// The device fails once.
    Broken,
    /// The operation is not permitted, once.
    Denied,
    /// Half of the bytes are written, then the device fails. An operation without bytes fails at
    /// once.
    Short,
    /// The process ends before the operation, as if killed.
    End,
    /// The file system becomes read-only for this operation and all later ones.
    ReadOnly,
    /// A read fails once. Reads are counted separately.
    Unread,
}

/// The exit code of a process ended by a fault.
pub const ENDED: i32 = 137;

/// The faults to inject, each with the number of its operation, counted from one; and the numbers
/// of operations so far.
static FAULTS: Mutex<Vec<(u32, Fault)>> = Mutex::new(Vec::new());
static ARE_SET: AtomicBool = AtomicBool::new(false);
static WRITES: AtomicU32 = AtomicU32::new(0);
static READS: AtomicU32 = AtomicU32::new(0);

/// Injects faults at the n-th file operations from here on, counted from one, and replaces earlier
/// ones. Faults apply to the whole process, so only one test at a time can use them.
pub fn let_fail(faults: &[(u32, Fault)]) {
    begin();
    WRITES.store(0, Ordering::SeqCst);
    READS.store(0, Ordering::SeqCst);
    *FAULTS.lock().unwrap_or_else(PoisonError::into_inner) = faults.to_vec();
    ARE_SET.store(!faults.is_empty(), Ordering::SeqCst);
}

/// Whether all faults have occurred.
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

/// The fault of the next operation, if it has one.
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

/// Watches the operations of the library.
struct Injected;

/// Routes the file operations of the library through this module.
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
