//! The findings of an import, for a person or a program.

use std::path::PathBuf;

use serde::Serialize;

use crate::{AxisKind, Note, Quantity};

/// The data found in files, and the dataset made from them.
#[derive(Debug, Clone, Serialize)]
pub struct Found {
    /// The files.
    pub sources: Vec<PathBuf>,
    /// Their format.
    pub format: &'static str,
    /// The name of their layout, if it is a known one.
    pub layout: Option<&'static str>,
    /// Number of inputs.
    pub inputs: usize,
    /// The fewest and the most realizations of an input.
    pub realizations: (usize, usize),
    /// The axes of the grid.
    pub axes: Vec<AxisFound>,
    /// High-fidelity points per axis, if fewer than those of the grid.
    pub high_points: Option<Vec<usize>>,
    /// Input, low and high fidelity, as far as present.
    pub arrays: Vec<ArrayFound>,
    /// Realizations for which the files have room but no values.
    pub absent: usize,
    /// Realizations left out because of a missing value.
    pub skipped_realizations: usize,
    /// Inputs left out because of a missing value.
    pub skipped_inputs: usize,
    /// Arrays that were not used.
    pub left: Vec<String>,
    /// Assumptions and conversions.
    pub notes: Vec<Note>,
}

/// An axis of the grid.
#[derive(Debug, Clone, Serialize)]
pub struct AxisFound {
    /// Its name.
    pub name: String,
    /// Number of points.
    pub points: usize,
    /// The first coordinate.
    pub from: f64,
    /// The last coordinate.
    pub to: f64,
    /// Units of the coordinates, if known.
    pub units: Option<String>,
    /// Closed, periodic or of times.
    pub kind: AxisKind,
    /// Whether its points are evenly spaced in the files.
    pub is_even: bool,
    /// The array of its coordinates; none if the points are counted.
    pub coordinates: Option<String>,
}

/// An array of the dataset.
#[derive(Debug, Clone, Serialize)]
pub struct ArrayFound {
    /// `input`, `low` or `high`.
    pub role: &'static str,
    /// The arrays that its channels were made from, in order.
    pub parts: Vec<PartFound>,
}

/// An array of the files, or a parameter, and the channels made from it.
#[derive(Debug, Clone, Serialize)]
pub struct PartFound {
    /// Its name, with the selection taken from it.
    pub from: String,
    /// Its dimensions and their lengths.
    pub dimensions: Vec<(String, usize)>,
    /// The channels.
    pub channels: Vec<ChannelFound>,
}

/// A channel and its values.
#[derive(Debug, Clone, Serialize)]
pub struct ChannelFound {
    /// Its name and units.
    #[serde(flatten)]
    pub quantity: Quantity,
    /// Its smallest value.
    pub min: f64,
    /// Its largest value.
    pub max: f64,
}
