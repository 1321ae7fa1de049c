//! The command line, run by the script `floral` that the wheel installs.

use std::ffi::OsString;

use pyo3::prelude::*;

use crate::error::guarded;

/// Runs a command line, the program's name first, and returns its exit code.
#[pyfunction]
pub fn command(py: Python<'_>, words: Vec<OsString>) -> PyResult<u8> {
    // The process does nothing else: it may keep as much memory as the program does.
    crate::MEMORY.keep(floral::cost::spare_memory());
    py.detach(|| guarded(|| floral_cli::run(words)))
}
