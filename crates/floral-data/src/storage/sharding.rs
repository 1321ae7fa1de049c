//! Zarr's sharding codec in the metadata of an array: a file, called a shard, holds several chunks
//! behind an index of where in it they lie.
//!
//! An array is sharded by a `GroupPlan`. What reads and writes takes it as the array of its chunks
//! ([`Sharding::of`]), whose bytes `shard_store.rs` finds in shards and `growing_array.rs` gathers.

use std::num::NonZeroU64;

use serde_json::{Value, json};
use zarrs::array::codec::{ShardingCodec, ShardingCodecConfiguration};
use zarrs::array::{ArrayBytes, ArrayToBytesCodecTraits, CodecChain, FillValue, data_type};
use zarrs::metadata::v3::MetadataV3;

use super::array_metadata::{checksum, chunk_keys, little_endian};
use super::stored_array::codec_options;

/// The name of the codec.
const NAME: &str = "sharding_indexed";

/// The most chunks of a shard, 2^20: an index of 16 MiB.
pub(super) const MOST_CHUNKS: u64 = 1 << 20;

/// Bytes that checksums may add to an index.
const CHECKSUMS: u64 = 64;

/// Words of the index that say where a chunk lies: offset and length.
pub(super) type Place = [u64; 2];

/// The place of a chunk that is absent.
pub(super) const NOWHERE: Place = [u64::MAX; 2];

/// The metadata of an array with this number of consecutive chunks in each file.
pub fn sharded(mut array: Value, chunks: usize) -> Value {
    let chunk = chunk_shape(&mut array).take();
    let mut shard = chunk.clone();
    shard[0] = json!(chunks);
    *chunk_shape(&mut array) = shard;
    let configuration = json!({
        "chunk_shape": chunk,
        "codecs": array["codecs"],
        "index_codecs": index_codecs(),
        "index_location": "end",
    });
    array["codecs"] = json!([{"name": NAME, "configuration": configuration}]);
    array
}

fn index_codecs() -> Value {
    json!([little_endian(), checksum()])
}

/// The shape of the files of an array, or of its chunks if each has one.
fn chunk_shape(array: &mut Value) -> &mut Value {
    &mut array["chunk_grid"]["configuration"]["chunk_shape"]
}

/// How many chunks in a row, along the first dimension, a file of the array holds.
pub(super) fn chunks_in_a_row(array: &Value) -> u64 {
    let within = &array["codecs"][0];
    let length = |shape: &Value| shape[0].as_u64();
    match within["name"] == NAME {
        true => length(&array["chunk_grid"]["configuration"]["chunk_shape"])
            .zip(length(&within["configuration"]["chunk_shape"]))
            .map_or(1, |(shard, chunk)| shard / chunk.max(1)),
        false => 1,
    }
}

/// How the chunks of an array lie in shards.
pub(super) struct Sharding {
    codec: ShardingCodec,
    /// Chunks of a shard, along each dimension.
    chunks: Vec<NonZeroU64>,
    pub index_is_first: bool,
}

impl Sharding {
    /// The shards of an array, and the metadata that its chunks would have in files of their own; none
    /// if they have. What is only declared is checked before anything is made of it.
    pub fn of(metadata: &Value) -> Result<Option<(Self, Value)>, String> {
        let is_sharding = |codec: &Value| codec == NAME || codec["name"] == NAME;
        let codecs = metadata["codecs"].as_array().map_or(&[][..], Vec::as_slice);
        if !codecs.iter().any(is_sharding) {
            return Ok(None);
        }
        let [codec] = codecs else {
            return Err("has codecs around its shards, which are not read; put them within".into());
        };
        let configuration = &codec["configuration"];
        let within = &configuration["codecs"];
        if within.as_array().into_iter().flatten().any(is_sharding) {
            return Err(
                "has shards within shards, which are not read; store it with one kind".into(),
            );
        }
        let mut chunks = metadata.clone();
        let shard = chunk_shape(&mut chunks).clone();
        *chunk_shape(&mut chunks) = configuration["chunk_shape"].clone();
        chunks["codecs"] = within.clone();
        chunks["chunk_key_encoding"] = chunk_keys();
        let sharding = Self {
            chunks: chunks_per_shard(&shard, &configuration["chunk_shape"])?,
            index_is_first: configuration["index_location"] == "start",
            codec: codec_of(configuration)?,
        };
        Ok(Some((sharding, chunks)))
    }

    /// The shard in which a chunk lies, and its number in it.
    pub fn locate(&self, chunk: &[u64]) -> (Vec<u64>, usize) {
        let pairs = || chunk.iter().zip(&self.chunks);
        let shard = pairs().map(|(i, n)| i / n.get()).collect();
        let within = pairs().fold(0, |number, (i, n)| number * n.get() + i % n.get());
        (shard, within as usize)
    }

    /// Chunks of a shard.
    pub fn count(&self) -> usize {
        self.chunks.iter().map(|n| n.get()).product::<u64>() as usize
    }

    /// Bytes at one end of a shard in which its index lies.
    pub fn reach(&self) -> u64 {
        size_of::<Place>() as u64 * self.count() as u64 + CHECKSUMS
    }

    /// Where the chunks of a shard lie, by the bytes at its end.
    pub fn index(&self, end: &[u8]) -> Result<Vec<Place>, String> {
        let words = self.codec.decode_index(end, &self.chunks, &codec_options());
        let words = words.map_err(|error| error.to_string())?;
        Ok(words.as_chunks().0.to_vec())
    }
}

/// The index of a shard of our own.
pub(super) fn encoded_index(places: &[Place]) -> Result<Vec<u8>, String> {
    let codecs: Vec<MetadataV3> =
        serde_json::from_value(index_codecs()).map_err(|error| error.to_string())?;
    let chain = CodecChain::from_metadata(&codecs).map_err(|error| error.to_string())?;
    let words: Vec<u8> = places
        .iter()
        .flatten()
        .flat_map(|n| n.to_ne_bytes())
        .collect();
    let length = NonZeroU64::new(2 * places.len() as u64).ok_or("a shard without chunks")?;
    let (numbers, fill) = (data_type::uint64(), FillValue::from(u64::MAX));
    let bytes = ArrayBytes::new_flen(words);
    chain
        .encode(bytes, &[length], &numbers, &fill, &codec_options())
        .map(|bytes| bytes.into_owned())
        .map_err(|error| error.to_string())
}

fn codec_of(configuration: &Value) -> Result<ShardingCodec, String> {
    let configuration: ShardingCodecConfiguration =
        serde_json::from_value(configuration.clone()).map_err(|error| error.to_string())?;
    ShardingCodec::new_with_configuration(&configuration).map_err(|error| error.to_string())
}

/// Chunks of a shard along each dimension, if there are whole numbers of them and not too many.
fn chunks_per_shard(shard: &Value, chunk: &Value) -> Result<Vec<NonZeroU64>, String> {
    let lengths = |shape: &Value| -> Option<Vec<u64>> {
        shape.as_array()?.iter().map(Value::as_u64).collect()
    };
    let refuse =
        |reason: &str| format!("has shards of {shard} values in chunks of {chunk}: {reason}");
    let (Some(outer), Some(inner)) = (lengths(shard), lengths(chunk)) else {
        return Err(refuse("these are no shapes"));
    };
    let whole = |(outer, inner): (&u64, &u64)| match inner {
        0 => None,
        n => NonZeroU64::new(outer / n).filter(|_| outer % n == 0),
    };
    let chunks: Option<Vec<NonZeroU64>> = outer.iter().zip(&inner).map(whole).collect();
    let chunks = chunks.filter(|_| outer.len() == inner.len());
    let chunks = chunks.ok_or_else(|| refuse("a shard holds whole chunks"))?;
    let count = chunks.iter().fold(1, |n: u64, m| n.saturating_mul(m.get()));
    match count {
        ..=MOST_CHUNKS => Ok(chunks),
        _ => Err(refuse("there are at most 1048576 chunks in a shard")),
    }
}
