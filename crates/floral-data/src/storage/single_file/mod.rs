//! A complete Zarr group as one file: NumPy's `.npz` or classic NetCDF.
//!
//! Both hold every array under its name, and all attributes. They also hold a mark that identifies
//! the contents.

mod netcdf;
mod npz;
mod supplement;

use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value};
use zarrs::storage::ReadableStorage;

use super::atomic::write_atomically_by;
use super::files::{read_json, write_error, zarr_store};
use super::group_plan::METADATA_FILE;
use super::operations::Pieces;
use super::stored_array::StoredArray;
use crate::{Error, Result};
pub use supplement::{Supplement, SupplementArray};

/// Number of bytes searched for the mark: in both formats, attributes come first.
const HEAD: u64 = 1 << 20;

/// A file format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SingleFile {
    /// A zip archive of NumPy arrays.
    Npz,
    /// Classic NetCDF with 64-bit offsets, which NetCDF, xarray and SciPy read.
    NetCdf,
}

/// An open array of a group.
struct Variable {
    name: String,
    dimensions: Vec<String>,
    attributes: Map<String, Value>,
    values: Values,
}

/// The values of an array.
enum Values {
    /// Stored in the group.
    Stored(StoredArray),
    /// In memory: integers in this shape.
    Whole(Vec<usize>, Vec<f64>),
    /// In memory: 64-bit floats in this shape.
    Real(Vec<usize>, Vec<f64>),
}

/// An open group.
struct Contents {
    path: PathBuf,
    attributes: Map<String, Value>,
    variables: Vec<Variable>,
}

impl SingleFile {
    /// Writes the group in a folder to a file, atomically.
    pub fn write(self, group: &Path, target: &Path, mark: &str) -> Result<()> {
        self.write_with(group, target, mark, |_| Ok(None))
    }

    /// The same with a supplement that a format requires beyond the group, made from the names of
    /// its arrays.
    pub fn write_with(
        self,
        group: &Path,
        target: &Path,
        mark: &str,
        supplement: impl FnOnce(&[&str]) -> Result<Option<Supplement>>,
    ) -> Result<()> {
        let mut contents = Contents::open(group)?;
        let names: Vec<&str> = contents.variables.iter().map(|v| v.name.as_str()).collect();
        if let Some(supplement) = supplement(&names)? {
            supplement.add_to(&mut contents);
        }
        contents
            .attributes
            .insert("floral_mark".into(), mark.into());
        match self {
            Self::Npz => npz::write(&contents, target),
            Self::NetCdf => write_atomically_by(target, |file| {
                let mut out = BufWriter::new(Pieces(file));
                netcdf::write(&contents, &mut out)?;
                out.flush().map_err(write_error(target))
            }),
        }
    }
}

/// Whether a file contains this mark.
pub fn has_mark(path: &Path, mark: &str) -> Result<bool> {
    let file = File::open(path).map_err(Error::io(path))?;
    let mut head = Vec::new();
    file.take(HEAD)
        .read_to_end(&mut head)
        .map_err(Error::io(path))?;
    Ok(head
        .windows(mark.len())
        .any(|bytes| bytes == mark.as_bytes()))
}

impl Contents {
    fn open(group: &Path) -> Result<Self> {
        let bad = |reason: &str| Error::bad_file(group, reason);
        let root = read_json(&group.join(METADATA_FILE))?;
        let root = root.ok_or_else(|| bad("is no Zarr group"))?;
        let arrays = root["consolidated_metadata"]["metadata"].as_object();
        let arrays = arrays.ok_or_else(|| bad("has no consolidated metadata"))?;
        let storage: ReadableStorage = Arc::new(zarr_store(group)?);
        let variables = arrays
            .iter()
            .map(|(name, metadata)| Variable::open(&storage, group, name, metadata));
        Ok(Self {
            path: group.to_owned(),
            attributes: root["attributes"].as_object().cloned().unwrap_or_default(),
            variables: variables.collect::<Result<_>>()?,
        })
    }

    /// Adds the path to an error while writing.
    fn io(&self) -> impl FnOnce(std::io::Error) -> Error {
        write_error(self.path.clone())
    }

    fn bad(&self, reason: String) -> Error {
        Error::bad_file(&self.path, reason)
    }
}

impl Variable {
    fn open(storage: &ReadableStorage, group: &Path, name: &str, metadata: &Value) -> Result<Self> {
        let array = StoredArray::open(storage, group, name)?.ok_or_else(|| {
            Error::bad_file(
                group.join(name),
                "is listed in the group's metadata, but missing",
            )
        })?;
        let dimensions = (0..array.shape().len()).map(|i| match array.dimension(i) {
            Some(name) => name.to_owned(),
            None => format!("{name}_{i}"),
        });
        Ok(Self {
            name: name.to_owned(),
            dimensions: dimensions.collect(),
            attributes: metadata["attributes"]
                .as_object()
                .cloned()
                .unwrap_or_default(),
            values: Values::Stored(array),
        })
    }

    fn shape(&self) -> Vec<usize> {
        match &self.values {
            Values::Stored(array) => array.shape(),
            Values::Whole(shape, _) | Values::Real(shape, _) => shape.clone(),
        }
    }

    /// Number of values.
    fn len(&self) -> usize {
        self.shape().iter().product()
    }

    /// All values in order, one piece per index of a stored array's first dimension.
    fn pieces(&self) -> impl Iterator<Item = Result<Vec<f64>>> {
        let count = match &self.values {
            Values::Stored(array) => array.shape().first().copied().unwrap_or(1),
            Values::Whole(..) | Values::Real(..) => 1,
        };
        (0..count).map(|index| match &self.values {
            Values::Stored(array) => array.read(index..index + 1),
            Values::Whole(_, values) | Values::Real(_, values) => Ok(values.clone()),
        })
    }

    /// Whether values are integers.
    fn is_whole(&self) -> bool {
        match &self.values {
            Values::Stored(array) => array.data_type().contains("int"),
            Values::Whole(..) => true,
            Values::Real(..) => false,
        }
    }

    /// Whether values are 32-bit floats.
    fn is_single(&self) -> bool {
        match &self.values {
            Values::Stored(array) => array.data_type() == "float32",
            Values::Whole(..) | Values::Real(..) => false,
        }
    }
}

#[cfg(test)]
mod tests;
