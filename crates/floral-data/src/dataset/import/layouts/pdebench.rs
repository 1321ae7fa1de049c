//! PDEBench: `tensor` or fields of fluids beside `x-coordinate` and other axes, or a group per
//! seed.
//!
//! Takamoto et al., *PDEBench: An Extensive Benchmark for Scientific Machine Learning* (2022).

use super::{first_to_last, names};
use crate::dataset::import::Pick;
use crate::dataset::import::recipe::Recipe;
use crate::dataset::import::unit::Unit;

/// The fields of the compressible-fluid datasets.
const FLUIDS: [&str; 5] = ["density", "pressure", "Vx", "Vy", "Vz"];

/// A unit written by one of the PDEBench generators.
pub(super) fn recognise(unit: &Unit<'_>) -> Option<Recipe> {
    let mut recipe = darcy(unit)
        .or_else(|| tensor(unit))
        .or_else(|| fluids(unit))
        .or_else(|| seed(unit))
        .or_else(|| incompressible(unit))?;
    recipe.layout = Some("PDEBench");
    for axis in ["t", "x", "y", "z"] {
        let arrays = [format!("{axis}-coordinate"), format!("grid/{axis}")];
        let found = arrays.into_iter().find(|name| unit.find(name).is_some());
        recipe
            .coordinates
            .extend(found.map(|name| (axis.to_owned(), name)));
    }
    Some(recipe)
}

fn rank(unit: &Unit<'_>, name: &str) -> Option<usize> {
    Some(unit.variable(unit.find(name)?).shape.len())
}

/// The spatial axes: x, and those of y and z that have coordinates.
fn axes(unit: &Unit<'_>) -> Vec<&'static str> {
    let has = |axis: &str| {
        let arrays = [format!("{axis}-coordinate"), format!("grid/{axis}")];
        arrays.iter().any(|name| unit.find(name).is_some())
    };
    ["x", "y", "z"]
        .into_iter()
        .filter(|axis| *axis == "x" || has(axis))
        .collect()
}

/// `nu` [input, x, y] to `tensor` [input, 1, x, y].
fn darcy(unit: &Unit<'_>) -> Option<Recipe> {
    if (rank(unit, "nu")?, rank(unit, "tensor")?) != (3, 4) {
        return None;
    }
    let mut recipe = Recipe {
        input: vec![Pick::all("nu")],
        high: vec![Pick::all("tensor")],
        ..Recipe::default()
    };
    let dimensions = [
        ("nu", names(&["input", "x", "y"])),
        ("tensor", names(&["input", "channel", "x", "y"])),
    ];
    recipe
        .dimensions
        .extend(dimensions.map(|(name, list)| (name.to_owned(), list)));
    Some(recipe)
}

/// `tensor` [input, t, x, ..].
fn tensor(unit: &Unit<'_>) -> Option<Recipe> {
    let rank = rank(unit, "tensor")?;
    unit.find("x-coordinate")?;
    let mut list = vec!["input", "t"];
    list.extend(axes(unit));
    if rank == list.len() + 1 {
        list.push("channel");
    }
    (rank == list.len()).then(|| trajectories(&["tensor"], &list))
}

/// Fields [input, t, x, ..], one array each.
fn fluids(unit: &Unit<'_>) -> Option<Recipe> {
    unit.find("x-coordinate")?;
    let found: Vec<&str> = FLUIDS
        .into_iter()
        .filter(|name| unit.find(name).is_some())
        .collect();
    let list = [&["input", "t"], &axes(unit)[..]].concat();
    let is_whole = |name: &&str| rank(unit, name) == Some(list.len());
    (!found.is_empty() && found.iter().all(is_whole)).then(|| trajectories(&found, &list))
}

/// `data` [t, x, .., channel], one group per seed.
fn seed(unit: &Unit<'_>) -> Option<Recipe> {
    let rank = rank(unit, "data")?;
    unit.find("grid/x")?;
    let list = [&["t"], &axes(unit)[..], &["channel"]].concat();
    (rank == list.len()).then(|| trajectories(&["data"], &list))
}

/// `velocity` and `particles` [input, t, x, y, channel] under a `force` [input, x, y, channel].
fn incompressible(unit: &Unit<'_>) -> Option<Recipe> {
    let fields = ["velocity", "particles"];
    if fields.iter().any(|name| rank(unit, name) != Some(5)) || rank(unit, "force")? != 4 {
        return None;
    }
    let mut recipe = trajectories(&fields, &["input", "t", "x", "y", "channel"]);
    recipe.input.push(Pick::all("force"));
    let list = names(&["input", "x", "y", "channel"]);
    recipe.dimensions.insert("force".into(), list);
    Some(recipe)
}

fn trajectories(arrays: &[&str], dimensions: &[&str]) -> Recipe {
    let mut recipe = Recipe::default();
    for name in arrays {
        recipe
            .dimensions
            .insert((*name).to_owned(), names(dimensions));
    }
    first_to_last(&mut recipe, arrays, "t");
    recipe
}
