//! Unit conversion by the library's rules.

use floral::units::relation;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The factor and offset that convert values from units `given` to units `wanted`.
#[pyfunction]
pub fn conversion(what: &str, given: &str, wanted: &str) -> PyResult<(f64, f64)> {
    match relation(given, wanted).conversion() {
        Some(conversion) => Ok((conversion.factor, conversion.offset)),
        None => Err(PyValueError::new_err(format!(
            "{what} is in {given} instead of {wanted}, and no conversion is known; convert the values \
             to {wanted}"
        ))),
    }
}
