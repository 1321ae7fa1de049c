//! Imports files of other formats as a dataset, as `floral import` does.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use floral::dataset::import::{Found, Import, ImportOptions, Pick};
use floral::dataset::{self, LowPairing, MeshOptions};
use floral::{Error, Result};
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
    pattern: Option<String>,
    low_pattern: Option<String>,
    parameters: Option<PathBuf>,
}

fn picks(names: Vec<String>) -> Result<Vec<Pick>> {
    names.iter().map(|name| name.parse()).collect()
}

impl Asked {
    /// Refuses options of mesh files if the files hold grids.
    fn check_grid(&self) -> Result<()> {
        let given = [
            ("pattern", self.pattern.is_some()),
            ("low_pattern", self.low_pattern.is_some()),
            ("parameters", self.parameters.is_some()),
        ];
        match given.iter().find(|(_, is_given)| *is_given) {
            None => Ok(()),
            Some((name, _)) => Err(Error::config(
                *name,
                "is for files with meshes (VTK, Gmsh, UGRID, Exodus, XDMF), and none is found",
            )),
        }
    }

    /// The options of an import of mesh files.
    fn mesh_options(self) -> Result<MeshOptions> {
        Ok(MeshOptions {
            pattern: self.pattern,
            low_pattern: self.low_pattern,
            high: picks(self.high)?,
            input: picks(self.input)?,
            low: picks(self.low)?,
            parameters: self.parameters,
            title: self.title,
        })
    }

    fn options(self) -> Result<ImportOptions> {
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

/// Imports files as the dataset `target`, with options in JSON. Returns the dataset, and how the
/// files were interpreted, as JSON and as text.
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
    let meshes = dataset::mesh_files(&paths).map_err(|error| raised(py, error))?;
    if !meshes.is_empty() {
        return import_meshes(py, &meshes, &target, asked, watcher.as_ref());
    }
    let checked = asked.check_grid().and_then(|()| asked.options());
    let options = checked.map_err(|error| raised(py, error))?;
    let (written, found) = watched(py, watcher.as_ref(), |observer| {
        let (found, _) = Import::open(&paths)?.write(&options, &target, false, observer)?;
        Ok((dataset::Dataset::open(&target)?, found))
    })?;
    let words = floral_cli::import_text(&found, advice::worded)
        .map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    Ok((Dataset(written), found_json(&found)?, words))
}

/// Imports mesh files with one realization each.
fn import_meshes(
    py: Python<'_>,
    files: &[PathBuf],
    target: &Path,
    asked: Asked,
    watcher: Option<&Py<PyAny>>,
) -> PyResult<(Dataset, String, String)> {
    let options = asked.mesh_options().map_err(|error| raised(py, error))?;
    let (written, notes) = watched(py, watcher, |_| {
        dataset::import_meshes(files, &options, target)
    })?;
    let words = floral_cli::mesh_import_text(&written);
    let found = serde_json::json!({
        "format": "meshes",
        "sources": files,
        "inputs": written.inputs(),
        "notes": notes,
    });
    Ok((Dataset(written), to_json(&found)?, words))
}

/// How files were interpreted, as JSON; the advice in its notes names Python keywords.
fn found_json(found: &Found) -> PyResult<String> {
    let notes = found.notes.iter().map(|note| note.worded(advice::worded));
    let notes: Vec<String> = notes.collect();
    let mut json =
        serde_json::to_value(found).map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    json["notes"] = notes.into();
    to_json(&json)
}
