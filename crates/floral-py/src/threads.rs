//! The pool of compute threads. No Python thread belongs to it, and a forked process gets its own.
//!
//! Python may call from any thread, and may fork, which does not copy the threads of a pool.
//! Therefore the library's own [`set_up`](floral::set_up), which makes the caller a worker, is not
//! used here.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

static POOL: Mutex<Option<Pool>> = Mutex::new(None);

struct Pool {
    process: u32,
    threads: Arc<ThreadPool>,
}

/// The pool of this process, built on first use.
pub fn pool() -> PyResult<Arc<ThreadPool>> {
    let mut held = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if let Some(pool) = held.as_ref().filter(|pool| pool.process == process) {
        return Ok(pool.threads.clone());
    }
    replace(&mut held, floral::asked_outside().unwrap_or(0))
}

/// Replaces the pool by one with this number of threads; 0 means one per core.
fn replace(held: &mut Option<Pool>, threads: usize) -> PyResult<Arc<ThreadPool>> {
    let threads = ThreadPoolBuilder::new()
        .num_threads(threads.min(floral::most_threads()))
        .build()
        .map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    let threads = Arc::new(threads);
    let process = std::process::id();
    let before = held.replace(Pool {
        process,
        threads: threads.clone(),
    });
    if let Some(pool) = before.filter(|pool| pool.process != process) {
        // Its threads exist only in the parent process and cannot be joined here.
        std::mem::forget(pool);
    }
    Ok(threads)
}

/// The number of compute threads.
#[pyfunction]
pub fn threads() -> PyResult<usize> {
    Ok(pool()?.current_num_threads())
}

/// Sets the number of compute threads; all cores if none is given.
#[pyfunction]
#[pyo3(signature = (count=None))]
pub fn set_threads(count: Option<i64>) -> PyResult<()> {
    if count.is_some_and(|count| count < 1) {
        return Err(PyValueError::new_err(
            "threads: give at least 1, or no number for all cores",
        ));
    }
    // 0: one per core.
    let count = count.map_or(0, |count| count.unsigned_abs() as usize);
    let mut held = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    replace(&mut held, count).map(|_| ())
}
