//! The Well: groups of scalar, vector and tensor fields, whose attributes state along which
//! dimensions they vary.
//!
//! Ohana et al., *The Well: a Large-Scale Collection of Diverse Physics Simulations for Machine
//! Learning* (2024); its documentation describes the format.

use serde_json::Value;

use super::names;
use crate::dataset::import::Pick;
use crate::dataset::import::recipe::Recipe;
use crate::dataset::import::source::Variable;
use crate::dataset::import::unit::Unit;

/// Groups of fields; vector fields have one additional dimension, tensor fields two.
const FIELDS: [&str; 3] = ["t0_fields", "t1_fields", "t2_fields"];

const TIME: &str = "time";

/// A file with groups of fields.
pub(super) fn recognise(unit: &Unit<'_>) -> Option<Recipe> {
    let groups = &unit.source.groups;
    if !FIELDS.iter().any(|group| groups.contains_key(*group)) {
        return None;
    }
    let axes = texts(groups.get("dimensions")?.get("spatial_dims")?);
    let mut recipe = Recipe {
        layout: Some("The Well"),
        periodic: periodic(unit),
        ..Recipe::default()
    };
    for axis in axes.iter().map(String::as_str).chain([TIME]) {
        let name = format!("dimensions/{axis}");
        recipe.coordinates.insert(axis.to_owned(), name);
    }
    let mut times = Vec::new();
    for (_, name, variable) in unit.arrays() {
        let Some(order) = order(name) else {
            continue;
        };
        let dimensions = dimensions(variable, &axes, order);
        if dimensions.contains(&TIME.to_owned()) {
            times.push(name);
        } else if dimensions.contains(&"input".to_owned()) {
            recipe.input.push(Pick::all(name));
        }
        recipe.dimensions.insert(name.to_owned(), dimensions);
    }
    super::first_to_last(&mut recipe, &times, TIME);
    recipe.parameters = parameters(unit);
    Some(recipe)
}

/// Tensor order of the fields in an array's group: the number of component dimensions.
fn order(name: &str) -> Option<usize> {
    let (group, _) = name.split_once('/')?;
    FIELDS.iter().position(|fields| *fields == group)
}

/// The dimensions of a field, from its attributes.
fn dimensions(variable: &Variable, axes: &[String], order: usize) -> Vec<String> {
    let along = |attribute: &str| is_true(variable.attributes.get(attribute));
    let mut list = Vec::new();
    if along("sample_varying") {
        list.push("input".to_owned());
    }
    if along("time_varying") {
        list.push(TIME.to_owned());
    }
    let varying = variable
        .attributes
        .get("dim_varying")
        .and_then(Value::as_array);
    for (i, axis) in axes.iter().enumerate() {
        if varying.is_none_or(|list| is_true(list.get(i))) {
            list.push(axis.clone());
        }
    }
    list.extend(names(&["channel"; 2][..order]));
    list
}

/// Whether an attribute is true; a missing attribute counts as true.
fn is_true(attribute: Option<&Value>) -> bool {
    match attribute {
        Some(Value::Bool(value)) => *value,
        Some(value) => value.as_f64() != Some(0.0),
        None => true,
    }
}

/// Axes whose boundary condition is periodic.
fn periodic(unit: &Unit<'_>) -> Vec<String> {
    let groups = unit.source.groups.iter();
    let conditions = groups.filter(|(path, attributes)| {
        let kind = attributes.get("bc_type").and_then(Value::as_str);
        path.starts_with("boundary_conditions/")
            && kind.is_some_and(|kind| kind.eq_ignore_ascii_case("periodic"))
    });
    let axes = conditions.filter_map(|(_, attributes)| attributes.get("associated_dims"));
    axes.flat_map(texts).collect()
}

/// Scalars that differ between trajectories and are constant in time.
fn parameters(unit: &Unit<'_>) -> Vec<String> {
    let arrays = unit.arrays().filter(|(_, name, variable)| {
        let is_false = |attribute: &str| {
            let value = variable.attributes.get(attribute);
            value.is_some() && !is_true(value)
        };
        let varies = variable.attributes.get("sample_varying");
        name.starts_with("scalars/")
            && variable.shape.len() == 1
            && varies.is_some()
            && !is_false("sample_varying")
            && is_false("time_varying")
    });
    arrays.map(|(_, name, _)| name.to_owned()).collect()
}

/// The texts of an attribute, which is a single text or a list.
fn texts(attribute: &Value) -> Vec<String> {
    match attribute {
        Value::Array(list) => list.iter().flat_map(texts).collect(),
        Value::String(text) => vec![text.clone()],
        _ => Vec::new(),
    }
}
