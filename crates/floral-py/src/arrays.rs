//! Fields and grids as they cross the border: arrays in float64, grids as JSON.

use floral::{Field, Grid};
use numpy::{
    Element, PyArray1, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::Serialize;

use crate::error::raised;

/// An array of doubles from Python.
pub type Doubles<'py> = PyReadonlyArrayDyn<'py, f64>;

/// An array for Python that takes the values over.
pub fn array<'py, T: Element>(
    py: Python<'py>,
    shape: &[usize],
    values: Vec<T>,
) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    PyArray1::from_vec(py, values).reshape(shape.to_vec())
}

/// A field as [channel, grid...].
pub fn from_field<'py>(py: Python<'py>, field: Field) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
    let shape = [&[field.channels()], field.grid_shape()].concat();
    array(py, &shape, field.into_values())
}

/// The field of an array [channel, grid...].
pub fn to_field(py: Python<'_>, array: &Doubles<'_>) -> PyResult<Field> {
    let (channels, grid) = split(array.shape())?;
    field(py, channels, grid, array.as_slice()?)
}

/// The fields of an array [..., channel, grid...] with so many axes of the grid, one after another.
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
        None => Err(PyValueError::new_err("a field has an axis of channels")),
    }
}

/// A grid from the JSON of its axes.
pub fn to_grid(axes: &str) -> PyResult<Grid> {
    let axes = serde_json::from_str(axes)
        .map_err(|error| PyValueError::new_err(format!("coordinates: {error}")))?;
    Ok(Grid::new(axes))
}

/// Anything the library can tell, as JSON.
pub fn to_json(value: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| PyValueError::new_err(error.to_string()))
}
