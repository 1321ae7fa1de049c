//! The recipe of an import: the role of each array of a unit, from its layout or the caller's
//! options.

use std::collections::BTreeMap;

use super::layouts;
use super::unit::Unit;
use super::{ImportOptions, Pick};
use crate::{Advice, Error, Note, Result};

/// The roles of arrays.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Recipe {
    /// The name of the layout, if it is a known one.
    pub layout: Option<&'static str>,
    /// The arrays of the input.
    pub input: Vec<Pick>,
    /// The arrays of the low-fidelity solution.
    pub low: Vec<Pick>,
    /// The arrays of the high-fidelity solution.
    pub high: Vec<Pick>,
    /// Parameters: numbers that become constant channels of the input.
    pub parameters: Vec<String>,
    /// Names of dimensions, by array.
    pub dimensions: BTreeMap<String, Vec<String>>,
    /// The arrays of coordinates, by axis.
    pub coordinates: BTreeMap<String, String>,
    /// Axes whose ends are the same point.
    pub periodic: Vec<String>,
    /// Remarks for a user.
    pub notes: Vec<Note>,
}

impl Recipe {
    /// The recipe of a unit: its recognised layout, overridden by options.
    pub fn choose(unit: &Unit<'_>, options: &ImportOptions) -> Result<Self> {
        let mut recipe = layouts::recognise(unit).unwrap_or_default();
        let mut is_changed = false;
        for (own, asked) in [
            (&mut recipe.input, &options.input),
            (&mut recipe.low, &options.low),
            (&mut recipe.high, &options.high),
        ] {
            if !asked.is_empty() {
                own.clone_from(asked);
                is_changed = true;
            }
        }
        if is_changed {
            // The notes of the layout describe choices that the options override.
            recipe.notes.clear();
        }
        if !options.parameters.is_empty() {
            recipe.parameters.clone_from(&options.parameters);
        }
        check_unread(unit, &recipe)?;
        let unread = unit.source.beside.unread.iter();
        let left = unread.map(|(name, why)| format!("{name} is left out: it {why}").into());
        recipe.notes.extend(left);
        recipe.dimensions.extend(options.dimensions.clone());
        recipe.periodic.extend(options.periodic.iter().cloned());
        if recipe.input.is_empty() && recipe.parameters.is_empty() {
            return Err(unknown(unit, &recipe));
        }
        Ok(recipe)
    }
}

/// Refuses an unreadable array if its name says that it is needed.
fn check_unread(unit: &Unit<'_>, recipe: &Recipe) -> Result<()> {
    let roles = [
        (&recipe.input, &layouts::plain::INPUT[..]),
        (&recipe.low, &layouts::plain::LOW[..]),
        (&recipe.high, &layouts::plain::HIGH[..]),
    ];
    let open = roles.iter().filter(|(picks, _)| picks.is_empty());
    let mut names = open.flat_map(|(_, names)| names.iter());
    let found = names.find_map(|name| Some((name, unit.unread(name)?)));
    found.map_or(Ok(()), |(name, why)| {
        let reason = format!("the array {name} {why}; store it as numbers in this file");
        Err(Error::bad_file(&unit.source.path, reason))
    })
}

/// An error that lists the arrays.
fn unknown(unit: &Unit<'_>, recipe: &Recipe) -> Error {
    let arrays: Vec<String> = unit
        .arrays()
        .take(20)
        .map(|(_, name, variable)| format!("{name} {:?}", variable.shape))
        .collect();
    let path = &unit.source.path;
    let listed = arrays.join(", ");
    match (arrays.is_empty(), recipe.high.is_empty()) {
        (true, _) => Error::bad_file(path, "holds no array of numbers"),
        (_, true) => Error::bad_file(
            path,
            format!("has no known layout; its arrays are {listed}"),
        )
        .advised(Advice::NameInputAndHigh),
        _ => Error::bad_file(path, format!("has no known input; its arrays are {listed}"))
            .advised(Advice::NameInput),
    }
}
