//! The library's errors as Python's: what was wrong decides the class, the words stay the library's.

use std::io;
use std::path::Path;

use floral::Error;
use pyo3::exceptions::{
    PyFileNotFoundError, PyKeyboardInterrupt, PyMemoryError, PyOSError, PyPermissionError,
    PyValueError,
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
