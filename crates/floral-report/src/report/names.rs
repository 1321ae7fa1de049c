//! What quantities are called, with their units.

use floral::dataset::Dataset;

/// The solution.
pub(super) fn quantity(dataset: &Dataset) -> String {
    let name = match dataset.problem() {
        Some("darcy") => "pressure p",
        Some("plume") => "concentration c",
        Some("1dcr") => "solution w",
        Some("advection" | "burgers") => "solution u",
        _ => "solution",
    };
    with_units(name, dataset.units("high"))
}

/// The axes of the grid.
pub(super) fn axes(dataset: &Dataset) -> Vec<String> {
    let axes = dataset.grid().axes.iter();
    axes.map(|axis| with_units(&axis.name, dataset.units(&axis.name)))
        .collect()
}

fn with_units(name: &str, units: Option<String>) -> String {
    match units {
        Some(units) => format!("{name} [{units}]"),
        None => format!("{name} [\u{2013}]"),
    }
}
