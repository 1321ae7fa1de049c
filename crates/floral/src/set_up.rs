//! The speed of a process in one call: its threads.

use std::num::NonZero;

use crate::{Error, Result};

/// Threads that any machine may be asked for, however few cores it has.
const FEW_THREADS: usize = 64;

/// The most threads per core; more would only wait for each other.
const THREADS_PER_CORE: usize = 4;

/// The environment variable that sets the number of threads of rayon.
const FROM_OUTSIDE: &str = "RAYON_NUM_THREADS";

/// Sets the number of threads of this process, including the calling one; by default one per core.
/// Call it once, before anything else is computed. Returns how many there are: far more than cores are
/// not started, as starting and waking them would take longer than any work.
///
/// A program that leaves it out computes the same on the threads that rayon starts, some percent
/// slower. One that also wants the memory of training reused declares
/// [`memory::Allocator`](crate::memory::Allocator) as its global allocator.
pub fn set_up(threads: Option<usize>) -> Result<usize> {
    if threads == Some(0) {
        return Err(Error::config("threads", "at least one is needed"));
    }
    // The calling thread works with the others: handing work over would wake it some hundred times
    // a step.
    rayon::ThreadPoolBuilder::new()
        .num_threads(
            threads
                .or_else(asked_outside)
                .unwrap_or(0)
                .min(most_threads()),
        )
        .use_current_thread()
        .build_global()
        .map_err(|error| Error::config("threads", error.to_string()))?;
    Ok(rayon::current_num_threads())
}

/// The number of threads that the environment asks for, if it does.
pub fn asked_outside() -> Option<usize> {
    let asked = std::env::var(FROM_OUTSIDE).ok()?;
    asked.parse().ok().filter(|threads| *threads > 0)
}

/// More threads than this are of no use here.
pub fn most_threads() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    FEW_THREADS.max(THREADS_PER_CORE * cores)
}
