//! Files of other formats as a dataset: what `floral import` does.

use std::collections::BTreeMap;
use std::path::PathBuf;

use floral::Result;
use floral::dataset::import::{Found, Import, ImportOptions, Pick};
use floral::dataset::{self, LowPairing};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use serde::Deserialize;

use crate::advice;
use crate::arrays::{from_json, to_json};
use crate::dataset::Dataset;
use crate::error::raised;
use crate::work::watched;

/// The options of an import, named like the flags of the command.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Asked {
    input: Vec<String>,
    low: Vec<String>,
    high: Vec<String>,
    params: Vec<String>,
    dims: BTreeMap<String, Vec<String>>,
    prefix: Option<String>,
    periodic: Vec<String>,
    even: bool,
    on_high_grid: bool,
    skip_nan: bool,
    sensors: bool,
    shared_low: Option<bool>,
    title: Option<String>,
}

impl Asked {
    fn options(self) -> Result<ImportOptions> {
        let picks = |names: Vec<String>| -> Result<Vec<Pick>> {
            names.iter().map(|name| name.parse()).collect()
        };
        Ok(ImportOptions {
            input: picks(self.input)?,
            low: picks(self.low)?,
            high: picks(self.high)?,
            parameters: self.params,
            dimensions: self.dims,
            prefix: self.prefix,
            periodic: self.periodic,
            even: self.even,
            on_high_grid: self.on_high_grid,
            skip_missing: self.skip_nan,
            sensors: self.sensors,
            low_pairing: self.shared_low.map(|is_shared| match is_shared {
                true => LowPairing::Shared,
                false => LowPairing::Independent,
            }),
            title: self.title,
            ..ImportOptions::default()
        })
    }
}

/// Imports files as the dataset `target`, with options in JSON; returns what was found, as JSON and as
/// text.
#[pyfunction]
#[pyo3(signature = (paths, target, asked, watcher=None))]
pub fn import_files(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    target: PathBuf,
    asked: &str,
    watcher: Option<Py<PyAny>>,
) -> PyResult<(Dataset, String, String)> {
    let asked: Asked = from_json("import", asked)?;
    let options = asked.options().map_err(|error| raised(py, error))?;
    let (written, found) = watched(py, watcher.as_ref(), |observer| {
        let (found, _) = Import::open(&paths)?.write(&options, &target, false, observer)?;
        Ok((dataset::Dataset::open(&target)?, found))
    })?;
    let words = floral_cli::import_text(&found, advice::worded)
        .map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    Ok((Dataset(written), found_json(&found)?, words))
}

/// What was found as JSON, the advice of its notes with keywords.
fn found_json(found: &Found) -> PyResult<String> {
    let notes = found.notes.iter().map(|note| note.worded(advice::worded));
    let notes: Vec<String> = notes.collect();
    let mut json =
        serde_json::to_value(found).map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    json["notes"] = notes.into();
    to_json(&json)
}
