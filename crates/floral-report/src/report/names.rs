//! What quantities are called, with their units.

use floral::dataset::Dataset;
use floral::{Axis, Grid};

use crate::draw::Label;

/// The dataset's own title, or else its problem, or the name of its folder.
pub(super) fn title(dataset: &Dataset) -> String {
    let own = dataset.title().or(dataset.problem());
    let folder = || dataset.path().file_stem().unwrap_or_default();
    own.map_or_else(|| folder().to_string_lossy().into_owned(), str::to_owned)
}

/// The channels of the solution, so many of them.
pub(super) fn channels(dataset: &Dataset, count: usize) -> Vec<Label> {
    let quantities = dataset.solution_quantities();
    let label = |i: usize| {
        let quantity = quantities.get(i);
        let told = quantity.and_then(|quantity| quantity.title());
        let name = match (told, count) {
            (Some(name), _) => name.to_owned(),
            (None, 1) => "solution".into(),
            (None, _) => format!("channel {i}"),
        };
        Label::new(name, quantity.and_then(|quantity| quantity.units.as_deref()))
    };
    (0..count).map(label).collect()
}

/// Parts of the names of files, different for every channel; empty for the only one.
pub(super) fn keys(dataset: &Dataset, labels: &[Label]) -> Vec<String> {
    if labels.len() < 2 {
        return vec![String::new(); labels.len()];
    }
    let quantities = dataset.solution_quantities();
    let short = |i: usize| quantities.get(i).and_then(|quantity| quantity.name.as_deref());
    let plain = labels.iter().enumerate();
    let plain: Vec<String> = plain
        .map(|(i, label)| in_a_file(short(i).unwrap_or(&label.name)))
        .collect();
    let key = |(i, key): (usize, &String)| {
        let is_taken = key.is_empty() || plain[..i].contains(key);
        if is_taken { format!("{key}-{i}") } else { key.clone() }
    };
    plain.iter().enumerate().map(key).collect()
}

/// A name without what file systems and shells take amiss.
fn in_a_file(name: &str) -> String {
    let letters = name.chars().map(|letter| match letter {
        letter if letter.is_alphanumeric() => letter,
        _ => '-',
    });
    let name: String = letters.collect();
    name.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}

/// The grid without axes of a single point, which no figure shows; of a single point the first axis.
pub(super) fn drawn(grid: &Grid) -> Grid {
    let mut axes: Vec<Axis> = grid.axes.clone();
    axes.retain(|axis| axis.len() > 1);
    if axes.is_empty() {
        axes.extend(grid.axes.first().cloned());
    }
    Grid { axes }
}

/// The axes of a grid.
pub(super) fn axes(grid: &Grid) -> Vec<Label> {
    let name = |axis: &Axis| axis.long_name.clone().unwrap_or_else(|| axis.name.clone());
    let axes = grid.axes.iter();
    axes.map(|axis| Label::new(name(axis), axis.units.as_deref())).collect()
}
