//! Checks that the arrays of a dataset are consistent, and finds their common grid; for
//! `reader.rs`.

use serde_json::Value;

use super::layout::{
    self, CHANNEL_DIMENSION, HIGH, INPUT, INPUT_DIMENSION, LOW, POINTS, REALIZATION_DIMENSION,
};
use super::{axis_names, mesh};
use crate::grid::{Direction, Domain, POINT, Thinning};
use crate::storage::StoredArray;
use crate::storage::array_metadata::{AXIS, DOMAIN, LONG_NAME, UNITS, nameless};
use crate::{Axis, Grid, Result};

/// Largest number of points of an axis, 2^24: its coordinates take 128 MiB.
const LONGEST_AXIS: usize = 1 << 24;

/// Largest number of inputs, 2^24; checking more would take days.
const MOST_INPUTS: usize = 1 << 24;

/// Above this number of inputs, the last one must be stored; with fewer, all are checked quickly.
const MANY_INPUTS: usize = 1 << 16;

const FORM: [&str; 2] = [INPUT_DIMENSION, CHANNEL_DIMENSION];
const HIGH_FORM: [&str; 3] = [INPUT_DIMENSION, REALIZATION_DIMENSION, CHANNEL_DIMENSION];

/// The grid of `input`, else of `high`, `low` or the points of a mesh, with the coordinate arrays
/// returned by `open`. Also returns whether each axis has coordinates; without them its points are
/// counted.
pub(super) fn grid(
    open: impl Fn(&str) -> Result<Option<StoredArray>>,
) -> Result<Option<(Grid, Vec<bool>)>> {
    let forms: [(&str, &[&str]); 3] = [(INPUT, &FORM), (HIGH, &HIGH_FORM), (LOW, &FORM)];
    for (name, form) in forms {
        if let Some(array) = open(name)? {
            return grid_of(&array, form, open).map(Some);
        }
    }
    let Some(points) = open(POINTS)? else {
        return Ok(None);
    };
    let count = points.shape()[0];
    Ok(Some((on_mesh(&points, count, open)?, vec![false])))
}

/// The grid on a mesh with these points, in the units of their array.
fn on_mesh(
    points: &StoredArray,
    count: usize,
    open: impl Fn(&str) -> Result<Option<StoredArray>>,
) -> Result<Grid> {
    let grid = Grid::on_mesh(mesh::read(points, count, open)?);
    let axes = grid.axes.iter().map(|axis| described(axis.clone(), points));
    Ok(grid.with_axes(axes.collect()))
}

fn grid_of(
    input: &StoredArray,
    form: &[&str],
    open: impl Fn(&str) -> Result<Option<StoredArray>>,
) -> Result<(Grid, Vec<bool>)> {
    check_form(input, form)?;
    check_inputs(input)?;
    let lengths = &input.shape()[form.len()..];
    let names: Vec<String> = (0..lengths.len())
        .map(|i| match input.dimension(form.len() + i) {
            Some(name) => name.to_owned(),
            None => axis_names::counted(i),
        })
        .collect();
    // Names become paths, so they are checked before anything is opened.
    if let Some(fault) = axis_names::fault_of_dataset(names.iter().map(String::as_str)) {
        return Err(input.bad(&format!("has an invalid axis: {fault}")));
    }
    if names == [POINT]
        && let Some(points) = open(POINTS)?
    {
        return Ok((on_mesh(&points, lengths[0], open)?, vec![false]));
    }
    let axes = names.iter().zip(lengths).map(|(name, &points)| {
        let Some(array) = open(name)? else {
            let count = (0..points).map(|i| i as f64).collect();
            return Ok((Axis::from_coordinates(name, count), false));
        };
        Ok((axis(name, &array, points)?, true))
    });
    let (axes, has_coordinates) = axes.collect::<Result<Vec<_>>>()?.into_iter().unzip();
    Ok((Grid::new(axes), has_coordinates))
}

/// Checks that an array has these numbers of inputs and channels, this grid, and realizations if
/// given.
pub(super) fn check(
    array: &StoredArray,
    inputs: usize,
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
    let leading = [Some(inputs), realizations, channels];
    let expected: Vec<usize> = leading.into_iter().flatten().chain(grid.shape()).collect();
    if found != expected {
        return Err(array.misshapen(expected));
    }
    let names = (form.len()..found.len()).map(|i| array.dimension(i));
    for (name, axis) in names.zip(&grid.axes) {
        if name.is_some_and(|name| name != axis.name) {
            return Err(array.bad(&format!(
                "has other axes than another array, which has {}; all need the same grid",
                axis.name
            )));
        }
    }
    Ok(())
}

/// The points where high fidelity is known, if they are every s-th point of the grid and the array
/// declares it: its axes have the names of [`layout::high_axis`] and the corresponding coordinates.
pub(super) fn thinning(
    high: &StoredArray,
    grid: &Grid,
    open: impl Fn(&str) -> Result<Option<StoredArray>>,
) -> Result<Option<Thinning>> {
    let shape = high.shape();
    let own = shape.get(HIGH_FORM.len()..).unwrap_or(&[]);
    let Some(thinning) = Thinning::to(&grid.shape(), own).filter(|_| own != grid.shape()) else {
        return Ok(None);
    };
    for (i, (axis, full)) in thinning.grid(grid).axes.iter().zip(&grid.axes).enumerate() {
        let name = layout::high_axis(&axis.name);
        let is_named = high.dimension(HIGH_FORM.len() + i) == Some(&name);
        if axis.len() == full.len() {
            continue;
        }
        let Some(array) = open(&name)?.filter(|_| is_named) else {
            return Ok(None);
        };
        let found = self::axis(&name, &array, axis.len())?;
        let margin = 1e-3 * full.spacing();
        let mut pairs = found.coordinates.iter().zip(&axis.coordinates);
        if !pairs.all(|(found, expected)| (found - expected).abs() <= margin) {
            return Err(array.bad(&format!(
                "its coordinates are not every s-th of {}, from the first on",
                axis.name
            )));
        }
    }
    Ok(Some(thinning))
}

/// The grid of high fidelity, with the axis names of its array.
pub(super) fn high_grid(grid: &Grid, thinning: Option<&Thinning>) -> Grid {
    let Some(thinning) = thinning else {
        return grid.clone();
    };
    let mut thinned = thinning.grid(grid);
    for (axis, full) in thinned.axes.iter_mut().zip(&grid.axes) {
        if axis.len() < full.len() {
            axis.name = layout::high_axis(&axis.name);
        }
    }
    thinned
}

/// Number of realizations of each input.
pub(super) fn counts(array: &StoredArray, inputs: usize, most: usize) -> Result<Vec<usize>> {
    if array.shape() != [inputs] {
        return Err(array.misshapen(vec![inputs]));
    }
    let counts = array.read(0..inputs)?;
    let odd = counts
        .iter()
        .position(|n| !(1.0..=most as f64).contains(n) || n.fract() != 0.0);
    match odd {
        None => Ok(counts.into_iter().map(|n| n as usize).collect()),
        Some(i) => Err(array.bad(&format!(
            "says that input {i} has {} realizations, but there is room for 1 to {most}",
            counts[i]
        ))),
    }
}

/// Refuses more inputs than allowed or stored.
fn check_inputs(input: &StoredArray) -> Result<()> {
    let shape = input.shape();
    let count = shape[0];
    if count > MOST_INPUTS {
        return Err(input.bad(&format!(
            "has the shape {shape:?}, but there are at most {MOST_INPUTS} inputs"
        )));
    }
    if count > MANY_INPUTS && !input.has_stored(count - 1) {
        return Err(input.bad(&format!(
            "has the shape {shape:?}, but its last input is not stored; write all of them, or \
             shorten it"
        )));
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
    if shape[form.len()..].iter().any(|n| *n > LONGEST_AXIS) {
        return Err(array.bad(&format!(
            "has the shape {shape:?}, but an axis of the grid has at most {LONGEST_AXIS} points"
        )));
    }
    match array.number() {
        Some(number) if !number.is_complex() => Ok(()),
        _ => Err(array.bad(&format!(
            "has values of type {}; convert them to float32 or float64",
            array.data_type()
        ))),
    }
}

/// An axis with the coordinates of this array, and the domain declared in its attributes.
fn axis(name: &str, array: &StoredArray, points: usize) -> Result<Axis> {
    if array.shape() != [points] {
        return Err(array.misshapen(vec![points]));
    }
    let values = array.read(0..points)?;
    let is_increasing = values.windows(2).all(|pair| pair[0] < pair[1]);
    if !is_increasing || values.iter().any(|value| !value.is_finite()) {
        return Err(array.bad("its coordinates have to be finite and increasing; sort the axis"));
    }
    let axis = Axis::stored(name, values, domain(array)?).map_err(|fault| array.bad(&fault))?;
    Ok(described(axis, array))
}

/// The axis with units and long name from the attributes of its coordinates.
fn described(axis: Axis, array: &StoredArray) -> Axis {
    let text = |key: &str| array.attribute(key).and_then(Value::as_str);
    let (units, long_name) = (text(UNITS), text(LONG_NAME));
    let is_nameless = long_name.is_some_and(|long_name| long_name == nameless(&axis.name));
    // Older builds wrote the unit 1 together with that name for every axis.
    let units = units.filter(|units| !(is_nameless && *units == "1"));
    let long_name = long_name.filter(|_| !is_nameless);
    Axis {
        declared: text(AXIS).and_then(Direction::declared),
        ..axis
    }
    .with_units(units.unwrap_or_default())
    .with_long_name(long_name.unwrap_or_default())
}

fn domain(array: &StoredArray) -> Result<Option<Domain>> {
    let Some(domain) = array.attribute(DOMAIN) else {
        return Ok(None);
    };
    // Other programs may use an attribute of this name for something else.
    if domain.get("kind").is_none() {
        return Ok(None);
    }
    let domain = serde_json::from_value(domain.clone());
    domain.map(Some).map_err(|error| {
        array.bad(&format!(
            "its attribute {DOMAIN} cannot be read ({error}); write it as {{\"kind\": \
             \"closed\", \"periodic\" or \"times\", \"from\": .., \"to\": ..}}, or remove it"
        ))
    })
}
