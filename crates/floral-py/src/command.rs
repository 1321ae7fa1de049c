//! The command line, run by the script `floral` that the wheel installs.

use std::ffi::OsString;

use pyo3::prelude::*;

use crate::error::guarded;

/// Runs the command of these words, the program's name first, and returns its exit code.
#[pyfunction]
pub fn command(py: Python<'_>, words: Vec<OsString>) -> PyResult<u8> {
    // The process has no other work: as much memory is held as by the program.
    crate::MEMORY.keep(floral::cost::spare_memory());
    py.detach(|| guarded(|| floral_cli::run(words)))
}
