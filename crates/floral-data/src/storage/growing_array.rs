//! An array of a growing group: each chunk is written to its own file, or waits in memory until its
//! shard is complete.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use zarrs::array::{
    Array, ArrayBytes, ArrayError, ArrayMetadata, ArrayToBytesCodecTraits, ChunkShapeTraits,
};
use zarrs::storage::{ReadableStorage, ReadableStorageTraits};

use super::atomic::write_whole;
use super::shard_store::ShardStore;
use super::sharding::{NOWHERE, encoded_index};
use super::stored_array::codec_options;
use crate::{Error, Result};

/// Encoded chunks of incomplete shards, by the index of the shard along the first dimension.
type Waiting = BTreeMap<u64, BTreeMap<usize, Vec<u8>>>;

/// An array whose chunks are written by many threads at once.
pub(super) struct GrowingArray {
    store: PathBuf,
    chunks: Array<dyn ReadableStorageTraits>,
    shards: Option<Arc<ShardStore>>,
    waiting: Mutex<Waiting>,
}

impl GrowingArray {
    /// The array of this name, in a group that grows in the folder `store`.
    pub fn new(
        storage: ReadableStorage,
        store: &Path,
        name: &str,
        metadata: &Value,
    ) -> std::result::Result<Self, String> {
        let words = |error: &dyn std::fmt::Display| error.to_string();
        let metadata: ArrayMetadata =
            serde_json::from_value(metadata.clone()).map_err(|error| words(&error))?;
        let array = Array::new_with_metadata(storage, &format!("/{name}"), metadata);
        let (chunks, shards) = ShardStore::open(array.map_err(|error| words(&error))?, store)?;
        Ok(Self {
            store: store.to_owned(),
            chunks,
            shards,
            waiting: Mutex::default(),
        })
    }

    /// Whether the chunk at this index is stored and valid.
    pub fn has(&self, index: usize) -> bool {
        let chunk = self.chunk(index);
        let options = codec_options();
        let read = self
            .chunks
            .retrieve_chunk_if_exists_opt::<ArrayBytes>(&chunk, &options);
        matches!(read, Ok(Some(_)))
    }

    /// The count stored at an index, if it is present and valid.
    pub fn count(&self, index: usize) -> Option<u32> {
        let chunk = self.chunk(index);
        let options = codec_options();
        let counts = self
            .chunks
            .retrieve_chunk_if_exists_opt::<Vec<u32>>(&chunk, &options);
        counts.ok()??.first().copied()
    }

    /// The 64-bit values stored at an index, if they are present and valid.
    pub fn doubles(&self, index: usize) -> Option<Vec<f64>> {
        let chunk = self.chunk(index);
        let options = codec_options();
        let values = self
            .chunks
            .retrieve_chunk_if_exists_opt::<Vec<f64>>(&chunk, &options);
        values.ok()?
    }

    /// Stores the chunk at an index; chunks of a shard are written once the shard is complete.
    /// Returns the number of bytes written.
    pub fn write(&self, index: usize, bytes: Vec<u8>, scratch: &Path) -> Result<u64> {
        let chunk = self.chunk(index);
        let encoded = self.encoded(&chunk, bytes).map_err(|error| {
            Error::bad_file(self.path(&chunk), format!("cannot be encoded: {error}"))
        })?;
        let Some(shards) = &self.shards else {
            write_whole(&self.path(&chunk), &encoded, scratch)?;
            return Ok(encoded.len() as u64);
        };
        let (shard, number) = shards.sharding().locate(&chunk);
        match self.whole(shard[0], number, encoded) {
            Some(whole) => self.write_shard(shards, shard[0], whole, scratch),
            None => Ok(0),
        }
    }

    /// Stores incomplete shards; their missing chunks remain absent.
    pub fn write_rest(&self, scratch: &Path) -> Result<()> {
        let Some(shards) = &self.shards else {
            return Ok(());
        };
        let rest =
            std::mem::take(&mut *self.waiting.lock().unwrap_or_else(PoisonError::into_inner));
        for (shard, chunks) in rest {
            self.write_shard(shards, shard, chunks, scratch)?;
        }
        Ok(())
    }

    /// Adds a chunk to its shard; returns all chunks of the shard if this was the last one.
    fn whole(
        &self,
        shard: u64,
        number: usize,
        encoded: Vec<u8>,
    ) -> Option<BTreeMap<usize, Vec<u8>>> {
        let each = self.shards.as_ref()?.sharding().count() as u64;
        let left = self.chunks.shape()[0].saturating_sub(shard * each);
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let chunks = waiting.entry(shard).or_default();
        chunks.insert(number, encoded);
        match chunks.len() as u64 >= each.min(left) {
            true => waiting.remove(&shard),
            false => None,
        }
    }

    /// Writes the chunks of a shard, followed by the index of their offsets and sizes.
    fn write_shard(
        &self,
        shards: &ShardStore,
        shard: u64,
        chunks: BTreeMap<usize, Vec<u8>>,
        scratch: &Path,
    ) -> Result<u64> {
        let path = shards.path(&self.first_at(shard));
        let mut places = vec![NOWHERE; shards.sharding().count()];
        let mut bytes = Vec::new();
        for (number, chunk) in chunks {
            places[number] = [bytes.len() as u64, chunk.len() as u64];
            bytes.extend(chunk);
        }
        let index = encoded_index(&places).map_err(|error| {
            Error::bad_file(&path, format!("its index cannot be encoded: {error}"))
        })?;
        bytes.extend(index);
        write_whole(&path, &bytes, scratch)?;
        Ok(bytes.len() as u64)
    }

    fn path(&self, chunk: &[u64]) -> PathBuf {
        match &self.shards {
            Some(shards) => shards.file(chunk),
            None => self.store.join(self.chunks.chunk_key(chunk).as_str()),
        }
    }

    /// The chunk index of an input.
    fn chunk(&self, input: usize) -> Vec<u64> {
        self.first_at(input as u64)
    }

    /// A chunk index with `index` first, then zeros.
    fn first_at(&self, index: u64) -> Vec<u64> {
        let mut chunk = vec![0; self.chunks.dimensionality()];
        chunk[0] = index;
        chunk
    }

    fn encoded(&self, chunk: &[u64], bytes: Vec<u8>) -> std::result::Result<Vec<u8>, ArrayError> {
        let array = &self.chunks;
        let shape = array.chunk_shape(chunk)?;
        let bytes = ArrayBytes::new_flen(bytes);
        bytes.validate(shape.num_elements_u64(), array.data_type())?;
        let (data_type, fill_value) = (array.data_type(), array.fill_value());
        let options = codec_options();
        let encoded = array
            .codecs()
            .encode(bytes, &shape, data_type, fill_value, &options)?;
        Ok(encoded.into_owned())
    }
}
