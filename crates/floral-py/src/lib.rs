//! The extension module `floral._floral`: a thin layer that exposes the library's types to Python.
//!
//! Users call the pure-Python package around it, in `python/floral/`. Arrays arrive here with all axes in
//! order, [input, realization, channel, grid...] in float64; settings and results travel as JSON.

mod advice;
mod arrays;
mod command;
mod dataset;
mod decisions;
mod ensemble;
mod error;
mod import;
mod interest;
mod mesh;
mod metrics;
mod model;
mod observe;
mod threads;
mod units;
mod work;

use pyo3::prelude::*;

#[global_allocator]
static MEMORY: floral::memory::Allocator = floral::memory::Allocator::new();

/// Bytes of freed memory kept for reuse; more would be missing in the rest of a notebook.
const HELD: usize = 1 << 29;

/// Functions and classes for the package `floral`; not for direct use.
#[pymodule]
mod _floral {
    use super::*;

    #[pymodule_export]
    use crate::command::command;
    #[pymodule_export]
    use crate::dataset::Dataset;
    #[pymodule_export]
    use crate::dataset::{constants, interpolated, problem_names};
    #[pymodule_export]
    use crate::decisions::{Loop, sensitivity, unbiased_mean};
    #[pymodule_export]
    use crate::ensemble::Ensemble;
    #[pymodule_export]
    use crate::import::import_files;
    #[pymodule_export]
    use crate::interest::{Distribution, quantity, stretch};
    #[pymodule_export]
    use crate::mesh::Mesh;
    #[pymodule_export]
    use crate::metrics::{coverage, energy_score, ensemble_scores, mean_errors, variance_errors};
    #[pymodule_export]
    use crate::model::Model;
    #[pymodule_export]
    use crate::threads::{set_threads, threads};
    #[pymodule_export]
    use crate::units::conversion;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        MEMORY.keep(floral::cost::spare_memory().min(HELD));
        module.add("REALIZATIONS", floral::predict::REALIZATIONS)?;
        module.add("REFERENCE", floral::evaluate::REFERENCE)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
