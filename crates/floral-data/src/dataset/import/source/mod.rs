//! Sources: files of other formats as named arrays, read in boxes.
//!
//! One module per format: `npz.rs` and `npy.rs`, `hdf5.rs` (also NetCDF 4), `netcdf.rs` (the
//! classic format), `zarr.rs`. `recipe.rs` determines the roles of arrays; `part.rs` reads them.

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
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::storage::{Number, Packing};
use crate::{Error, Result};

pub(in crate::dataset) use beside::Beside;
pub(in crate::dataset) use open::file as open_file;
pub use open::is_data;
pub(super) use open::open;

/// The name of the dimension of real and imaginary parts.
pub(super) const COMPLEX: &str = "complex";

/// Largest number of values read at once, 2^29: 4 GiB.
pub(super) const LARGEST_BOX: usize = 1 << 29;

/// Largest number of arrays read from a file or group.
const MOST_ARRAYS: usize = 100_000;

/// An array of a source.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::dataset) struct Variable {
    /// Its name, or its path in a file with groups.
    pub name: String,
    /// Its shape; complex numbers have a last dimension of length 2.
    pub shape: Vec<usize>,
    /// The names of its dimensions, as far as known.
    pub dimensions: Vec<Option<String>>,
    /// Its attributes.
    pub attributes: Map<String, Value>,
    /// How its numbers are stored.
    pub number: Number,
}

impl Variable {
    /// An array of numbers; complex numbers get an additional last dimension.
    fn new(
        name: impl Into<String>,
        mut shape: Vec<usize>,
        mut dimensions: Vec<Option<String>>,
        attributes: Map<String, Value>,
        number: Number,
    ) -> Self {
        if number.is_complex() {
            shape.push(2);
            dimensions.push(Some(COMPLEX.into()));
        }
        Self {
            name: name.into(),
            shape,
            dimensions,
            attributes,
            number,
        }
    }

    /// The name without its groups.
    pub fn leaf(&self) -> &str {
        leaf(&self.name)
    }

    /// Whether its numbers are complex.
    pub fn is_complex(&self) -> bool {
        self.number.is_complex()
    }

    /// An attribute of type text; none if it is empty.
    pub fn text(&self, attribute: &str) -> Option<&str> {
        let text = self.attributes.get(attribute)?.as_str()?.trim();
        (!text.is_empty()).then_some(text)
    }
}

/// The part of a path after its last slash.
pub(super) fn leaf(name: &str) -> &str {
    name.rsplit_once('/').map_or(name, |(_, leaf)| leaf)
}

/// Attributes of groups, by path; the path of the root is empty.
pub(in crate::dataset) type Groups = BTreeMap<String, Map<String, Value>>;

/// Named arrays that belong together.
pub(in crate::dataset) struct Source {
    /// The file or folder.
    pub path: PathBuf,
    /// Name of the format.
    pub format: &'static str,
    /// The arrays.
    pub variables: Vec<Variable>,
    /// The attributes of its groups.
    pub groups: Groups,
    /// Contents other than numbers.
    pub beside: Beside,
    /// Whether the format defines default fill values for data that were never written.
    has_defaults: bool,
    values: Box<dyn Values>,
}

/// Numbers, or the reason why they cannot be read.
type Stored = std::result::Result<Vec<f64>, Unread>;

/// Access to the numbers of a source.
trait Values: Send + Sync {
    /// The stored numbers of a box of the array with index `variable`, last dimension fastest. The
    /// ranges lie within the array's shape, without the dimension of complex parts.
    fn stored(&self, variable: usize, ranges: &[Range<usize>]) -> Stored;
}

/// The reason why numbers cannot be read.
enum Unread {
    /// A reason that concerns the array.
    Reason(String),
    /// An error that concerns the file.
    Whole(Error),
}

impl Unread {
    /// The reason for a failed read.
    fn from(error: impl std::fmt::Display) -> Self {
        Self::Reason(format!("cannot be read ({error})"))
    }
}

impl Source {
    /// Arrays without groups and attributes.
    fn new(
        path: &Path,
        format: &'static str,
        variables: Vec<Variable>,
        values: impl Values + 'static,
    ) -> Self {
        Self {
            path: path.to_owned(),
            format,
            variables,
            groups: Groups::new(),
            beside: Beside::default(),
            has_defaults: false,
            values: Box::new(values),
        }
    }

    /// The values of a box of an array, after unpacking; missing values are NaN.
    pub fn read(&self, variable: usize, ranges: &[Range<usize>]) -> Result<Vec<f64>> {
        let array = &self.variables[variable];
        let about =
            |reason| Error::bad_file(&self.path, format!("the array {} {reason}", array.name));
        let mut counts = ranges.iter().map(Range::len);
        let count = counts.try_fold(1, usize::checked_mul);
        if count.is_none_or(|count| count > LARGEST_BOX) {
            return Err(about(format!(
                "has the shape {:?}: more than {LARGEST_BOX} values would be read at once; store fewer \
                 realizations of an input",
                array.shape
            )));
        }
        let stored = ranges.len() - usize::from(array.is_complex());
        let mut values = match self.values.stored(variable, &ranges[..stored]) {
            Ok(values) => values,
            Err(Unread::Reason(reason)) => return Err(about(reason)),
            Err(Unread::Whole(error)) => return Err(error),
        };
        let packing = Packing::new(&array.attributes, array.number, self.has_defaults);
        packing.map_err(about)?.unpack(&mut values);
        Ok(values)
    }

    /// All values of an array.
    pub fn read_all(&self, variable: usize) -> Result<Vec<f64>> {
        let shape = &self.variables[variable].shape;
        let ranges: Vec<Range<usize>> = shape.iter().map(|&n| 0..n).collect();
        self.read(variable, &ranges)
    }
}
