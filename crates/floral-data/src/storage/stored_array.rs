//! An array of a Zarr v3 group, written by `group.rs` or by other programs. It is read by ranges of
//! its first dimension, with any chunks and codecs; `shard_store.rs` finds chunks in shards.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value};
use zarrs::array::chunk_cache::{ChunkCache, ChunkCacheDecodedLruChunkLimit};
use zarrs::array::{Array, ArrayBytes, ArrayError, ArraySubset, CodecOptions};
use zarrs::config::MetadataRetrieveVersion;
use zarrs::storage::{ReadableStorage, ReadableStorageTraits};

use super::files::zarr_store;
use super::group_plan::METADATA_FILE;
use super::operations;
use super::shard_store::{Piece, ShardStore};
use super::{Number, Packing};
use crate::{Advice, Error, Result};

/// Largest number of values read at once, 2^29: the size of the largest chunk that FLORAL writes in
/// 32 bits.
const LARGEST_READ: u64 = 1 << 29;

/// Largest number of values in a read that consists only of absent chunks, which are fill values.
const LARGEST_FILL: u64 = 1 << 20;

/// Number of chunks whose files are checked before a larger read.
const CHUNKS_LOOKED_AT: usize = 1024;

/// Largest plausible number of values per byte of a file: zstd, which compresses best, encodes 128
/// KiB of one value in four bytes.
const VALUES_PER_BYTE: u64 = 1 << 15;

/// The name of the Blosc codec.
const BLOSC: &str = "blosc";

/// An array with a cache of the chunks read last: a chunk shared by several inputs is decoded once.
pub struct StoredArray {
    dataset: PathBuf,
    name: String,
    array: Arc<Array<dyn ReadableStorageTraits>>,
    /// The location of chunks in shards; none if chunks are separate files.
    shards: Option<Arc<ShardStore>>,
    /// Number of values per chunk.
    chunk_values: u64,
    /// Whether the file of a chunk begins with a Blosc header.
    begins_with_blosc: bool,
    chunks: ChunkCacheDecodedLruChunkLimit,
}

impl StoredArray {
    /// A function that opens the arrays of the group in a folder by name.
    pub fn opener(group: &Path) -> Result<impl Fn(&str) -> Result<Option<Self>>> {
        let storage: ReadableStorage = Arc::new(zarr_store(group)?);
        let group = group.to_owned();
        Ok(move |name: &str| Self::open(&storage, &group, name))
    }

    /// Opens the array of this name, if it exists.
    pub fn open(storage: &ReadableStorage, dataset: &Path, name: &str) -> Result<Option<Self>> {
        if !dataset.join(name).join(METADATA_FILE).is_file() {
            return Ok(None);
        }
        Self::open_as(storage, dataset, name, &MetadataRetrieveVersion::V3).map(Some)
    }

    /// Opens an array of Zarr version 3 or 2; an empty name refers to the store itself.
    pub fn open_any(storage: &ReadableStorage, dataset: &Path, name: &str) -> Result<Self> {
        Self::open_as(storage, dataset, name, &MetadataRetrieveVersion::Default)
    }

    fn open_as(
        storage: &ReadableStorage,
        dataset: &Path,
        name: &str,
        version: &MetadataRetrieveVersion,
    ) -> Result<Self> {
        let path = format!("/{name}");
        let array = Array::open_opt(storage.clone(), &path, version);
        let bad = |reason: String| Error::bad_file(dataset.join(name), reason);
        let array = array.map_err(|error| bad(format!("cannot be opened as an array: {error}")))?;
        let (array, shards) = ShardStore::open(array, dataset).map_err(bad)?;
        let chunk_values = chunk_values(&array).map_err(bad)?;
        let array = Arc::new(array);
        Ok(Self {
            dataset: dataset.to_owned(),
            name: name.to_owned(),
            chunk_values,
            begins_with_blosc: begins_with_blosc(&array),
            chunks: ChunkCacheDecodedLruChunkLimit::new(array.clone(), chunks_to_keep(&array)),
            array,
            shards,
        })
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

    /// An attribute, if the array has it.
    pub fn attribute(&self, name: &str) -> Option<&Value> {
        self.array.attributes().get(name)
    }

    /// The name of the data type of its values.
    pub fn data_type(&self) -> String {
        let name = self.array.data_type().name_v3();
        name.map_or_else(|| "unknown".into(), String::from)
    }

    /// All attributes.
    pub fn attributes(&self) -> &Map<String, Value> {
        self.array.attributes()
    }

    /// The storage type of its values; none if they are not numbers.
    pub fn number(&self) -> Option<Number> {
        Number::zarr(&self.data_type())
    }

    /// The values at these indices of the first dimension and at all indices of the others,
    /// unpacked by the array's attributes.
    pub fn read(&self, first: Range<usize>) -> Result<Vec<f64>> {
        let mut ranges: Vec<Range<usize>> = self.shape().into_iter().map(|n| 0..n).collect();
        if let Some(range) = ranges.first_mut() {
            *range = first;
        }
        let mut values = self.read_box(&ranges)?;
        if let Some(number) = self.number() {
            let packing = Packing::new(self.attributes(), number, false);
            packing
                .map_err(|reason| self.bad(&reason))?
                .unpack(&mut values);
        }
        Ok(values)
    }

    /// The stored numbers of a box, last dimension fastest; a complex number gives two values.
    pub fn read_box(&self, ranges: &[Range<usize>]) -> Result<Vec<f64>> {
        let ranges: Vec<Range<u64>> = ranges
            .iter()
            .map(|range| range.start as u64..range.end as u64)
            .collect();
        let subset = ArraySubset::new_with_ranges(&ranges);
        operations::before_read().map_err(Error::io(self.dataset.join(&self.name)))?;
        self.check_size(&subset)?;
        let number = self.number().ok_or_else(|| {
            let found = self.data_type();
            self.bad(&format!("has values of type {found}, not numbers"))
        })?;
        self.check_files(&subset, number)?;
        let bytes = self.decoded(&subset);
        let bytes = bytes.map_err(|error| self.damage(&subset, &error))?;
        let mut values = Vec::new();
        number.append(&bytes, &mut values);
        Ok(values)
    }

    /// An error about this array.
    pub fn bad(&self, reason: &str) -> Error {
        Error::bad_file(self.dataset.join(&self.name), reason)
    }

    /// An error about this array's shape.
    pub fn misshapen(&self, expected: Vec<usize>) -> Error {
        Error::shape(
            self.dataset.join(&self.name).display().to_string(),
            self.shape(),
            expected,
        )
    }

    /// Refuses a read that is too large, or that is large without files to support the declared
    /// shape.
    fn check_size(&self, subset: &ArraySubset) -> Result<()> {
        let values = values_of(subset.shape());
        if values > LARGEST_READ {
            return Err(self.bad(&format!(
                "has the shape {:?}: {values} values would be read at once, and at most \
                 {LARGEST_READ} are; store fewer realizations of an input",
                self.shape()
            )));
        }
        // A chunk is decoded as a whole, even if only a part is needed.
        let values = values.max(self.chunk_values);
        if values > LARGEST_FILL
            && values > self.stored_bytes(subset).saturating_mul(VALUES_PER_BYTE)
        {
            return Err(self.bad(&format!(
                "has the shape {:?}, but the files of its first chunks are missing or too small \
                 for that many values",
                self.shape()
            )));
        }
        Ok(())
    }

    /// Whether any chunk at an index of the first dimension is stored.
    pub fn has_stored(&self, index: usize) -> bool {
        let mut ranges: Vec<Range<u64>> = self.array.shape().iter().map(|&n| 0..n).collect();
        if let Some(range) = ranges.first_mut() {
            *range = index as u64..index as u64 + 1;
        }
        self.stored_bytes(&ArraySubset::new_with_ranges(&ranges)) > 0
    }

    /// Total size of the files of the first chunks of a subset.
    fn stored_bytes(&self, subset: &ArraySubset) -> u64 {
        let chunks = self.array.chunks_in_array_subset(subset).ok().flatten();
        let pieces = chunks
            .iter()
            .flat_map(|chunks| chunks.indices().into_iter())
            .take(CHUNKS_LOOKED_AT)
            .filter_map(|chunk| self.piece(&chunk).ok().flatten());
        pieces.map(|piece| piece.bytes).fold(0, u64::saturating_add)
    }

    /// The location of a chunk; none if it is absent.
    fn piece(&self, chunk: &[u64]) -> Result<Option<Piece>> {
        match &self.shards {
            Some(shards) => shards.piece(chunk),
            None => Piece::whole(self.file(chunk)),
        }
    }

    /// The file that contains a chunk.
    fn file(&self, chunk: &[u64]) -> PathBuf {
        match &self.shards {
            Some(shards) => shards.file(chunk),
            None => self.dataset.join(self.array.chunk_key(chunk).as_str()),
        }
    }

    /// Refuses chunks that are not regular files, whose reading might never end, and chunks for
    /// which Blosc would allocate more memory than they can contain.
    fn check_files(&self, subset: &ArraySubset, number: Number) -> Result<()> {
        let largest = self.chunk_values.saturating_mul(number.size() as u64);
        let chunks = self.array.chunks_in_array_subset(subset).ok().flatten();
        for chunk in chunks
            .iter()
            .flat_map(|chunks| chunks.indices().into_iter())
        {
            // An absent chunk consists of the fill value.
            let Some(piece) = self.piece(&chunk)?.filter(|_| self.begins_with_blosc) else {
                continue;
            };
            if let Some(bytes) = unpacked_size(&piece)?.filter(|bytes| *bytes > largest) {
                return Err(Error::bad_file(
                    piece.path,
                    format!("says to hold {bytes} bytes, not {largest}"),
                ));
            }
        }
        Ok(())
    }

    /// The numbers of a subset, in the machine's byte order.
    fn decoded(&self, subset: &ArraySubset) -> std::result::Result<Vec<u8>, ArrayError> {
        let bytes: ArrayBytes = self
            .chunks
            .retrieve_array_subset(subset, &codec_options())?;
        Ok(bytes.into_fixed()?.into_owned())
    }

    /// Finds the unreadable chunk and names its file.
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
            .map(|chunk| self.file(&chunk));
        Error::bad_file(
            file.unwrap_or_else(|| self.dataset.join(&self.name)),
            format!(
                "this chunk of the array {} cannot be read ({error})",
                self.name
            ),
        )
        .advised(Advice::GenerateAgain)
    }
}

/// Number of values per chunk, or why chunks of the declared size cannot be read.
fn chunk_values(array: &Array<dyn ReadableStorageTraits>) -> std::result::Result<u64, String> {
    let first = vec![0; array.dimensionality()];
    let shape = array
        .chunk_shape(&first)
        .map_err(|error| error.to_string())?;
    let shape: Vec<u64> = shape.iter().map(|n| n.get()).collect();
    match values_of(&shape) {
        values if values > LARGEST_READ => Err(format!(
            "has chunks of {shape:?} values, and at most {LARGEST_READ} are read at once"
        )),
        values => Ok(values),
    }
}

/// Whether Blosc is the last codec applied to a chunk, apart from a checksum.
fn begins_with_blosc(array: &Array<dyn ReadableStorageTraits>) -> bool {
    let metadata = serde_json::to_value(array.metadata()).unwrap_or_default();
    // A codec without settings may be given by its name alone.
    let is = |codec: &Value, name: &str| codec == name || codec["name"] == name;
    match metadata["codecs"].as_array().map(Vec::as_slice) {
        Some([.., blosc, last]) => is(last, BLOSC) || is(last, "crc32c") && is(blosc, BLOSC),
        // Zarr version 2.
        _ => metadata["compressor"]["id"] == BLOSC,
    }
}

/// The uncompressed size in the Blosc header, which is its second word.
fn unpacked_size(piece: &Piece) -> Result<Option<u64>> {
    let header = piece.read(8)?;
    Ok(match header.as_chunks().0 {
        [_, word] => Some(u64::from(u32::from_le_bytes(*word))),
        _ => None,
    })
}

/// The product of the lengths, saturating.
fn values_of(shape: &[u64]) -> u64 {
    shape
        .iter()
        .fold(1, |product: u64, n| product.saturating_mul(*n))
}

/// Size of the cache: the chunks of one input for each thread if inputs share chunks, else one
/// chunk.
fn chunks_to_keep(array: &Array<dyn ReadableStorageTraits>) -> u64 {
    let per_input = values_of(array.chunk_grid_shape().get(1..).unwrap_or(&[]));
    let is_shared = array.chunk_grid_shape().first() < array.shape().first();
    if is_shared {
        per_input.saturating_mul(rayon::current_num_threads() as u64)
    } else {
        1
    }
}

/// Inputs are read in parallel, so each read uses one thread. Checksums are verified.
pub(super) fn codec_options() -> CodecOptions {
    CodecOptions::default()
        .with_concurrent_target(1)
        .with_validate_checksums(true)
}
