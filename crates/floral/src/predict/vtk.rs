//! Writes complete predictions on a mesh for ParaView: one `.vtu` file, or a `.pvd` file with one
//! `.vtu` file per input beside it.

use std::path::{Path, PathBuf};

use super::prediction_layout::{
    ALEATORIC, DEVIATION, EPISTEMIC, EXCEEDANCE, MEAN, QUANTILE_DIMENSION, QUANTILES, REALIZATIONS,
    THRESHOLD_CHANNEL, THRESHOLD_DIMENSION,
};
use crate::dataset::layout::{INPUT_DIMENSION, POINTS};
use crate::dataset::{mesh as stored, write_atomically};
use crate::mesh::{self, Array, Mesh, Step};
use crate::storage::StoredArray;
use crate::storage::array_metadata::CHANNEL_NAMES;
use crate::{Error, Result};

/// Why predictions on a grid are not written as VTK files.
pub(super) const NO_MESH: &str =
    "the predictions do not live on a mesh, which .vtu files hold; choose .zarr, .nc or .npz";

/// A prediction store on a mesh.
struct Predictions {
    mesh: Mesh,
    inputs: Vec<f64>,
    /// Every array of fields, with the names of its fields.
    arrays: Vec<(StoredArray, Vec<String>)>,
}

/// Writes the predictions of a store as one file, or as a collection if its name ends in `.pvd`.
pub(super) fn write(store: &Path, target: &Path, mark: &str) -> Result<()> {
    let predictions = Predictions::open(store, target)?;
    // Complete files are recognised by their mark, which is the name of an otherwise unused array.
    let marked = [Array::scalar(format!("floral_mark {mark}"), vec![1.0])];
    if !is_collection(target) {
        return predictions.write(0, target, &marked);
    }
    let stem = target
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let mut steps = Vec::new();
    for (position, input) in predictions.inputs.iter().enumerate() {
        let file = PathBuf::from(format!("{stem}_{input}.vtu"));
        predictions.write(position, &target.with_file_name(&file), &marked)?;
        steps.push(Step { time: *input, file });
    }
    mesh::write_pvd(target, &steps).map_err(|error| Error::bad_file(target, error.to_string()))?;
    let text = std::fs::read_to_string(target).map_err(Error::io(target))?;
    let text = text.replace(
        "</VTKFile>",
        &format!("<!-- floral_mark {mark} -->\n</VTKFile>"),
    );
    write_atomically(target, text.as_bytes())
}

/// Whether the name of a file is that of a collection.
pub(super) fn is_collection(path: &Path) -> bool {
    path.extension()
        .is_some_and(|end| end.eq_ignore_ascii_case("pvd"))
}

impl Predictions {
    fn open(store: &Path, target: &Path) -> Result<Self> {
        let open = StoredArray::opener(store)?;
        let points = open(POINTS)?.ok_or_else(|| no_mesh(target))?;
        let count = points.shape()[0];
        let mesh = stored::read(&points, count, &open)?;
        let inputs = open(INPUT_DIMENSION)?.ok_or_else(|| no_mesh(target))?;
        let inputs = inputs.read(0..inputs.shape()[0])?;
        let numbers = |name: &str| -> Result<Vec<f64>> {
            open(name)?.map_or(Ok(Vec::new()), |array| array.read(0..array.shape()[0]))
        };
        let (levels, thresholds) = (numbers(QUANTILE_DIMENSION)?, numbers(THRESHOLD_DIMENSION)?);
        let of_channel = numbers(THRESHOLD_CHANNEL)?;
        let mut arrays = Vec::new();
        for name in [
            MEAN,
            DEVIATION,
            ALEATORIC,
            EPISTEMIC,
            QUANTILES,
            EXCEEDANCE,
            REALIZATIONS,
        ] {
            let Some(array) = open(name)? else { continue };
            let channels = channel_names(&array);
            let each = |prefix: String| -> Vec<String> {
                let label = |channel: &String| format!("{prefix}{channel}");
                channels.iter().map(label).collect()
            };
            let names = match name {
                QUANTILES => levels
                    .iter()
                    .flat_map(|q| each(format!("quantile_{q}")))
                    .collect(),
                EXCEEDANCE if !of_channel.is_empty() => {
                    let pairs = thresholds.iter().zip(&of_channel);
                    pairs.map(|(t, c)| format!("exceedance_{t}_{c}")).collect()
                }
                EXCEEDANCE => {
                    let fields = thresholds.iter();
                    fields
                        .flat_map(|t| each(format!("exceedance_{t}")))
                        .collect()
                }
                REALIZATIONS => {
                    let kept = 0..array.shape()[1];
                    kept.flat_map(|i| each(format!("realization_{i}")))
                        .collect()
                }
                _ => each(name.to_owned()),
            };
            arrays.push((array, names));
        }
        Ok(Self {
            mesh,
            inputs,
            arrays,
        })
    }

    /// Writes the fields of the input at a position.
    fn write(&self, position: usize, target: &Path, marked: &[Array]) -> Result<()> {
        let points = self.mesh.points().count();
        let mut fields = Vec::new();
        for (array, names) in &self.arrays {
            let values = array.read(position..position + 1)?;
            let each = values.chunks_exact(points).zip(names);
            fields.extend(each.map(|(field, name)| Array::scalar(name, field.to_vec())));
        }
        let written = mesh::write_vtu(target, &self.mesh, &fields, marked);
        written.map_err(|error| Error::bad_file(target, error.to_string()))
    }
}

/// Suffixes of field names that distinguish channels; empty for a single channel.
fn channel_names(array: &StoredArray) -> Vec<String> {
    let shape = array.shape();
    let channels = shape[shape.len() - 2];
    let names = array.attribute(CHANNEL_NAMES);
    let names: Vec<String> = names
        .and_then(|names| serde_json::from_value(names.clone()).ok())
        .unwrap_or_default();
    match channels {
        1 => vec![String::new()],
        _ => (0..channels)
            .map(|i| match names.get(i).filter(|name| !name.is_empty()) {
                Some(name) => format!("_{name}"),
                None => format!("_{i}"),
            })
            .collect(),
    }
}

fn no_mesh(target: &Path) -> Error {
    Error::bad_file(target, NO_MESH)
}
