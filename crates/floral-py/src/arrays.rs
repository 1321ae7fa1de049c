//! Conversion between Rust and Python: fields as float64 arrays, grids and settings as JSON.

use floral::Field;
use numpy::{
    Element, PyArray1, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::raised;

/// An array of doubles from Python.
pub type Doubles<'py> = PyReadonlyArrayDyn<'py, f64>;

/// An array of doubles for Python.
pub type Returned<'py> = PyResult<Bound<'py, PyArrayDyn<f64>>>;

/// An array for Python that takes ownership of the values.
pub fn array<'py, T: Element>(
    py: Python<'py>,
    shape: &[usize],
    values: Vec<T>,
) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    PyArray1::from_vec(py, values).reshape(shape.to_vec())
}

/// A field as [channel, grid...].
pub fn from_field(py: Python<'_>, field: Field) -> Returned<'_> {
    let shape = [&[field.channels()], field.grid_shape()].concat();
    array(py, &shape, field.into_values())
}

/// The field of an array [channel, grid...].
pub fn to_field(py: Python<'_>, array: &Doubles<'_>) -> PyResult<Field> {
    let (channels, grid) = split(array.shape())?;
    field(py, channels, grid, array.as_slice()?)
}

/// The fields of an array [..., channel, grid...] whose grid has this number of axes.
pub fn to_fields(py: Python<'_>, array: &Doubles<'_>, axes: usize) -> PyResult<Vec<Field>> {
    let shape = array.shape();
    let start = shape.len().saturating_sub(axes + 1);
    let (channels, grid) = split(&shape[start..])?;
    let size = (channels * grid.iter().product::<usize>()).max(1);
    let parts = array.as_slice()?.chunks_exact(size);
    parts
        .map(|values| field(py, channels, grid, values))
        .collect()
}

fn field(py: Python<'_>, channels: usize, grid: &[usize], values: &[f64]) -> PyResult<Field> {
    Field::from_values(channels, grid, values.to_vec()).map_err(|error| raised(py, error))
}

fn split(shape: &[usize]) -> PyResult<(usize, &[usize])> {
    match shape.split_first() {
        Some((channels, grid)) => Ok((*channels, grid)),
        None => Err(PyValueError::new_err("a field needs an axis of channels")),
    }
}

/// Reads a value that Python passes as JSON; `what` names it in an error.
pub fn from_json<T: DeserializeOwned>(what: &str, json: &str) -> PyResult<T> {
    serde_json::from_str(json).map_err(|error| PyValueError::new_err(format!("{what}: {error}")))
}

/// Writes a value for Python as JSON.
pub fn to_json(value: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| PyValueError::new_err(error.to_string()))
}
