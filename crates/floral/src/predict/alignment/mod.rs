//! Aligns inputs with the axes, channels and units of a run. Differences in order or units are
//! converted and noted; other differences are refused.

mod channels;
pub(super) mod extent;
#[cfg(test)]
#[cfg(feature = "networks")]
mod laws;
mod mesh;
#[cfg(test)]
#[cfg(feature = "networks")]
mod tests;

use std::path::Path;

use channels::{conversion, seen, sources};

use crate::dataset::view::View;
use crate::dataset::{Dataset, axis_names};
use crate::grid::Mask;
use crate::train::Header;
use crate::units::{Relation, relation};
use crate::{Axis, Error, Grid, Quantities, Result};

/// The conversion of stored inputs to the axes, channels and units of a run.
pub(crate) struct Alignment {
    /// Reordering and unit conversion of the fields.
    pub view: View,
    /// Grid of the inputs, with the run's axes and units.
    pub grid: Grid,
    /// Names and units of the channels after conversion.
    pub quantities: Quantities,
    /// Notes on conversions and assumptions.
    pub notes: Vec<String>,
}

/// Description of inputs as stored.
pub(crate) struct Given<'a> {
    /// Grid.
    pub grid: &'a Grid,
    /// Whether each axis has coordinates, or only a number of points; empty if all have.
    pub has_coordinates: &'a [bool],
    /// Names and units of the channels.
    pub quantities: &'a Quantities,
}

/// A result whose error says why inputs are refused.
type Verdict<T> = std::result::Result<T, String>;

impl Alignment {
    /// The alignment of the inputs of a file.
    pub fn new(header: &Header, path: &Path, given: &Given) -> Result<Self> {
        let aligned = aligned(header, given);
        aligned.map_err(|reason| Error::bad_file(path, reason))
    }
}

/// A dataset aligned with a run, and notes on what was converted.
pub fn aligned_dataset(header: &Header, dataset: &Dataset) -> Result<(Dataset, Vec<String>)> {
    let dataset = &dataset.placed(&header.grid);
    let given = Given {
        grid: dataset.grid(),
        has_coordinates: dataset.has_coordinates(),
        quantities: dataset.quantities(),
    };
    let Alignment {
        view,
        grid,
        quantities,
        notes,
    } = Alignment::new(header, dataset.path(), &given)?;
    let seen = dataset.seen(view, grid, quantities);
    check_mask(header, seen.path(), seen.grid(), seen.mask())?;
    Ok((seen.masked(header.mask.as_ref()), notes))
}

/// For a run with points outside its domain, refuses inputs on another grid. For any run, refuses
/// inputs without values at points inside its domain.
pub(super) fn check_mask(
    header: &Header,
    path: &Path,
    grid: &Grid,
    own: Option<&Mask>,
) -> Result<()> {
    let refused = |reason: String| Err(Error::bad_file(path, reason));
    match (&header.mask, own) {
        (Some(mask), _) if mask.shape() != grid.shape() => refused(format!(
            "has grid {:?}, but the run's mask is defined on grid {on:?} only; give inputs on grid \
             {on:?}",
            grid.shape(),
            on = mask.shape()
        )),
        (Some(mask), Some(own)) if !mask.holds(own) => {
            let missing = own.outside().iter().zip(mask.outside());
            let missing = missing.filter(|(own, mask)| **own && !**mask).count();
            refused(format!(
                "has NaN at {missing} points that are inside of the run's domain; give values there"
            ))
        }
        (None, Some(own)) => refused(format!(
            "has NaN at {} points, and the run was trained on data without any; give values there",
            own.count()
        )),
        _ => Ok(()),
    }
}

/// Refuses a dataset that would need reordering or unit conversion for a run: with several runs,
/// each might convert it differently.
pub fn check_terms(header: &Header, dataset: &Dataset) -> Result<()> {
    let (seen, notes) = aligned_dataset(header, dataset)?;
    let mut axes = header.grid.axes.iter().zip(&dataset.grid().axes);
    let is_scaled = axes.any(|(run, axis)| match (&run.units, &axis.units) {
        (Some(run), Some(axis)) => relation(axis, run) != Relation::Same,
        _ => false,
    });
    if seen.is_view() == dataset.is_view() && !is_scaled {
        return Ok(());
    }
    Err(Error::bad_file(
        dataset.path().to_owned(),
        format!(
            "{}; write it in the run's order and units for this",
            notes.join("; ")
        ),
    ))
}

pub(super) fn aligned(header: &Header, given: &Given) -> Verdict<Alignment> {
    let Given {
        grid, quantities, ..
    } = given;
    let mut notes = Vec::new();
    if header.grid.mesh().is_some() || grid.mesh().is_some() {
        return mesh::aligned(header, given);
    }
    let order = order(&header.grid, grid, &mut notes)?;
    let axes = header.grid.axes.iter().zip(&order);
    let axes = axes.map(|(run, &i)| {
        let axis = &grid.axes[i];
        match given.has_coordinates.get(i) {
            Some(false) if run.coordinates != axis.coordinates => {
                Ok(extent::assumed(run, axis.len(), &mut notes))
            }
            _ => aligned_axis(run, axis, &mut notes),
        }
    });
    let axes = axes.collect::<Verdict<Vec<Axis>>>()?;
    on_grid(
        header,
        quantities,
        (&grid.shape(), &order),
        Grid::new(axes),
        notes,
    )
}

/// The alignment of the channels of inputs on an aligned grid; `stored` is the shape and `order`
/// the order of the axes in the file.
fn on_grid(
    header: &Header,
    given: &Quantities,
    (stored, order): (&[usize], &[usize]),
    grid: Grid,
    mut notes: Vec<String>,
) -> Verdict<Alignment> {
    let run = &header.quantities;
    let input = sources("input", &run.input, &given.input, &mut notes)?;
    let solution = sources("solution", &run.solution, &given.solution, &mut notes)?;
    Ok(Alignment {
        quantities: Quantities {
            input: seen(&run.input, &given.input, &input),
            solution: seen(&run.solution, &given.solution, &solution),
        },
        view: View::new(stored, order, input, solution),
        grid,
        notes,
    })
}

/// Index of the given axis for each axis of the run's grid.
fn order(run: &Grid, given: &Grid, notes: &mut Vec<String>) -> Verdict<Vec<usize>> {
    if run.dimensions() != given.dimensions() {
        return Err(format!(
            "its grid {:?} has {} axes, but the run's grid {:?} has {}; only the number of points \
             may differ",
            given.shape(),
            given.dimensions(),
            run.shape(),
            run.dimensions()
        ));
    }
    let (ours, theirs) = (names(run), names(given));
    if ours == theirs {
        return Ok((0..theirs.len()).collect());
    }
    let place = |name: &&str| theirs.iter().position(|other| other == name);
    if let Some(order) = ours.iter().map(place).collect::<Option<Vec<_>>>() {
        notes.push(format!(
            "its axes are ({}), the run's ({}): transposed",
            theirs.join(", "),
            ours.join(", ")
        ));
        return Ok(order);
    }
    let counted = |names: &[&str]| names.iter().all(|name| axis_names::is_counted(name));
    if counted(&ours) || counted(&theirs) {
        notes.push(format!(
            "its axes ({}) are assumed to be the run's ({}) in this order, because one of the grids \
             has unnamed axes",
            theirs.join(", "),
            ours.join(", ")
        ));
        return Ok((0..theirs.len()).collect());
    }
    Err(format!(
        "its axes are ({}), but the run was trained on ({}); rename its dimensions, or train a run \
         on these",
        theirs.join(", "),
        ours.join(", ")
    ))
}

fn names(grid: &Grid) -> Vec<&str> {
    grid.axes.iter().map(|axis| axis.name.as_str()).collect()
}

/// The axis with the run's name and units, on the run's domain.
fn aligned_axis(run: &Axis, axis: &Axis, notes: &mut Vec<String>) -> Verdict<Axis> {
    let what = format!("axis {}", run.name);
    let conversion = conversion(&what, &run.units, &axis.units, notes)?;
    let scaled = Axis {
        name: run.name.clone(),
        units: run.units.clone().or(axis.units.clone()),
        long_name: axis.long_name.clone().or(run.long_name.clone()),
        declared: axis.declared.or(run.declared),
        ..axis.converted(conversion)
    };
    extent::placed(run, scaled, notes)
}
