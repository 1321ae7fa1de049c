//! Files of other programs as a dataset: what `floral import` does.

use std::collections::BTreeMap;
use std::path::PathBuf;

use floral::Result;
use floral::dataset::import::{Import, Pick, Wishes};
use floral::dataset::{self, LowPairing};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use serde::Deserialize;

use crate::arrays::{from_json, to_json};
use crate::dataset::Dataset;
use crate::error::raised;
use crate::work::watched;

/// What the caller says about the files, in the words of the command's flags.
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
    fn wishes(self) -> Result<Wishes> {
        let picks = |names: Vec<String>| -> Result<Vec<Pick>> {
            names.iter().map(|name| name.parse()).collect()
        };
        Ok(Wishes {
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
            ..Wishes::default()
        })
    }
}

/// Writes the dataset `target` of files, as `asked` in JSON; what was found, as JSON and in words.
#[pyfunction]
#[pyo3(signature = (paths, target, asked, told=None))]
pub fn import_files(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    target: PathBuf,
    asked: &str,
    told: Option<Py<PyAny>>,
) -> PyResult<(Dataset, String, String)> {
    let asked: Asked = from_json("import", asked)?;
    let wishes = asked.wishes().map_err(|error| raised(py, error))?;
    let (written, found) = watched(py, told.as_ref(), |observer| {
        let (found, _) = Import::open(&paths)?.write(&wishes, &target, false, observer)?;
        Ok((dataset::Dataset::open(&target)?, found))
    })?;
    let words = floral_cli::import_text(&found)
        .map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    Ok((Dataset(written), to_json(&found)?, words))
}
