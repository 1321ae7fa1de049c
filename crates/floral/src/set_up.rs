//! Set-up of the threads of a process.

use std::num::NonZero;

use crate::{Error, Result};

/// Number of threads that is always allowed, however few cores the machine has.
const FEW_THREADS: usize = 64;

/// Largest number of threads per core; more would only wait for each other.
const THREADS_PER_CORE: usize = 4;

/// The environment variable that sets the number of threads of rayon.
const FROM_OUTSIDE: &str = "RAYON_NUM_THREADS";

/// Sets the number of threads of this process, the calling thread included; by default one per
/// core. Returns the number of threads in use. Call it once, before any other computation.
///
/// The number is limited to 64 or four per core, whichever is larger: starting and waking more
/// threads would take longer than their work.
///
/// A program that does not call it computes the same results on rayon's own threads, some percent
/// slower. To reuse memory during training as well, declare
/// [`memory::Allocator`](crate::memory::Allocator) as the global allocator.
pub fn set_up(threads: Option<usize>) -> Result<usize> {
    if threads == Some(0) {
        return Err(Error::config("threads", "at least one is needed"));
    }
    // The calling thread takes part in the work. Otherwise each training step would hand work over,
    // and wake the calling thread, some hundred times.
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

/// The number of threads set by the environment variable, if any.
pub fn asked_outside() -> Option<usize> {
    let asked = std::env::var(FROM_OUTSIDE).ok()?;
    asked.parse().ok().filter(|threads| *threads > 0)
}

/// Largest useful number of threads on this machine.
pub fn most_threads() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    FEW_THREADS.max(THREADS_PER_CORE * cores)
}
