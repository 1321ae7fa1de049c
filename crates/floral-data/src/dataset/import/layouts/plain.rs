//! The layout of FLORAL, and similar ones: arrays called input, low and high.

use crate::dataset::import::Pick;
use crate::dataset::import::recipe::Recipe;
use crate::dataset::import::unit::{Unit, other_prefixes, split};
use crate::dataset::layout::LOW_REALIZATIONS;

/// Names of the input.
pub(in crate::dataset::import) const INPUT: [&str; 2] = ["input", "inputs"];

/// Names of the low-fidelity solution.
pub(in crate::dataset::import) const LOW: [&str; 6] = [
    // Realizations of low fidelity come first: `low` is their mean.
    LOW_REALIZATIONS,
    "low",
    "low_fidelity",
    "lowfidelity",
    "lofi",
    "lf",
];

/// Names of the high-fidelity solution.
pub(in crate::dataset::import) const HIGH: [&str; 9] = [
    "high",
    "high_fidelity",
    "highfidelity",
    "hifi",
    "hf",
    "output",
    "outputs",
    "solution",
    "solutions",
];

/// A unit with an array called input.
pub(super) fn recognise(unit: &Unit<'_>) -> Option<Recipe> {
    let find = |names: &[&str]| {
        let matching = names.iter().find_map(|wanted| {
            let mut arrays = unit.arrays();
            arrays.find(|(_, name, _)| name.to_lowercase() == *wanted)
        });
        matching.map(|(_, name, _)| Pick::all(name))
    };
    let input = find(&INPUT)?;
    let others = other_prefixes(unit);
    let mut notes = Vec::new();
    if !others.is_empty() {
        let taken = split(&unit.prefix);
        let others = others.join(", ");
        notes.push(
            format!("arrays of {taken} are taken; those of {others} are left for another dataset")
                .into(),
        );
    }
    Some(Recipe {
        layout: Some("arrays by name"),
        input: vec![input],
        low: find(&LOW).into_iter().collect(),
        high: find(&HIGH).into_iter().collect(),
        notes,
        ..Recipe::default()
    })
}
