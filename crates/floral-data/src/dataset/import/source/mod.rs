//! Sources: files of other formats as named arrays, read in boxes.
//!
//! One file a format: `npz.rs` and `npy.rs`, `hdf5.rs` (NetCDF 4 as well), `netcdf.rs` (its classic
//! format), `zarr.rs`. `recipe.rs` finds out what the arrays mean, `part.rs` reads them.

mod beside;
mod bytes;
mod hdf5;
mod hdf5_values;
mod links;
mod netcdf;
mod netcdf_header;
mod npy;
mod npz;
mod open;
mod strided;
mod zarr;
mod zarr_texts;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use serde_json::{Map, Value};

use crate::storage::{Number, Packing};
use crate::{Error, Result};

pub(super) use beside::Beside;
pub use open::is_data;
pub(super) use open::open;

/// The name of the dimension that holds the two parts of complex numbers.
pub(super) const COMPLEX: &str = "complex";

/// Values of the largest box that is read at once, 2^29: 4 GiB.
pub(super) const LARGEST_BOX: usize = 1 << 29;

/// The most arrays of a file or group that are read.
const MOST_ARRAYS: usize = 100_000;

/// An array of a source.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Variable {
    /// Its name, or its path in a file with groups.
    pub name: String,
    /// Its lengths; of complex numbers the last is 2.
    pub shape: Vec<usize>,
    /// The names of its dimensions, as far as known.
    pub dimensions: Vec<Option<String>>,
    /// Its attributes.
    pub attributes: Map<String, Value>,
    /// Whether its numbers have no more digits than floats of 32 bits.
    pub is_coarse: bool,
}

impl Variable {
    /// The name without the groups that hold it.
    pub fn leaf(&self) -> &str {
        leaf(&self.name)
    }

    /// Whether its numbers are complex.
    pub fn is_complex(&self) -> bool {
        self.dimensions.last() == Some(&Some(COMPLEX.into()))
    }

    /// An attribute that is a text.
    pub fn text(&self, attribute: &str) -> Option<&str> {
        let text = self.attributes.get(attribute)?.as_str()?.trim();
        (!text.is_empty()).then_some(text)
    }
}

/// The part of a path behind its last slash.
pub(super) fn leaf(name: &str) -> &str {
    name.rsplit_once('/').map_or(name, |(_, leaf)| leaf)
}

/// Attributes of groups, by path; the root's is empty.
pub(super) type Groups = BTreeMap<String, Map<String, Value>>;

/// Named arrays that belong together.
pub(super) trait Source: Send + Sync {
    /// Where they are.
    fn path(&self) -> &Path;

    /// The format, in a word.
    fn format(&self) -> &'static str;

    /// The arrays.
    fn variables(&self) -> &[Variable];

    /// The attributes of its groups.
    fn groups(&self) -> &Groups;

    /// What it holds beside numbers.
    fn beside(&self) -> &Beside;

    /// How the array at this position stores its numbers.
    fn number(&self, variable: usize) -> Number;

    /// Whether the format has numbers that stand for what was never written.
    fn has_defaults(&self) -> bool {
        false
    }

    /// The stored numbers of a box of the array at this position, the last dimension fastest. The
    /// ranges lie in the array's shape.
    fn stored(&self, variable: usize, ranges: &[Range<usize>]) -> Result<Vec<f64>>;
}

/// The values of a box of an array: unpacked, and NaN where a value is missing.
pub(super) fn read(
    source: &dyn Source,
    variable: usize,
    ranges: &[Range<usize>],
) -> Result<Vec<f64>> {
    let array = &source.variables()[variable];
    let count = ranges
        .iter()
        .try_fold(1, |n: usize, range| n.checked_mul(range.len()));
    if count.is_none_or(|count| count > LARGEST_BOX) {
        return Err(bad(
            source.path(),
            format!(
                "the array {} has the shape {:?}: more than {LARGEST_BOX} values would be read at \
                 once; store fewer realizations of an input",
                array.name, array.shape
            ),
        ));
    }
    let mut values = source.stored(variable, ranges)?;
    let number = source.number(variable);
    let packing = Packing::new(&array.attributes, number, source.has_defaults());
    let about = |reason| bad(source.path(), format!("the array {} {reason}", array.name));
    packing.map_err(about)?.unpack(&mut values);
    Ok(values)
}

/// All of an array.
pub(super) fn read_all(source: &dyn Source, variable: usize) -> Result<Vec<f64>> {
    let shape = &source.variables()[variable].shape;
    let ranges: Vec<Range<usize>> = shape.iter().map(|&n| 0..n).collect();
    read(source, variable, &ranges)
}

/// An error about a file.
pub(super) fn bad(path: &Path, reason: impl Into<String>) -> Error {
    Error::BadFile {
        path: path.to_owned(),
        reason: reason.into(),
    }
}
