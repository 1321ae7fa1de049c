//! What an import found and made of it, for a person to read or a program to use.

use std::path::PathBuf;

use serde::Serialize;

use crate::{AxisKind, Note, Quantity};

/// What was found in files, and what it became.
#[derive(Debug, Clone, Serialize)]
pub struct Found {
    /// The files.
    pub sources: Vec<PathBuf>,
    /// Their format.
    pub format: &'static str,
    /// The name of their layout, if it is a known one.
    pub layout: Option<&'static str>,
    /// How many inputs there are.
    pub inputs: usize,
    /// The fewest and the most realizations of an input.
    pub realizations: (usize, usize),
    /// The axes of the grid.
    pub axes: Vec<AxisFound>,
    /// Points per axis of the high-fidelity solution, where they are fewer.
    pub high_points: Option<Vec<usize>>,
    /// Input, low and high fidelity, as far as they are there.
    pub arrays: Vec<ArrayFound>,
    /// Realizations that were only room for some.
    pub absent: usize,
    /// Realizations left out because a value is missing.
    pub skipped_realizations: usize,
    /// Inputs left out because a value is missing.
    pub skipped_inputs: usize,
    /// Arrays that were not taken.
    pub left: Vec<String>,
    /// What was assumed or done.
    pub notes: Vec<Note>,
}

/// An axis of the grid.
#[derive(Debug, Clone, Serialize)]
pub struct AxisFound {
    /// Its name.
    pub name: String,
    /// How many points it has.
    pub points: usize,
    /// The first coordinate.
    pub from: f64,
    /// The last one.
    pub to: f64,
    /// Units of the coordinates, if known.
    pub units: Option<String>,
    /// Closed, periodic or of times.
    pub kind: AxisKind,
    /// Whether its points are evenly spaced in the files.
    pub is_even: bool,
    /// The array of its coordinates; none if they are counted.
    pub coordinates: Option<String>,
}

/// An array of the dataset.
#[derive(Debug, Clone, Serialize)]
pub struct ArrayFound {
    /// `input`, `low` or `high`.
    pub role: &'static str,
    /// What its channels were made of, one after the other.
    pub parts: Vec<PartFound>,
}

/// An array of the files, or a parameter, and the channels that it became.
#[derive(Debug, Clone, Serialize)]
pub struct PartFound {
    /// Its name, and what was taken of it.
    pub from: String,
    /// Its dimensions and their lengths.
    pub dimensions: Vec<(String, usize)>,
    /// The channels.
    pub channels: Vec<ChannelFound>,
}

/// A channel and its values.
#[derive(Debug, Clone, Serialize)]
pub struct ChannelFound {
    /// What it is.
    #[serde(flatten)]
    pub quantity: Quantity,
    /// Its smallest value.
    pub min: f64,
    /// Its largest value.
    pub max: f64,
}
