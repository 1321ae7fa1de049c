//! Trajectories as PDEArena stores them: fields [input, t, x, ..] beside `t`, `x` and parameters.
//!
//! Gupta & Brandstetter, *Towards Multi-spatiotemporal-scale Generalized PDE Modeling* (2022).

use super::{first_to_last, names};
use crate::dataset::import::recipe::Recipe;
use crate::dataset::import::source::Variable;
use crate::dataset::import::unit::Unit;

/// Names of the time.
const TIMES: [&str; 2] = ["t", "time"];

/// The spatial axes.
const AXES: [&str; 3] = ["x", "y", "z"];

/// A unit with times, coordinates, and fields over both.
pub(super) fn recognise(unit: &Unit<'_>) -> Option<Recipe> {
    // One list for all inputs, or one list per input.
    let length = |name: &str| {
        let shape = &unit.variable(unit.find(name)?).shape;
        shape.last().copied().filter(|_| shape.len() <= 2)
    };
    let time = TIMES.into_iter().find(|name| length(name).is_some())?;
    let axes: Vec<&str> = AXES
        .into_iter()
        .filter(|name| length(name).is_some())
        .collect();
    let inner: Option<Vec<usize>> = [time]
        .iter()
        .chain(&axes)
        .map(|name| length(name))
        .collect();
    let inner = inner.filter(|_| !axes.is_empty())?;
    let is_field = |variable: &Variable| {
        let shape = &variable.shape;
        shape.len() == inner.len() + 1 && shape[1..] == inner
    };
    let arrays = unit.arrays().filter(|(_, _, variable)| is_field(variable));
    let fields: Vec<&str> = arrays.map(|(_, name, _)| name).collect();
    let inputs = unit.variable(unit.find(fields.first()?)?).shape[0];
    let mut recipe = Recipe {
        layout: Some("PDEArena"),
        parameters: parameters(unit, inputs, &axes),
        ..Recipe::default()
    };
    let list = [&["input", time], &axes[..]].concat();
    for name in &fields {
        recipe.dimensions.insert((*name).to_owned(), names(&list));
    }
    for axis in &list[1..] {
        recipe
            .coordinates
            .insert((*axis).to_owned(), (*axis).to_owned());
    }
    first_to_last(&mut recipe, &fields, time);
    Some(recipe)
}

/// Arrays with one number per input, except the spacings `dx`, `dt` and so on.
fn parameters(unit: &Unit<'_>, inputs: usize, axes: &[&str]) -> Vec<String> {
    let is_distance = |name: &str| {
        let axis = name.strip_prefix('d');
        axis.is_some_and(|axis| axes.contains(&axis) || TIMES.contains(&axis))
    };
    let arrays = unit.arrays();
    arrays
        .filter(|(_, name, variable)| {
            let is_axis = axes.contains(name) || TIMES.contains(name);
            variable.shape == [inputs] && !is_distance(name) && !is_axis && !name.contains('/')
        })
        .map(|(_, name, _)| name.to_owned())
        .collect()
}
