//! The arrays of a NetCDF file, for `floral_mesh` to decode by the conventions of UGRID and Exodus.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use floral_mesh::{Arrays, Attribute, Dimension, Error as MeshError, Variable};
use serde_json::{Map, Value};

use super::budget::Budget;
use crate::dataset::import::source::{self, Source};
use crate::{Error, Result};

/// Extensions of NetCDF files, including those of Exodus.
const ENDINGS: [&str; 12] = [
    "nc", "nc4", "cdf", "netcdf", "e", "ex2", "exo", "exii", "exodus", "g", "gen", "ncdf",
];

/// Whether an extension is one of NetCDF files, which may hold a mesh.
pub(super) fn is_named(ending: &str) -> bool {
    ENDINGS.contains(&ending)
}

/// Whether a file is readable and holds a mesh.
pub(super) fn has_mesh(path: &Path) -> bool {
    NetCdf::open(path).is_ok_and(|file| floral_mesh::has_mesh(&file))
}

/// An open file.
pub(super) struct NetCdf {
    source: Source,
    variables: Vec<Variable>,
    budget: Budget,
}

impl NetCdf {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let source = source::open_file(path)?;
        let variables = source.variables.iter().map(|own| {
            let along = own.shape.iter().zip(&own.dimensions);
            let dimensions = along.map(|(&length, name)| Dimension {
                name: name.clone().unwrap_or_default(),
                length,
            });
            Variable {
                name: own.name.clone(),
                dimensions: dimensions.collect(),
                attributes: attributes(&own.attributes),
            }
        });
        let variables = variables.collect();
        Ok(Self {
            source,
            variables,
            budget: Budget::of(path)?,
        })
    }
}

impl Arrays for NetCdf {
    fn variables(&self) -> &[Variable] {
        &self.variables
    }

    fn read(
        &self,
        variable: usize,
        ranges: &[Range<usize>],
    ) -> std::result::Result<Vec<f64>, MeshError> {
        self.budget.take(ranges.iter().map(Range::len))?;
        let values = self.source.read(variable, ranges);
        values.map_err(|error| MeshError::Format(reason(error)))
    }

    fn texts(&self, name: &str) -> Vec<String> {
        let found = self.source.beside.labels.get(name);
        found.cloned().unwrap_or_default()
    }
}

/// The reason of an error without the path, which the caller adds.
pub(super) fn reason(error: Error) -> String {
    match error {
        Error::BadFile { reason, .. } => reason,
        other => other.to_string(),
    }
}

/// Converts texts and numbers; other attributes are ignored.
fn attributes(list: &Map<String, Value>) -> BTreeMap<String, Attribute> {
    let numbers = |values: &[Value]| -> Option<Vec<f64>> {
        let each = values.iter().map(Value::as_f64);
        each.collect()
    };
    let each = list.iter().filter_map(|(name, value)| {
        let value = match value {
            Value::String(text) => Attribute::Text(text.clone()),
            Value::Array(values) => Attribute::Numbers(numbers(values)?),
            other => Attribute::Numbers(vec![other.as_f64()?]),
        };
        Some((name.clone(), value))
    });
    each.collect()
}
