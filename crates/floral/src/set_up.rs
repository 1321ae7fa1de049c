//! The speed of a process in one call: its threads.

use crate::{Error, Result};

/// More threads than this only wait for each other on any machine.
const MOST_THREADS: usize = 1024;

/// Gives this process so many threads, or as many as the machine has cores, of which the calling
/// one is one; once, before anything else is computed. Returns how many there are.
///
/// A program that leaves it out computes the same on the threads that rayon starts, some percent
/// slower. One that also wants the memory of training reused declares
/// [`memory::Allocator`](crate::memory::Allocator) as its global allocator.
pub fn set_up(threads: Option<usize>) -> Result<usize> {
    if threads == Some(0) {
        return Err(Error::Config {
            context: "threads".into(),
            reason: "at least one is needed".into(),
        });
    }
    // The calling thread works with the others: handing work over would wake it some hundred times
    // a step.
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads.unwrap_or(0).min(MOST_THREADS))
        .use_current_thread()
        .build_global()
        .map_err(|error| Error::Config {
            context: "threads".into(),
            reason: error.to_string(),
        })?;
    Ok(rayon::current_num_threads())
}
