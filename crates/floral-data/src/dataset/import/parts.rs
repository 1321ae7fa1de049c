//! The arrays of a unit, with dimensions named by the recipe, by the file, or by a guess.

use super::dimensions::named_dimensions;
use super::guess::{Dimensions, Form, Shapes, guess};
use super::matching::matched;
use super::part::{Part, find};
use super::recipe::Recipe;
use super::role::Role;
use super::unit::Unit;
use super::{Along, Pick};
use crate::{Advice, Error, Result};

/// The arrays of a unit, before its grid is known.
pub(super) struct Parts {
    pub input: Vec<Part>,
    pub low: Vec<Part>,
    pub high: Vec<Part>,
    /// Assumptions about the arrays.
    pub notes: Vec<String>,
}

/// The arrays of a unit, chosen by a recipe.
pub(super) fn parts(unit: &Unit<'_>, recipe: &Recipe, is_one_of_several: bool) -> Result<Parts> {
    let form = |picks: &[Pick]| -> Result<Option<Form>> {
        let Some(pick) = picks.first() else {
            return Ok(None);
        };
        let variable = unit.variable(find(unit, &pick.name)?);
        let mut shape = variable.shape.clone();
        // The dimension of real and imaginary parts needs no name.
        if variable.is_complex() {
            shape.pop();
        }
        let names = named_dimensions(unit, recipe, pick)?;
        Ok(Some(match names {
            Some(names) => in_order(&names, &shape, pick),
            None => Form { shape, names: None },
        }))
    };
    let shapes = Shapes {
        input: form(&recipe.input)?,
        low: form(&recipe.low)?,
        high: form(&recipe.high)?,
        coordinates: lists(unit, recipe),
        is_one_of_several,
    };
    let is_named = |form: &Option<Form>| form.as_ref().is_none_or(|form| form.names.is_some());
    let is_all_told = [&shapes.input, &shapes.low, &shapes.high]
        .into_iter()
        .all(is_named);
    let mut notes = Vec::new();
    let [input, low, high] = if is_all_told {
        [None, None, None]
    } else {
        guessed(unit, recipe, &shapes, &mut notes)?
    };
    let named = |picks: &[Pick], guessed: Option<Vec<String>>| -> Result<Vec<Part>> {
        let parts = picks.iter().map(|pick| {
            let names = named_dimensions(unit, recipe, pick)?;
            let names = names.or_else(|| guessed.clone()).unwrap_or_default();
            Part::new(unit, pick, &names)
        });
        parts.collect()
    };
    Ok(Parts {
        input: named(&recipe.input, input)?,
        low: named(&recipe.low, low)?,
        high: named(&recipe.high, high)?,
        notes,
    })
}

/// The dimensions of arrays guessed from their lengths; adds a note on how the axes were named.
fn guessed(
    unit: &Unit<'_>,
    recipe: &Recipe,
    shapes: &Shapes,
    notes: &mut Vec<String>,
) -> Result<Dimensions> {
    let guessed = guess(shapes).ok_or_else(|| unfitting(unit, recipe, shapes))?;
    if let Some(axes) = &guessed.names {
        return Ok(guessed.named(axes));
    }
    let mut coordinates = Vec::new();
    for (name, length) in &shapes.coordinates {
        if let Some(index) = unit.find(name).filter(|_| guessed.grid.contains(length)) {
            coordinates.push((name.as_str(), unit.source.read_all(index)?));
        }
    }
    let axes = named(&guessed.grid, &coordinates);
    let axes = axes.map_err(|reason| {
        Error::bad_file(&unit.source.path, reason).advised(Advice::NameDimensions)
    })?;
    if !coordinates.is_empty() {
        notes.push(format!(
            "axes are matched with coordinates by their lengths: the grid is ({})",
            axes.join(", ")
        ));
    }
    Ok(guessed.named(&axes))
}

/// Names for axes of these lengths: those of matching coordinates, else x, y, z.
pub(super) fn named(
    grid: &[usize],
    coordinates: &[(&str, Vec<f64>)],
) -> std::result::Result<Vec<String>, String> {
    let found = matched(grid, coordinates)?;
    let taken = |name: &&str| {
        let mut found = found.iter().flatten();
        found.any(|&i| coordinates[i].0 == *name)
    };
    let others = ["x", "y", "z", "w"].into_iter();
    let mut others = others.filter(|name| !taken(name));
    let name = |place: &Option<usize>| match place {
        Some(i) => Some(coordinates[*i].0),
        None => others.next(),
    };
    let names: Option<Vec<&str>> = found.iter().map(name).collect();
    Ok(names
        .unwrap_or_default()
        .into_iter()
        .map(str::to_owned)
        .collect())
}

/// The shape selected from an array, in the order inputs, realizations, channels, axes.
fn in_order(names: &[String], shape: &[usize], pick: &Pick) -> Form {
    let taken = |name: &String| pick.along.iter().find(|(along, _)| along == name);
    let mut lengths: Vec<(Role, usize)> = names
        .iter()
        .zip(shape)
        .filter_map(|(name, &length)| match taken(name) {
            Some((_, Along::Index(_))) => None,
            Some((_, along)) => {
                let (range, step) = along.indices(length)?;
                Some((Role::named(name), range.len().div_ceil(step)))
            }
            None => Some((Role::named(name), length)),
        })
        .collect();
    lengths.sort_by_key(|(role, _)| match role {
        Role::Input => 0,
        Role::Realization => 1,
        Role::Channel => 2,
        Role::Axis(_) => 3,
    });
    Form {
        shape: lengths.iter().map(|(_, length)| *length).collect(),
        names: Some(
            lengths
                .iter()
                .map(|(role, _)| role.name().to_owned())
                .collect(),
        ),
    }
}

/// Lists of numbers that may be coordinates.
fn lists(unit: &Unit<'_>, recipe: &Recipe) -> Vec<(String, usize)> {
    let picks = recipe.input.iter().chain(&recipe.low).chain(&recipe.high);
    let taken: Vec<&str> = picks.map(|pick| pick.name.as_str()).collect();
    let arrays = unit.arrays().filter(|(_, name, variable)| {
        let is_taken = taken.contains(name) || recipe.parameters.iter().any(|p| p == name);
        // Coordinates of a coarser grid are recognised by name.
        let is_axis = Role::named(name) == Role::Axis((*name).to_owned());
        variable.shape.len() == 1 && !is_taken && is_axis
    });
    arrays
        .map(|(_, name, variable)| (name.to_owned(), variable.shape[0]))
        .collect()
}

fn unfitting(unit: &Unit<'_>, recipe: &Recipe, shapes: &Shapes) -> Error {
    let arrays = [
        (&recipe.input, &shapes.input),
        (&recipe.low, &shapes.low),
        (&recipe.high, &shapes.high),
    ];
    let found: Vec<String> = arrays
        .iter()
        .filter_map(|(picks, form)| {
            let (pick, form) = (picks.first()?, form.as_ref()?);
            Some(format!("{} {:?}", pick.name, form.shape))
        })
        .collect();
    Error::bad_file(
        &unit.source.path,
        format!(
            "the shapes do not fit together as [input, channel, grid...] and [input, realization, \
             channel, grid...]: {}",
            found.join(", ")
        ),
    )
    .advised(Advice::NameDimensions)
}
