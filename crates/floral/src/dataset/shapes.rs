//! Whether the arrays of a dataset fit together, and the grid they share.

use super::layout::{CHANNEL_DIMENSION, INPUT_DIMENSION, REALIZATION_DIMENSION};
use super::stored_array::StoredArray;
use crate::{Axis, Grid, Result};

const FORM: [&str; 2] = [INPUT_DIMENSION, CHANNEL_DIMENSION];
const HIGH_FORM: [&str; 3] = [INPUT_DIMENSION, REALIZATION_DIMENSION, CHANNEL_DIMENSION];

/// The grid of the array `input`, with the coordinates that `open` finds.
pub(super) fn grid(
    input: &StoredArray,
    open: impl Fn(&str) -> Result<Option<StoredArray>>,
) -> Result<Grid> {
    check_form(input, &FORM)?;
    let shape = input.shape();
    let axes = shape.iter().enumerate().skip(FORM.len()).map(|(i, &n)| {
        let name = match input.dimension(i) {
            Some(name) => name.to_owned(),
            None => format!("axis{}", i - FORM.len()),
        };
        let coordinates = match open(&name)? {
            Some(array) => coordinates(&array, n)?,
            None => (0..n).map(|i| i as f64).collect(),
        };
        Ok(Axis { name, coordinates })
    });
    Ok(Grid::new(axes.collect::<Result<_>>()?))
}

/// Checks that an array has the inputs and the grid of `input`, these channels, and realizations
/// if it should have them.
pub(super) fn check(
    array: &StoredArray,
    input: &StoredArray,
    grid: &Grid,
    realizations: Option<usize>,
    channels: Option<usize>,
) -> Result<()> {
    let form: &[&str] = if realizations.is_some() {
        &HIGH_FORM
    } else {
        &FORM
    };
    check_form(array, form)?;
    let found = array.shape();
    let leading = [Some(input.shape()[0]), realizations, channels];
    let expected: Vec<usize> = leading.into_iter().flatten().chain(grid.shape()).collect();
    if found != expected {
        return Err(array.misshapen(expected));
    }
    let names = (form.len()..found.len()).map(|i| array.dimension(i));
    for (name, axis) in names.zip(&grid.axes) {
        if name.is_some_and(|name| name != axis.name) {
            return Err(array.bad(&format!(
                "has other axes than the array input, which has {}; both need the same grid",
                axis.name
            )));
        }
    }
    Ok(())
}

/// Checks the number and order of dimensions, and the type of values.
fn check_form(array: &StoredArray, form: &[&str]) -> Result<()> {
    let shape = array.shape();
    let is_elsewhere =
        |i: usize, name: &str| HIGH_FORM.contains(&name) && form.get(i) != Some(&name);
    let names = || (0..shape.len()).map(|i| array.dimension(i).unwrap_or("?"));
    let is_misplaced = names().enumerate().any(|(i, name)| is_elsewhere(i, name));
    if shape.len() <= form.len() || is_misplaced {
        return Err(array.bad(&format!(
            "has the dimensions ({}), but ({}, then one or more grid axes) is needed",
            names().collect::<Vec<_>>().join(", "),
            form.join(", ")
        )));
    }
    if shape.contains(&0) {
        return Err(array.bad(&format!("has the shape {shape:?}, so it is empty")));
    }
    match array.data_type().as_str() {
        "float32" | "float64" => Ok(()),
        other => Err(array.bad(&format!(
            "has values of type {other}; convert them to float32 or float64"
        ))),
    }
}

fn coordinates(array: &StoredArray, points: usize) -> Result<Vec<f64>> {
    if array.shape() != [points] {
        return Err(array.misshapen(vec![points]));
    }
    let values = array.read(0..points)?;
    let is_increasing = values.windows(2).all(|pair| pair[0] < pair[1]);
    match is_increasing && values.iter().all(|value| value.is_finite()) {
        true => Ok(values),
        false => Err(array.bad("its coordinates have to be finite and increasing; sort the axis")),
    }
}
