//! The library's errors as Python exceptions: the kind selects the class, the message is kept.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use floral::Error;
use pyo3::exceptions::{
    PyFileNotFoundError, PyKeyboardInterrupt, PyMemoryError, PyOSError, PyPermissionError,
    PyRuntimeError, PyValueError,
};
use pyo3::prelude::*;

use crate::advice;

/// The exception for an error.
pub fn raised(py: Python<'_>, error: Error) -> PyErr {
    let words = advice::message(&error);
    let cause = match error {
        Error::Advised { error, .. } => *error,
        other => other,
    };
    match cause {
        Error::Io { path, source } => system(&path, &source),
        Error::BadFile { path, .. } if !path.exists() => PyFileNotFoundError::new_err(words),
        Error::BadFile { path, .. } => bad_file(py, words, path),
        Error::Memory { .. } => PyMemoryError::new_err(words),
        Error::Interrupted => PyKeyboardInterrupt::new_err(words),
        _ => PyValueError::new_err(words),
    }
}

/// Runs work whose panics become a `RuntimeError`: pyo3's own exception for them does not derive from
/// `Exception`, so that no handler of the caller would catch it.
pub fn guarded<T>(work: impl FnOnce() -> T) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let words = panic.downcast_ref::<&str>().copied();
        let words = words.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        let words = words.unwrap_or("no message");
        PyRuntimeError::new_err(format!(
            "internal error in floral ({words}); please report it with the code that led to it"
        ))
    })
}

/// An `OSError` with number and file name, which Python turns into `FileNotFoundError`,
/// `PermissionError` and so on.
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

/// The package's own class for damaged or unsuitable files.
fn bad_file(py: Python<'_>, words: String, path: PathBuf) -> PyErr {
    let class = py
        .import("floral.errors")
        .and_then(|module| module.getattr("BadFileError"));
    let made = class.and_then(|class| {
        let error = class.call1((words,))?;
        error.setattr("path", path)?;
        Ok(error)
    });
    match made {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
}
