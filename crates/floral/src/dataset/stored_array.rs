//! One array on disk, read by ranges of its first dimension, whatever its chunks and codecs.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use zarrs::array::chunk_cache::{ChunkCache, ChunkCacheDecodedLruChunkLimit};
use zarrs::array::{Array, ArrayBytes, ArrayError, ArraySubset, CodecOptions, ElementOwned};
use zarrs::config::MetadataRetrieveVersion;
use zarrs::storage::{ReadableStorage, ReadableStorageTraits};

use super::layout::METADATA_FILE;
use crate::{Error, Result};

/// An array and the last of its chunks that were read: where several inputs share a chunk, it is
/// decoded once for all of them.
pub(super) struct StoredArray {
    dataset: PathBuf,
    name: String,
    array: Arc<Array<dyn ReadableStorageTraits>>,
    chunks: ChunkCacheDecodedLruChunkLimit,
}

impl StoredArray {
    /// Opens the array of this name, if there is one.
    pub fn open(storage: &ReadableStorage, dataset: &Path, name: &str) -> Result<Option<Self>> {
        if !dataset.join(name).join(METADATA_FILE).is_file() {
            return Ok(None);
        }
        let path = format!("/{name}");
        let array = Array::open_opt(storage.clone(), &path, &MetadataRetrieveVersion::V3).map_err(
            |error| Error::BadFile {
                path: dataset.join(name),
                reason: format!("cannot be opened as an array: {error}"),
            },
        )?;
        let array = Arc::new(array);
        Ok(Some(Self {
            dataset: dataset.to_owned(),
            name: name.to_owned(),
            chunks: ChunkCacheDecodedLruChunkLimit::new(array.clone(), chunks_to_keep(&array)),
            array,
        }))
    }

    /// Number of indices per dimension.
    pub fn shape(&self) -> Vec<usize> {
        self.array.shape().iter().map(|&n| n as usize).collect()
    }

    /// The name of a dimension, if it has one.
    pub fn dimension(&self, index: usize) -> Option<&str> {
        self.array
            .dimension_names()
            .as_ref()?
            .get(index)?
            .as_deref()
    }

    /// The name of the type of its values.
    pub fn data_type(&self) -> String {
        let name = self.array.data_type().name_v3();
        name.map_or_else(|| "unknown".into(), String::from)
    }

    /// The values at these indices of the first dimension and all of the others.
    pub fn read(&self, first: Range<usize>) -> Result<Vec<f64>> {
        let mut ranges: Vec<Range<u64>> = self.array.shape().iter().map(|&n| 0..n).collect();
        if let Some(range) = ranges.first_mut() {
            *range = first.start as u64..first.end as u64;
        }
        let subset = ArraySubset::new_with_ranges(&ranges);
        let values = match self.data_type().as_str() {
            "float32" => self.convert(&subset, |v: f32| f64::from(v)),
            "float64" => self.convert(&subset, |v: f64| v),
            "int32" => self.convert(&subset, |v: i32| f64::from(v)),
            "int64" => self.convert(&subset, |v: i64| v as f64),
            "uint32" => self.convert(&subset, |v: u32| f64::from(v)),
            other => return Err(self.bad(&format!("has values of type {other}, not numbers"))),
        };
        values.map_err(|error| self.damage(&subset, &error))
    }

    /// An error about this array.
    pub fn bad(&self, reason: &str) -> Error {
        Error::BadFile {
            path: self.dataset.join(&self.name),
            reason: reason.to_owned(),
        }
    }

    /// An error about this array's shape.
    pub fn misshapen(&self, expected: Vec<usize>) -> Error {
        Error::Shape {
            what: self.dataset.join(&self.name).display().to_string(),
            found: self.shape(),
            expected,
        }
    }

    fn convert<T: ElementOwned>(
        &self,
        subset: &ArraySubset,
        to_f64: impl Fn(T) -> f64,
    ) -> std::result::Result<Vec<f64>, ArrayError> {
        let values: Vec<T> = self
            .chunks
            .retrieve_array_subset(subset, &codec_options())?;
        Ok(values.into_iter().map(to_f64).collect())
    }

    /// Finds the chunk that cannot be read and names its file.
    fn damage(&self, subset: &ArraySubset, error: &ArrayError) -> Error {
        let unreadable = |chunk: &[u64]| {
            let read = self
                .array
                .retrieve_chunk_opt::<ArrayBytes>(chunk, &codec_options());
            read.is_err()
        };
        let chunks = self.array.chunks_in_array_subset(subset).ok().flatten();
        let file = chunks
            .iter()
            .flat_map(|chunks| chunks.indices().into_iter())
            .find(|chunk| unreadable(chunk))
            .map(|chunk| self.array.chunk_key(&chunk));
        Error::BadFile {
            path: self
                .dataset
                .join(file.as_ref().map_or(&*self.name, |key| key.as_str())),
            reason: format!(
                "this chunk of the array {} cannot be read ({error}); \
                 restore it, or generate the dataset again with --force",
                self.name
            ),
        }
    }
}

/// As many chunks as one input touches on each thread, if it shares them with others; else one.
fn chunks_to_keep(array: &Array<dyn ReadableStorageTraits>) -> u64 {
    let per_input: u64 = array.chunk_grid_shape().iter().skip(1).product();
    let is_shared = array.chunk_grid_shape().first() < array.shape().first();
    match is_shared {
        true => per_input.saturating_mul(rayon::current_num_threads() as u64),
        false => 1,
    }
}

/// Inputs run in parallel, so each stays on its thread; checksums are verified.
pub(super) fn codec_options() -> CodecOptions {
    CodecOptions::default()
        .with_concurrent_target(1)
        .with_validate_checksums(true)
}
