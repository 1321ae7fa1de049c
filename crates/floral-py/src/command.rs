//! The command line, run by the script `floral` that the wheel installs.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the command of these words, the program's name first, and returns its exit code.
#[pyfunction]
pub fn command(py: Python<'_>, words: Vec<OsString>) -> u8 {
    // The process has no other work: as much memory is held as by the program.
    crate::MEMORY.keep(floral::cost::spare_memory());
    py.detach(|| floral_cli::run(words))
}
