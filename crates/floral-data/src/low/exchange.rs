//! Fields in NumPy archives: the input of a command, its output, and cached solutions.

use std::path::Path;

use crate::npz;
use crate::{Error, Field, Grid, Result};

const INPUT: &str = "input";
const LOW: &str = "low";
const HIGH: &str = "high";

/// Writes the input of a command: the array `input` [channel, grid...], and the coordinates under
/// the names of their axes.
pub(super) fn write_input(path: &Path, input: &Field, grid: &Grid) -> Result<()> {
    let shape = [&[input.channels()], input.grid_shape()].concat();
    let mut arrays = vec![(INPUT, shape, input.values())];
    for axis in &grid.axes {
        arrays.push((&axis.name, vec![axis.len()], &axis.coordinates));
    }
    npz::write(path, &arrays)
}

/// Writes a low-fidelity solution.
pub(super) fn write_low(path: &Path, low: &Field) -> Result<()> {
    let shape = [&[low.channels()], low.grid_shape()].concat();
    npz::write(path, &[(LOW, shape, low.values())])
}

/// Reads the array `low`: [channel, grid...], or [grid...] with one channel. Checks the number of
/// channels if it is given.
pub(super) fn read_low(path: &Path, channels: Option<usize>, grid: &Grid) -> Result<Field> {
    let bad = |reason: String| Error::bad_file(path, reason);
    let Some((shape, values)) = npz::read_one(path, LOW)? else {
        return Err(bad(format!(
            "has no array {LOW}; write it with numpy.savez(path, {LOW}=...)"
        )));
    };
    let found = match shape.split_first() {
        _ if shape == grid.shape() => Some(1),
        Some((found, rest)) if rest == grid.shape() => Some(*found),
        _ => None,
    };
    let Some(channels) = found.filter(|found| channels.is_none_or(|c| c == *found)) else {
        return Err(Error::shape(
            format!("the array {LOW}, [channel, grid...],"),
            shape,
            [vec![channels.unwrap_or(1)], grid.shape()].concat(),
        ));
    };
    let low = Field::from_values(channels, &grid.shape(), values)?;
    check_low(&low, channels, grid).map_err(|reason| bad(format!("{LOW} {reason}")))?;
    Ok(low)
}

/// Writes realizations of a high-fidelity solution: the array `high` [realization, channel,
/// grid...].
pub fn write_high(path: &Path, high: &[Field]) -> Result<()> {
    let first = high
        .first()
        .ok_or_else(|| Error::bad_file(path, "would have no realization; give at least one"))?;
    let shape = [&[high.len(), first.channels()], first.grid_shape()].concat();
    let values: Vec<f64> = high.iter().flat_map(Field::values).copied().collect();
    npz::write(path, &[(HIGH, shape, &values)])
}

/// Reads the array `high`: [realization, channel, grid...], [realization, grid...] with one
/// channel, or [grid...] with one channel and one realization.
pub fn read_high(path: &Path, grid: &Grid) -> Result<Vec<Field>> {
    let bad = |reason: String| Error::bad_file(path, reason);
    let Some((shape, values)) = npz::read_one(path, HIGH)? else {
        return Err(bad(format!(
            "has no array {HIGH}; write it with numpy.savez(path, {HIGH}=...)"
        )));
    };
    let own = grid.shape();
    let channels = match shape.len().checked_sub(own.len()) {
        Some(more) if shape[more..] == own[..] => match shape[..more] {
            [] | [_] => Some(1),
            [_, channels] => Some(channels),
            _ => None,
        },
        _ => None,
    };
    let Some(channels) = channels.filter(|_| !values.is_empty()) else {
        return Err(Error::shape(
            format!("the array {HIGH}, [realization, channel, grid...],"),
            shape,
            [vec![1, 1], own].concat(),
        ));
    };
    let fields = values.chunks_exact(channels * grid.len());
    let field = |values: &[f64]| {
        let field = Field::from_values(channels, &own, values.to_vec())?;
        check_low(&field, channels, grid).map_err(|reason| bad(format!("{HIGH} {reason}")))?;
        Ok(field)
    };
    fields.map(field).collect()
}

/// Refuses a solution with other channels or another grid, and values that are not finite.
pub(super) fn check_low(
    low: &Field,
    channels: usize,
    grid: &Grid,
) -> std::result::Result<(), String> {
    let found = [&[low.channels()], low.grid_shape()].concat();
    let expected = [vec![channels], grid.shape()].concat();
    if found != expected {
        return Err(format!("has shape {found:?} but {expected:?} is needed"));
    }
    match low.values().iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(at) => Err(format!(
            "has the value {} at point {} of channel {}",
            low.values()[at],
            at % grid.len(),
            at / grid.len()
        )),
    }
}
