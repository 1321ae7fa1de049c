//! Names of datasets, quantities and axes, with their units.

use floral::dataset::Dataset;
use floral::{Axis, Field, Grid, Quantity};

use crate::draw::Label;

/// The title of the dataset, or else its problem, or the name of its folder.
pub(super) fn title(dataset: &Dataset) -> String {
    let own = dataset.title().or(dataset.problem());
    let folder = || dataset.path().file_stem().unwrap_or_default();
    own.map_or_else(|| folder().to_string_lossy().into_owned(), str::to_owned)
}

/// A text with its first letter in upper case.
pub(super) fn capitalized(text: &str) -> String {
    let mut text = text.to_owned();
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}

/// The labels of the `count` channels of the solution.
pub(super) fn channels(quantities: &[Quantity], count: usize) -> Vec<Label> {
    let label = |i: usize| {
        let quantity = quantities.get(i);
        let title = quantity.and_then(|quantity| quantity.title());
        let name = match (title, count) {
            (Some(name), _) => name.to_owned(),
            (None, 1) => "solution".into(),
            (None, _) => format!("channel {i}"),
        };
        Label::new(
            name,
            quantity.and_then(|quantity| quantity.units.as_deref()),
        )
    };
    (0..count).map(label).collect()
}

/// Suffixes for file names, distinct for every channel; empty if there is only one channel.
pub(super) fn keys(quantities: &[Quantity], labels: &[Label]) -> Vec<String> {
    if labels.len() < 2 {
        return vec![String::new(); labels.len()];
    }
    let short = |i: usize| {
        quantities
            .get(i)
            .and_then(|quantity| quantity.name.as_deref())
    };
    let plain = labels.iter().enumerate();
    let plain: Vec<String> = plain
        .map(|(i, label)| in_a_file(short(i).unwrap_or(&label.name)))
        .collect();
    distinct(&plain)
}

/// Makes names distinct: a missing or repeated name gets a number.
fn distinct(names: &[String]) -> Vec<String> {
    let name = |(i, name): (usize, &String)| match name.as_str() {
        "" => i.to_string(),
        own if names[..i].contains(name) => format!("{own}-{i}"),
        own => own.to_owned(),
    };
    names.iter().enumerate().map(name).collect()
}

/// A name without characters that file systems and shells treat specially.
fn in_a_file(name: &str) -> String {
    let letters = name.chars().map(|letter| match letter {
        letter if letter.is_alphanumeric() => letter,
        _ => '-',
    });
    let name: String = letters.collect();
    name.split('-')
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("-")
}

/// The grid without axes of a single point, which figures do not show. If there is no other axis,
/// the first one remains.
pub(super) fn drawn(grid: &Grid) -> Grid {
    let mut axes: Vec<Axis> = grid.axes.clone();
    axes.retain(|axis| axis.len() > 1);
    if axes.is_empty() {
        axes.extend(grid.axes.first().cloned());
    }
    grid.with_axes(axes)
}

/// The labels of the parameters among the channels of the input.
pub(super) fn parameters(quantities: &[Quantity]) -> Vec<Label> {
    let own = quantities.iter().filter(|quantity| quantity.parameter);
    let label = |(i, quantity): (usize, &Quantity)| {
        let name = quantity
            .title()
            .map_or_else(|| format!("p{i}"), str::to_owned);
        Label::new(name, quantity.units.as_deref())
    };
    own.enumerate().map(label).collect()
}

/// The parameters of an input, which are its last `count` channels.
pub(super) fn parameter_values(input: &Field, count: usize) -> Vec<f64> {
    let points = input.values().len() / input.channels().max(1);
    let first = |channel: usize| input.values()[channel * points];
    let channels = input.channels();
    (channels - count.min(channels)..channels)
        .map(first)
        .collect()
}

/// The labels of the axes of a grid.
pub(super) fn axes(grid: &Grid) -> Vec<Label> {
    let name = |axis: &Axis| axis.long_name.clone().unwrap_or_else(|| axis.name.clone());
    let axes = grid.axes.iter();
    axes.map(|axis| Label::new(name(axis), axis.units.as_deref()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_different_and_plain() {
        assert_eq!(in_a_file("CO2 (aq) / mol"), "CO2-aq-mol");
        let names = ["u", "u", "\u{3b8}", "()"].map(in_a_file);
        assert_eq!(distinct(&names), ["u", "u-1", "\u{3b8}", "3"]);
    }

    #[test]
    fn a_figure_has_no_axis_of_a_single_point() {
        let shape = |sizes: &[usize]| {
            let axes = sizes.iter().map(|n| Axis::closed("x", *n));
            drawn(&Grid::new(axes.collect())).shape()
        };
        assert_eq!(shape(&[1, 5]), [5]);
        assert_eq!(shape(&[4, 5]), [4, 5]);
        assert_eq!(shape(&[1, 1]), [1]);
    }
}
