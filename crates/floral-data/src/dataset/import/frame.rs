//! The grid of a dataset: found in the first unit, and required to be the same in all others.

use super::ImportOptions;
use super::axes::{self, FoundAxis};
use super::dimensions::check_axes;
use super::part::Part;
use super::parts::Parts;
use super::recipe::Recipe;
use super::stack::{converted, is_same, own_axes};
use super::unit::Unit;
use crate::grid::{MOST_AXES, Thinning};
use crate::{Advice, Axis, Error, Grid, Result};

/// The grid of a dataset, and how it was found.
#[derive(Debug, Clone)]
pub(super) struct Frame {
    /// The axes as stored in the files.
    pub found: Vec<FoundAxis>,
    /// The grid of the dataset, with even axes if requested.
    pub grid: Grid,
    /// High-fidelity points per axis, if they are every s-th point of the grid.
    pub high: Option<Vec<usize>>,
    /// Assumptions made in finding the grid.
    pub notes: Vec<String>,
}

impl Frame {
    /// The grid of the high-fidelity solution.
    pub fn high_grid(&self) -> Grid {
        let wanted = self.high.as_deref();
        let thinning = wanted.and_then(|wanted| Thinning::to(&self.grid.shape(), wanted));
        thinning.map_or_else(|| self.grid.clone(), |thinning| thinning.grid(&self.grid))
    }
}

/// The grid of the input, or of high fidelity if that has more axes, in the units of the grid
/// `before`.
pub(super) fn frame(
    unit: &Unit<'_>,
    recipe: &Recipe,
    options: &ImportOptions,
    parts: &Parts,
    before: Option<&Frame>,
) -> Result<Frame> {
    let extra = check_axes(unit, recipe, parts)?;
    let first = |parts: &[Part]| parts.first().map_or(0, |part| part.axes(unit).len());
    let is_high = options.on_high_grid || first(&parts.high) > first(&parts.input);
    let base = if is_high { &parts.high } else { &parts.input };
    let Some(base) = base.first() else {
        return Err(Error::bad_file(
            &unit.source.path,
            "has parameters but no field, and so no grid",
        )
        .advised(Advice::NameHigh));
    };
    let mut found = Vec::new();
    for axis in base.axes(unit) {
        let own = axes::find(unit, recipe, &axis, None)?;
        let mut others = before.iter().flat_map(|before| &before.found);
        let like = others.find(|other| other.axis.name == own.axis.name);
        found.push(match like {
            Some(like) => converted(unit, own, like)?,
            None => own,
        });
    }
    if found.is_empty() {
        let reason = format!("the array {} has no axis of a grid", base.pick.name);
        return Err(Error::bad_file(&unit.source.path, reason));
    }
    check_dimensions(unit, &found)?;
    let known = |name: &String| found.iter().any(|found| found.axis.name == *name);
    if let Some(name) = options.periodic.iter().find(|name| !known(name)) {
        return Err(Error::bad_file(
            &unit.source.path,
            format!("the grid has no axis {name}"),
        ));
    }
    let even = |found: &FoundAxis| match found.is_even || !options.even {
        true => found.axis.clone(),
        false => found.axis.resampled(found.axis.len()),
    };
    let grid = Grid::new(found.iter().map(even).collect());
    let high = match parts.high.first() {
        Some(high) if !is_high => fewer(unit, recipe, high, &found)?,
        _ => None,
    };
    if high.is_some() && found.iter().any(|found| !found.is_even && options.even) {
        return Err(Error::bad_file(
            &unit.source.path,
            "an axis is uneven, and high fidelity has fewer points along it",
        )
        .advised(Advice::UseHighGrid));
    }
    let notes = [parts.notes.clone(), extra].concat();
    Ok(Frame {
        found,
        grid,
        high,
        notes,
    })
}

/// Refuses a grid with more axes than the methods support.
fn check_dimensions(unit: &Unit<'_>, found: &[FoundAxis]) -> Result<()> {
    if found.len() <= MOST_AXES {
        return Ok(());
    }
    let names: Vec<&str> = found.iter().map(|found| found.axis.name.as_str()).collect();
    let axis = names.first().copied().unwrap_or_default().to_owned();
    let reason = format!(
        "the grid has the axes {}, and methods learn on one to three",
        names.join(", ")
    );
    Err(Error::bad_file(&unit.source.path, reason).advised(Advice::TakeIndex { axis }))
}

/// High-fidelity points per axis, if fewer than those of the grid.
fn fewer(
    unit: &Unit<'_>,
    recipe: &Recipe,
    high: &Part,
    found: &[FoundAxis],
) -> Result<Option<Vec<usize>>> {
    let grid = Grid::new(found.iter().map(|found| found.axis.clone()).collect());
    let own = own_axes(unit, recipe, high, found)?;
    let along = |axis: &Axis| own.iter().find(|own| own.axis.name == axis.name);
    let wanted: Vec<usize> = grid
        .axes
        .iter()
        .map(|axis| along(axis).map_or(axis.len(), |own| own.axis.len()))
        .collect();
    if wanted == grid.shape() {
        return Ok(None);
    }
    let fits = Thinning::to(&grid.shape(), &wanted).filter(|thinning| {
        let thinned = thinning.grid(&grid);
        let is_at = |axis: &Axis| {
            along(axis).is_none_or(|own| {
                let (one, other) = (own.axis.clone(), axis.clone());
                own.coordinates.is_none() || is_same(&Grid::new(vec![one]), &Grid::new(vec![other]))
            })
        };
        thinned.axes.iter().all(is_at)
    });
    match fits {
        Some(_) => Ok(Some(wanted)),
        None => Err(Error::bad_file(
            &unit.source.path,
            format!(
                "high fidelity has {wanted:?} points, which are not every s-th of the {:?} of the \
                 input from the first on",
                grid.shape()
            ),
        )
        .advised(Advice::UseHighGrid)),
    }
}

/// Refuses a unit whose grid differs from that of the first.
pub(super) fn check_same(unit: &Unit<'_>, before: &Frame, frame: &Frame) -> Result<()> {
    if is_same(&before.grid, &frame.grid) && before.high == frame.high {
        return Ok(());
    }
    let extent = |grid: &Grid| {
        let axes = grid.axes.iter().map(|axis| {
            let (from, to) = (axis.coordinates.first(), axis.coordinates.last());
            let (from, to) = (from.copied().unwrap_or(0.0), to.copied().unwrap_or(0.0));
            format!("{} {} points from {from} to {to}", axis.name, axis.len())
        });
        axes.collect::<Vec<_>>().join(", ")
    };
    Err(Error::bad_file(
        &unit.source.path,
        format!(
            "{}has the grid {}, but the first has {}; all inputs need the same",
            unit.subject(),
            extent(&frame.grid),
            extent(&before.grid)
        ),
    ))
}
