//! The command line, run by the script `floral` that the wheel installs.

use std::ffi::OsString;

use pyo3::prelude::*;

use crate::error::guarded;

/// Runs a command line, which starts with the program's name, and returns the exit code.
#[pyfunction]
pub fn command(py: Python<'_>, words: Vec<OsString>) -> PyResult<u8> {
    // The process does nothing else, so that it may keep as much freed memory as the command.
    crate::MEMORY.keep(floral::cost::spare_memory());
    py.detach(|| guarded(|| floral_cli::run(words)))
}
