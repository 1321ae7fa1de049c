//! The arrays of a file whose format another crate reads, from which UGRID and Exodus are decoded.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::Error;
use crate::error::format;
use crate::file::array::indices;

/// A named array of numbers, as described by the reader of its file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its dimensions, slowest first.
    pub dimensions: Vec<Dimension>,
    /// Its attributes, if they are texts or numbers.
    pub attributes: BTreeMap<String, Attribute>,
}

/// A dimension of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dimension {
    /// Its name, empty if unknown.
    pub name: String,
    /// Its length.
    pub length: usize,
}

/// An attribute of an array.
#[derive(Clone, Debug, PartialEq)]
pub enum Attribute {
    /// A text.
    Text(String),
    /// A number, or several.
    Numbers(Vec<f64>),
}

/// The arrays of a file, and how their values are read.
pub trait Arrays {
    /// All arrays of numbers.
    fn variables(&self) -> &[Variable];

    /// The values of a box of an array, the last dimension fastest; NaN where the file marks a
    /// value as missing. `variable` is the position of the array, and the ranges are within it.
    ///
    /// # Errors
    /// If the file cannot be read.
    fn read(&self, variable: usize, ranges: &[Range<usize>]) -> Result<Vec<f64>, Error>;

    /// The texts of an array [text, character] of this name; none if there is no such array.
    fn texts(&self, name: &str) -> Vec<String>;
}

impl Variable {
    /// An attribute that is a text.
    pub(crate) fn text(&self, attribute: &str) -> Option<&str> {
        match self.attributes.get(attribute)? {
            Attribute::Text(text) => Some(text.trim()),
            Attribute::Numbers(_) => None,
        }
    }

    /// An attribute that is a number, or a text that holds one.
    pub(crate) fn number(&self, attribute: &str) -> Option<f64> {
        match self.attributes.get(attribute)? {
            Attribute::Numbers(values) => values.first().copied(),
            Attribute::Text(text) => text.trim().parse().ok(),
        }
    }

    /// The position of a dimension of this name.
    pub(crate) fn position(&self, dimension: &str) -> Option<usize> {
        let is_it = |own: &Dimension| !dimension.is_empty() && own.name == dimension;
        self.dimensions.iter().position(is_it)
    }
}

/// The position of an array by its name.
pub(crate) fn find(arrays: &dyn Arrays, name: &str) -> Option<usize> {
    arrays.variables().iter().position(|own| own.name == name)
}

/// The position of an array by its name, or an error that names the variable that refers to it.
pub(crate) fn needed(arrays: &dyn Arrays, name: &str, whose: &str) -> Result<usize, Error> {
    find(arrays, name).ok_or_else(|| {
        let (name, whose) = (shown(name), shown(whose));
        format(format!(
            "has no array {name}, which {whose} names; export the mesh with it"
        ))
    })
}

/// All values of an array.
pub(crate) fn all(arrays: &dyn Arrays, variable: usize) -> Result<Vec<f64>, Error> {
    let lengths = arrays.variables()[variable].dimensions.iter();
    let ranges: Vec<Range<usize>> = lengths.map(|own| 0..own.length).collect();
    arrays.read(variable, &ranges)
}

/// A name for a message, truncated if it is too long.
pub(crate) fn shown(name: &str) -> String {
    name.chars().take(80).collect()
}

/// Points [n, 3] from the coordinates along each axis.
pub(crate) fn points(axes: &[Vec<f64>]) -> Result<Vec<f64>, Error> {
    let count = axes.first().map_or(0, Vec::len);
    if axes.len() > 3 {
        let message = format!("points have {} coordinates; give 1, 2 or 3", axes.len());
        return Err(format(message));
    }
    if let Some(other) = axes.iter().find(|axis| axis.len() != count) {
        let other = other.len();
        return Err(format(format!(
            "has {count} first coordinates of points but {other} of another axis; it is damaged"
        )));
    }
    let row = |i: usize| (0..3).map(move |axis| axes.get(axis).map_or(0.0, |along| along[i]));
    Ok((0..count).flat_map(row).collect())
}

/// Nodes of cells [cell, node]; unused ones at the end of a row are NaN.
pub(crate) struct Connectivity {
    numbers: Vec<f64>,
    width: usize,
    /// The number by which the file denotes the first node.
    start: f64,
    /// The name of a cell in messages.
    what: &'static str,
}

impl Connectivity {
    pub(crate) fn new(numbers: Vec<f64>, width: usize, start: f64, what: &'static str) -> Self {
        let width = width.max(1);
        Self {
            numbers,
            width,
            start,
            what,
        }
    }

    /// The nodes of each cell, counted from zero.
    pub(crate) fn cells(&self) -> impl Iterator<Item = Result<Vec<usize>, Error>> {
        let rows = self.numbers.chunks_exact(self.width).enumerate();
        rows.map(|(cell, row)| {
            let what = self.what;
            let used = row.iter().position(|n| n.is_nan()).unwrap_or(row.len());
            if row[used..].iter().any(|n| !n.is_nan()) {
                return Err(format(format!(
                    "{what} {cell} has a missing node before its last one; it is damaged"
                )));
            }
            let from_zero: Vec<f64> = row[..used].iter().map(|node| node - self.start).collect();
            indices(&from_zero, &format!("the nodes of {what} {cell}"))
        })
    }
}
