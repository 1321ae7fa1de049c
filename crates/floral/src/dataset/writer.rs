//! Writes a dataset input by input, each chunk whole or not at all.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use zarrs::array::{Array, ArrayBytes, ArrayMetadata, ArrayToBytesCodecTraits, ChunkShapeTraits};
use zarrs::filesystem::FilesystemStore;

use super::Precision;
use super::files::{create_folder, sync, sync_tree, write_json, write_whole};
use super::layout::{EXACT_MEAN, EXACT_VARIANCE, HIGH, INPUT, LOW, METADATA_FILE, Plan, REDRAWS};
use super::partial::Partial;
use super::stored_array::codec_options;
use crate::problem::Moments;
use crate::{Error, Field, Grid, Result};

/// Everything that is stored about one input.
pub(super) struct Solution {
    pub input: Field,
    pub low: Field,
    /// [realization, channel, grid...]
    pub high: Vec<f64>,
    pub moments: Option<Moments>,
    pub redraws: u32,
}

/// An unfinished dataset open for writing, by many threads at once.
pub(super) struct Writer {
    partial: Partial,
    plan: Plan,
    arrays: BTreeMap<String, Array<FilesystemStore>>,
}

impl Writer {
    /// Begins or continues a dataset; none if it is complete.
    pub fn open(target: &Path, plan: Plan, force: bool) -> Result<Option<Self>> {
        let Some(partial) = Partial::open(target, &plan.root(), force)? else {
            return Ok(None);
        };
        let arrays = open_arrays(&plan, &partial.store())?;
        Ok(Some(Self {
            partial,
            plan,
            arrays,
        }))
    }

    /// The number of redraws of an input of which every chunk is there and has its checksum;
    /// none if it has to be computed.
    pub fn finished(&self, input: usize) -> Option<u32> {
        let at = |array: &Array<FilesystemStore>| chunk_of(array, input);
        // Written last: where it is missing, there is no need to look at the others.
        let redraws = self.arrays.get(REDRAWS)?;
        let counts: Vec<u32> = redraws
            .retrieve_chunk_if_exists_opt(&at(redraws), &codec_options())
            .ok()??;
        for name in [INPUT, LOW, HIGH, EXACT_MEAN, EXACT_VARIANCE] {
            if let Some(array) = self.arrays.get(name) {
                array
                    .retrieve_chunk_if_exists_opt::<ArrayBytes>(&at(array), &codec_options())
                    .ok()??;
            }
        }
        counts.first().copied()
    }

    /// Stores an input and its solutions.
    pub fn write(&self, input: usize, solution: &Solution) -> Result<()> {
        self.write_values(INPUT, input, solution.input.values())?;
        self.write_values(LOW, input, solution.low.values())?;
        self.write_values(HIGH, input, &solution.high)?;
        if solution.moments.is_some() != self.arrays.contains_key(EXACT_MEAN) {
            return Err(sometimes_exact(input));
        }
        if let Some(moments) = &solution.moments {
            self.write_values(EXACT_MEAN, input, moments.mean.values())?;
            self.write_values(EXACT_VARIANCE, input, moments.variance.values())?;
        }
        self.write_chunk(REDRAWS, input, solution.redraws.to_ne_bytes().to_vec())
    }

    /// Adds coordinates and metadata, and gives the complete dataset its name.
    pub fn finish(self, grid: &Grid) -> Result<()> {
        for axis in &grid.axes {
            let bytes = Precision::F64.native_bytes(&axis.coordinates);
            self.write_chunk(&axis.name, 0, bytes)?;
        }
        let (store, scratch) = (self.partial.store(), self.partial.scratch());
        for (name, metadata) in &self.plan.arrays {
            write_json(&store.join(name).join(METADATA_FILE), metadata, &scratch)?;
        }
        // On disk before the metadata that declares it complete, should the power fail.
        sync_tree(&store)?;
        let root = store.join(METADATA_FILE);
        write_json(&root, &self.plan.root(), &scratch)?;
        sync(&root)?;
        sync(&store)?;
        self.partial.publish()
    }

    fn write_values(&self, name: &str, input: usize, values: &[f64]) -> Result<()> {
        if let Some(value) = values.iter().find(|&&v| !self.plan.precision.holds(v)) {
            return Err(unstorable(name, input, *value));
        }
        let bytes = self.plan.precision.native_bytes(values);
        self.write_chunk(name, input, bytes)
    }

    fn write_chunk(&self, name: &str, index: usize, bytes: Vec<u8>) -> Result<()> {
        let array = &self.arrays[name];
        let chunk = chunk_of(array, index);
        let path = self.partial.store().join(array.chunk_key(&chunk).as_str());
        let encoded = encode(array, &chunk, bytes).map_err(|error| Error::BadFile {
            path: path.clone(),
            reason: format!("cannot be encoded: {error}"),
        })?;
        write_whole(&path, &encoded, &self.partial.scratch())
    }
}

fn open_arrays(plan: &Plan, store: &Path) -> Result<BTreeMap<String, Array<FilesystemStore>>> {
    let bad = |error: String| Error::BadFile {
        path: store.to_owned(),
        reason: error,
    };
    let storage = FilesystemStore::new(store).map_err(|error| bad(error.to_string()))?;
    let storage = Arc::new(storage);
    plan.arrays
        .iter()
        .map(|(name, metadata)| {
            create_folder(&store.join(name))?;
            let metadata: ArrayMetadata =
                serde_json::from_value(metadata.clone()).map_err(|e| bad(e.to_string()))?;
            let path = format!("/{name}");
            let array = Array::new_with_metadata(storage.clone(), &path, metadata)
                .map_err(|error| bad(error.to_string()))?;
            Ok((name.clone(), array))
        })
        .collect()
}

/// The chunk of an input: the first index, then zeros.
fn chunk_of(array: &Array<FilesystemStore>, input: usize) -> Vec<u64> {
    let mut chunk = vec![0; array.dimensionality()];
    chunk[0] = input as u64;
    chunk
}

fn encode(
    array: &Array<FilesystemStore>,
    chunk: &[u64],
    bytes: Vec<u8>,
) -> std::result::Result<Vec<u8>, zarrs::array::ArrayError> {
    let shape = array.chunk_shape(chunk)?;
    let bytes = ArrayBytes::new_flen(bytes);
    bytes.validate(shape.num_elements_u64(), array.data_type())?;
    let (data_type, fill_value) = (array.data_type(), array.fill_value());
    let encoded = array
        .codecs()
        .encode(bytes, &shape, data_type, fill_value, &codec_options())?;
    Ok(encoded.into_owned())
}

fn sometimes_exact(input: usize) -> Error {
    Error::Numerical {
        what: format!(
            "input {input}: exact moments are known for this input or the first, not both"
        ),
        advice: "a problem has to know them for all inputs or for none".into(),
    }
}

fn unstorable(name: &str, input: usize, value: f64) -> Error {
    let advice = if value.is_finite() {
        "store the dataset in f64"
    } else {
        "the solver broke down: choose a finer resolution or gentler constants"
    };
    Error::Numerical {
        what: format!("input {input}: {name} has the value {value:e}, which cannot be stored"),
        advice: advice.into(),
    }
}
