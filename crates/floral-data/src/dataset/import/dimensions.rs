//! The dimensions of arrays as named by the caller or the file, and which of them are ambiguous.

use super::Pick;
use super::matching::USUAL;
use super::part::{Part, find};
use super::parts::Parts;
use super::recipe::Recipe;
use super::role::{MEMBERS_OR_INPUTS, Role};
use super::source::Variable;
use super::unit::Unit;
use crate::dataset::layout::REALIZATION_DIMENSION;
use crate::storage::array_metadata::UNITS;
use crate::{Advice, Error, Result};

/// The names of an array's dimensions, if all are named.
pub(super) fn named_dimensions(
    unit: &Unit<'_>,
    recipe: &Recipe,
    pick: &Pick,
) -> Result<Option<Vec<String>>> {
    let variable = unit.variable(find(unit, &pick.name)?);
    if let Some(names) = recipe.dimensions.get(&pick.name) {
        let rank = variable.shape.len() - usize::from(variable.is_complex());
        if ![rank, variable.shape.len()].contains(&names.len()) {
            return Err(Error::bad_file(
                &unit.source.path,
                format!(
                    "the array {} has shape {:?}, which does not match the dimensions ({})",
                    pick.name,
                    variable.shape,
                    names.join(", ")
                ),
            ));
        }
        return Ok(Some(names.clone()));
    }
    let names: Option<Vec<String>> = variable.dimensions.iter().cloned().collect();
    let is_taken = |name: &String| pick.along.iter().any(|(along, _)| along == name);
    let meant = |name: String| match is_realization(unit, recipe, variable, &name) {
        true if !is_taken(&name) => REALIZATION_DIMENSION.to_owned(),
        _ => name,
    };
    Ok(names.map(|names| names.into_iter().map(meant).collect()))
}

/// Whether a dimension counts realizations, judged by its attributes or by the other dimensions:
/// for example a `sample` of an array that, like the input, also has a dimension of cases.
fn is_realization(unit: &Unit<'_>, recipe: &Recipe, array: &Variable, name: &str) -> bool {
    let coordinates = unit.find(name).map(|index| unit.variable(index));
    let standard = coordinates.and_then(|array| array.text("standard_name"));
    if standard == Some("realization") {
        return true;
    }
    let input = recipe.input.first().and_then(|pick| unit.find(&pick.name));
    let Some(input) = input.map(|index| unit.variable(index)) else {
        return false;
    };
    let is_other_input = |other: &&Option<String>| {
        let other = other.as_deref().unwrap_or_default();
        other != name && Role::named(other) == Role::Input
    };
    let has = |array: &Variable| array.dimensions.iter().any(|other| is_other_input(&other));
    let lacks = !input
        .dimensions
        .iter()
        .any(|other| other.as_deref() == Some(name));
    MEMBERS_OR_INPUTS.contains(&name.to_lowercase().as_str()) && lacks && has(input) && has(array)
}

/// Refuses a dimension that a solution has and the input lacks, unless it clearly is an axis of the
/// grid. Returns notes about such axes.
pub(super) fn check_axes(unit: &Unit<'_>, recipe: &Recipe, parts: &Parts) -> Result<Vec<String>> {
    let names = |part: &Part| -> Vec<String> {
        let axes = part.axes(unit).into_iter();
        axes.map(|axis| axis.name).collect()
    };
    let input: Vec<String> = parts.input.iter().flat_map(names).collect();
    let mut notes = Vec::new();
    for part in parts.high.iter().chain(&parts.low) {
        let own = names(part);
        let is_named = recipe.dimensions.contains_key(&part.pick.name);
        let is_unnamed = unit.variable(part.variable).dimensions.contains(&None);
        for name in own.iter().filter(|name| !input.contains(name)) {
            if own.len() > 1 && !is_named && !is_unnamed && !is_axis(unit, name)? {
                return Err(open(unit, part, name));
            }
            let note = format!(
                "the input does not vary along {name}: it is the same at each of its points"
            );
            if !parts.input.is_empty() && !notes.contains(&note) {
                notes.push(note);
            }
        }
    }
    Ok(notes)
}

/// Whether a dimension clearly is an axis: by its name, or by coordinates that are measured rather
/// than counted.
fn is_axis(unit: &Unit<'_>, name: &str) -> Result<bool> {
    if USUAL.contains(&name.to_lowercase().as_str()) {
        return Ok(true);
    }
    let Some(index) = unit.find(name) else {
        return Ok(false);
    };
    let variable = unit.variable(index);
    let is_measured = variable.text(UNITS).is_some_and(|units| units != "1");
    let is_named = ["axis", "standard_name"]
        .into_iter()
        .any(|key| variable.text(key).is_some());
    if is_measured || is_named || variable.shape.len() != 1 {
        return Ok(is_measured || is_named);
    }
    let values = unit.source.read_all(index)?;
    Ok(values.iter().any(|value| value.fract() != 0.0))
}

fn open(unit: &Unit<'_>, part: &Part, name: &str) -> Error {
    let reason = format!(
        "the array {} has the dimensions ({}), and the input has no {name}: does it count \
         realizations, or is it an axis of the grid?",
        part.pick.name,
        part.names.join(", ")
    );
    Error::bad_file(&unit.source.path, reason).advised(Advice::NameDimensions)
}
