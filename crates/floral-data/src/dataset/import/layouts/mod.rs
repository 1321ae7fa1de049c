//! Known layouts of files, one per module: which arrays are input and solution.
//!
//! Files of time-dependent problems store no realizations and no low fidelity: the first time is
//! taken as input and the last as its solution, with a single realization.

mod pdebench;
pub(super) mod plain;
mod trajectories;
mod well;

use super::Pick;
use super::recipe::Recipe;
use super::unit::Unit;
use crate::{Advice, Note};

/// The recipe of a unit whose layout is known.
pub(super) fn recognise(unit: &Unit<'_>) -> Option<Recipe> {
    plain::recognise(unit)
        .or_else(|| well::recognise(unit))
        .or_else(|| pdebench::recognise(unit))
        .or_else(|| trajectories::recognise(unit))
}

/// Takes the first time as the input and the last as the solution.
fn first_to_last(recipe: &mut Recipe, arrays: &[&str], time: &str) {
    let at = |index: i64| arrays.iter().map(move |name| Pick::at(*name, time, index));
    recipe.input.extend(at(0));
    recipe.high.extend(at(-1));
    let array = arrays.first().unwrap_or(&"NAME");
    recipe.notes.push(Note {
        fact: "the first time is taken as input and the last as high fidelity".into(),
        advice: Some(Advice::TakeLaterTimes {
            selection: format!("{array}[{time}=1:]"),
        }),
    });
}

/// The names of dimensions as owned strings.
fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}
