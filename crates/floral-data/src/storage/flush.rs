//! Flushes data to the disk during the computation, so that little is left to flush when a group is
//! finished. `group.rs` reports every chunk.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;

use super::files::sync_tree;
use crate::Result;

/// Number of bytes that triggers a flush: some tenths of a second of disk time.
const ENOUGH: u64 = 64 << 20;

/// A growing folder whose contents are flushed in the background.
pub(super) struct Flush {
    folder: PathBuf,
    /// Bytes written since the last flush.
    waiting: AtomicU64,
    under_way: Mutex<Option<JoinHandle<Result<()>>>>,
}

impl Flush {
    pub fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            waiting: AtomicU64::new(0),
            under_way: Mutex::new(None),
        }
    }

    /// Records that bytes were written. On Linux, where one system call flushes everything, a
    /// background thread flushes once enough bytes have accumulated. Its error is returned here or
    /// by [`Self::all`].
    pub fn wrote(&self, bytes: u64) -> Result<()> {
        let waiting = self.waiting.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if waiting < ENOUGH || !cfg!(target_os = "linux") {
            return Ok(());
        }
        let mut under_way = self.locked();
        if under_way
            .as_ref()
            .is_some_and(|thread| !thread.is_finished())
        {
            return Ok(());
        }
        ended(under_way.take())?;
        self.waiting.store(0, Ordering::Relaxed);
        let folder = self.folder.clone();
        *under_way = Some(std::thread::spawn(move || sync_tree(&folder)));
        Ok(())
    }

    /// Waits until everything has reached the disk.
    pub fn all(&self) -> Result<()> {
        let before = ended(self.locked().take());
        sync_tree(&self.folder).and(before)
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, Option<JoinHandle<Result<()>>>> {
        self.under_way
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// The result of a thread; the system reports an error only once.
fn ended(thread: Option<JoinHandle<Result<()>>>) -> Result<()> {
    match thread.map(JoinHandle::join) {
        None => Ok(()),
        Some(Ok(outcome)) => outcome,
        Some(Err(panic)) => std::panic::resume_unwind(panic),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_the_thread_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let gone = Flush::new(&folder.path().join("gone"));
        gone.wrote(ENOUGH).unwrap();
        if cfg!(target_os = "linux") {
            assert!(gone.locked().is_some());
        }
        let words = gone.all().unwrap_err().to_string();
        assert!(words.contains("gone"), "{words}");
        let there = Flush::new(folder.path());
        there.wrote(ENOUGH - 1).unwrap();
        assert!(there.locked().is_none(), "little is not worth the asking");
        there.wrote(1).unwrap();
        there.all().unwrap();
    }
}
