//! The recipe of an import: which arrays of a unit are what, by its layout or as the caller says.

use std::collections::BTreeMap;

use super::layouts;
use super::source::bad;
use super::unit::Unit;
use super::{Pick, Wishes};
use crate::Result;

/// Arrays and what they are.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Recipe {
    /// The name of the layout, if it is a known one.
    pub layout: Option<&'static str>,
    /// The arrays of the input.
    pub input: Vec<Pick>,
    /// Those of the low-fidelity solution.
    pub low: Vec<Pick>,
    /// Those of the high-fidelity solution.
    pub high: Vec<Pick>,
    /// Numbers that are constant channels of the input.
    pub parameters: Vec<String>,
    /// Names of dimensions, by array.
    pub dimensions: BTreeMap<String, Vec<String>>,
    /// The arrays of coordinates, by axis.
    pub coordinates: BTreeMap<String, String>,
    /// Axes whose ends are the same point.
    pub periodic: Vec<String>,
    /// What a user should know about it.
    pub notes: Vec<String>,
}

impl Recipe {
    /// That of a unit: what is recognised, in which wishes come first.
    pub fn choose(unit: &Unit<'_>, wishes: &Wishes) -> Result<Self> {
        let mut recipe = layouts::recognise(unit).unwrap_or_default();
        let mut is_changed = false;
        for (own, wished) in [
            (&mut recipe.input, &wishes.input),
            (&mut recipe.low, &wishes.low),
            (&mut recipe.high, &wishes.high),
        ] {
            if !wished.is_empty() {
                own.clone_from(wished);
                is_changed = true;
            }
        }
        if is_changed {
            // They tell what the layout alone would have made of the arrays.
            recipe.notes.clear();
        }
        if !wishes.parameters.is_empty() {
            recipe.parameters.clone_from(&wishes.parameters);
        }
        check_unread(unit, &recipe)?;
        let unread = unit.source.beside().unread.iter();
        let left = unread.map(|(name, why)| format!("{name} is left out: it {why}"));
        recipe.notes.extend(left);
        recipe.dimensions.extend(wishes.dimensions.clone());
        recipe.periodic.extend(wishes.periodic.iter().cloned());
        if recipe.input.is_empty() && recipe.parameters.is_empty() {
            return Err(unknown(unit, &recipe));
        }
        Ok(recipe)
    }
}

/// Refuses an array that cannot be read where its name says that it is wanted.
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
        Err(bad(unit.source.path(), reason))
    })
}

/// An error that tells what there is.
fn unknown(unit: &Unit<'_>, recipe: &Recipe) -> crate::Error {
    let arrays: Vec<String> = unit
        .arrays()
        .take(20)
        .map(|(_, name, variable)| format!("{name} {:?}", variable.shape))
        .collect();
    let reason = match (arrays.is_empty(), recipe.high.is_empty()) {
        (true, _) => "holds no array of numbers".to_owned(),
        (_, true) => format!(
            "has no layout that is known here; say which of its arrays are input and high: {}",
            arrays.join(", ")
        ),
        _ => format!(
            "say which of its arrays is the input: {}",
            arrays.join(", ")
        ),
    };
    bad(unit.source.path(), reason)
}
