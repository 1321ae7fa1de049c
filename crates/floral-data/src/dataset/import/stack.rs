//! A part of a field on the grid of the dataset: interpolated if its own grid differs, and constant
//! along axes that it lacks.

use super::axes::{self, FoundAxis};
use super::cover;
use super::part::Part;
use super::recipe::Recipe;
use super::unit::Unit;
use crate::grid::Interpolation;
use crate::units::relation;
use crate::{Advice, Error, Grid, Result};

/// A part, and the mapping of its values to the grid.
#[derive(Debug)]
pub(super) struct Stack {
    /// The array.
    pub part: Part,
    /// Its axes, in the order of the grid.
    names: Vec<String>,
    reversed: Vec<bool>,
    /// Interpolation to the grid, if the part's own grid differs.
    interpolation: Option<Interpolation>,
    /// For each axis of the grid, its length, and whether the part varies along it.
    along: Vec<(usize, bool)>,
    /// Its own number of points per axis, if it is interpolated.
    pub own_shape: Option<Vec<usize>>,
    /// The arrays of its coordinates.
    pub coordinates: Vec<String>,
    /// Assumptions about its points.
    pub notes: Vec<String>,
    /// The stored channel at each position, if the channels are reordered.
    pub order: Option<Vec<usize>>,
}

impl Stack {
    /// Maps a part to the grid `target`. `base` holds the axes as found in the files; `target` has
    /// the same points or an even grid in their place.
    pub fn new(
        unit: &Unit<'_>,
        recipe: &Recipe,
        part: Part,
        base: &[FoundAxis],
        target: &Grid,
    ) -> Result<Self> {
        let own = own_axes(unit, recipe, &part, base)?;
        let mut notes = Vec::new();
        let (mut from, mut to, mut along) = (Vec::new(), Vec::new(), Vec::new());
        let mut reversed = Vec::new();
        for axis in &target.axes {
            let found = own.iter().find(|found| found.axis.name == axis.name);
            along.push((axis.len(), found.is_some()));
            if let Some(found) = found {
                let fault = |reason| {
                    let (name, axis) = (&part.pick.name, axis.name.clone());
                    Error::bad_file(&unit.source.path, format!("the array {name} {reason}"))
                        .advised(Advice::TakeCovered { axis })
                };
                notes.extend(cover::covered(found, axis).map_err(fault)?);
                from.push(found.axis.clone());
                to.push(axis.clone());
                reversed.push(found.is_reversed);
            }
        }
        let names = from.iter().map(|axis| axis.name.clone()).collect();
        let (from, to) = (Grid::new(from), Grid::new(to));
        let is_other = !is_same(&from, &to);
        let interpolation = match is_other {
            true => Some(Interpolation::to_grid(&from, &to)?),
            false => None,
        };
        Ok(Self {
            part,
            names,
            reversed,
            own_shape: is_other.then(|| from.shape()),
            interpolation,
            along,
            coordinates: own
                .into_iter()
                .filter_map(|found| found.coordinates)
                .collect(),
            notes,
            order: None,
        })
    }

    /// The values of an input on the grid: [realization, channel, grid...].
    pub fn read(&self, unit: &Unit<'_>, input: usize) -> Result<Vec<f64>> {
        let values = self.part.read(unit, input, &self.names, &self.reversed)?;
        let values = match &self.interpolation {
            Some(interpolation) => interpolation.apply(&values),
            None => values,
        };
        let values = match &self.order {
            Some(order) => reordered(&values, order, self.part.realizations().unwrap_or(1)),
            None => values,
        };
        if self.along.iter().all(|(_, varies)| *varies) {
            return Ok(values);
        }
        let own: usize = self
            .along
            .iter()
            .filter(|(_, v)| *v)
            .map(|(n, _)| n)
            .product();
        let mut spread = Vec::new();
        for field in values.chunks_exact(own.max(1)) {
            repeat(field, &self.along, &mut spread);
        }
        Ok(spread)
    }
}

/// The axes of a part, each with the grid's axis of that name as reference.
pub(super) fn own_axes(
    unit: &Unit<'_>,
    recipe: &Recipe,
    part: &Part,
    base: &[FoundAxis],
) -> Result<Vec<FoundAxis>> {
    let mut own = Vec::new();
    for wanted in part.axes(unit) {
        let like = base.iter().find(|found| found.axis.name == wanted.name);
        let Some(like) = like else {
            let known: Vec<&str> = base.iter().map(|found| found.axis.name.as_str()).collect();
            return Err(Error::bad_file(
                &unit.source.path,
                format!(
                    "the array {} has an axis {}, but the grid has the axes {}",
                    part.pick.name,
                    wanted.name,
                    known.join(", ")
                ),
            )
            .advised(Advice::TakeIndex { axis: wanted.name }));
        };
        let found = axes::find(unit, recipe, &wanted, Some(like))?;
        own.push(converted(unit, found, like)?);
    }
    Ok(own)
}

/// An axis, converted to the units of the grid's axis.
pub(super) fn converted(unit: &Unit<'_>, found: FoundAxis, like: &FoundAxis) -> Result<FoundAxis> {
    let (Some(from), Some(to)) = (&found.axis.units, &like.axis.units) else {
        return Ok(found);
    };
    let refuse = |reason: String| Err(Error::bad_file(&unit.source.path, reason));
    let name = &like.axis.name;
    let calendars = [&found.calendar, &like.calendar];
    if calendars[0] != calendars[1] || calendars[0].is_some() && from != to {
        let [one, other] = calendars.map(|calendar| calendar.as_deref().unwrap_or("standard"));
        return refuse(format!(
            "the axis {name} is in {from} of the calendar {one}, and in {to} of the calendar \
             {other}; convert one of them"
        ));
    }
    match relation(from, to).conversion() {
        Some(conversion) => Ok(FoundAxis {
            axis: found.axis.converted(conversion).with_units(to),
            ..found
        }),
        None => refuse(format!(
            "the axis {name} is in {from} and in {to}; convert one of them"
        )),
    }
}

/// Whether two grids have the same points, up to rounding.
pub(super) fn is_same(one: &Grid, other: &Grid) -> bool {
    one.shape() == other.shape()
        && one.axes.iter().zip(&other.axes).all(|(one, other)| {
            let margin = 1e-3 * one.spacing().abs();
            let mut pairs = one.coordinates.iter().zip(&other.coordinates);
            pairs.all(|(a, b)| (a - b).abs() <= margin)
        })
}

/// Reorders the channels of fields [realization, channel, point].
fn reordered(values: &[f64], order: &[usize], realizations: usize) -> Vec<f64> {
    let points = values.len() / (order.len() * realizations).max(1);
    let realizations = values.chunks_exact((points * order.len()).max(1));
    let fields = realizations.flat_map(|r| order.iter().map(move |&c| &r[c * points..][..points]));
    fields.flatten().copied().collect()
}

/// Repeats a field along the axes that it lacks.
fn repeat(field: &[f64], along: &[(usize, bool)], spread: &mut Vec<f64>) {
    let [(length, varies), inner @ ..] = along else {
        spread.extend_from_slice(field);
        return;
    };
    if *varies {
        let size = field.len() / length;
        field
            .chunks_exact(size.max(1))
            .for_each(|part| repeat(part, inner, spread));
    } else {
        (0..*length).for_each(|_| repeat(field, inner, spread));
    }
}
