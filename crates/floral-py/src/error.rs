//! The library's errors as Python's: what was wrong decides the class, the words stay the library's.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use floral::Error;
use pyo3::exceptions::{
    PyFileNotFoundError, PyKeyboardInterrupt, PyMemoryError, PyOSError, PyPermissionError,
    PyRuntimeError, PyValueError,
};
use pyo3::prelude::*;

/// The exception for an error.
pub fn raised(py: Python<'_>, error: Error) -> PyErr {
    match error {
        Error::Io { path, source } => system(&path, &source),
        Error::BadFile { ref path, .. } if !path.exists() => {
            PyFileNotFoundError::new_err(error.to_string())
        }
        Error::BadFile { .. } => bad_file(py, error.to_string()),
        Error::Memory { .. } => PyMemoryError::new_err(error.to_string()),
        Error::Interrupted => PyKeyboardInterrupt::new_err(error.to_string()),
        other => PyValueError::new_err(other.to_string()),
    }
}

/// Does work whose panics become an exception: pyo3's own for them is none of `Exception`, and would pass
/// every handler of the caller.
pub fn guarded<T>(work: impl FnOnce() -> T) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let words = panic.downcast_ref::<&str>().copied();
        let words = words.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        let words = words.unwrap_or("without a word");
        PyRuntimeError::new_err(format!(
            "a fault of floral itself ({words}); please report it with what led to it"
        ))
    })
}

/// An `OSError` with number and file name, which Python makes `FileNotFoundError`, `PermissionError`
/// or another of.
fn system(path: &Path, source: &io::Error) -> PyErr {
    match source.raw_os_error() {
        Some(number) => {
            let words = source.to_string();
            let words = words.split(" (os error").next().unwrap_or_default();
            PyOSError::new_err((number, words.to_owned(), path.display().to_string()))
        }
        None => of_kind(source.kind(), format!("{}: {source}", path.display())),
    }
}

fn of_kind(kind: io::ErrorKind, words: String) -> PyErr {
    match kind {
        io::ErrorKind::NotFound => PyFileNotFoundError::new_err(words),
        io::ErrorKind::PermissionDenied => PyPermissionError::new_err(words),
        _ => PyOSError::new_err(words),
    }
}

/// The package's own class for files that are not what they should be.
fn bad_file(py: Python<'_>, words: String) -> PyErr {
    let class = py
        .import("floral.errors")
        .and_then(|module| module.getattr("BadFileError"));
    match class.and_then(|class| class.call1((words,))) {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
}
