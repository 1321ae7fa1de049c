//! Zarr's sharding codec in the metadata of an array: a file, called a shard, holds several chunks
//! and an index of their locations.
//!
//! A `GroupPlan` makes arrays sharded. Readers and writers treat such an array as the array of its
//! chunks ([`Sharding::of`]): `shard_store.rs` finds their bytes in shards, and `growing_array.rs`
//! gathers them into shards.

use std::num::NonZeroU64;

use serde_json::{Value, json};
use zarrs::array::codec::{ShardingCodec, ShardingCodecConfiguration};
use zarrs::array::{ArrayBytes, ArrayToBytesCodecTraits, CodecChain, FillValue, data_type};
use zarrs::metadata::v3::MetadataV3;

use super::array_metadata::{checksum, chunk_keys, little_endian};
use super::stored_array::codec_options;

/// The name of the codec.
const NAME: &str = "sharding_indexed";

/// Largest number of chunks in a shard, 2^20: an index of 16 MiB.
pub(super) const MOST_CHUNKS: u64 = 1 << 20;

/// Largest number of bytes that checksums add to an index.
const CHECKSUMS: u64 = 64;

/// Location of a chunk in the index: offset and length.
pub(super) type Place = [u64; 2];

/// The location of an absent chunk.
pub(super) const NOWHERE: Place = [u64::MAX; 2];

/// The metadata of an array with `chunks` consecutive chunks per file.
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

/// The shape of an array's files in the metadata: of a shard, or of a chunk without sharding.
fn chunk_shape(array: &mut Value) -> &mut Value {
    &mut array["chunk_grid"]["configuration"]["chunk_shape"]
}

/// Number of chunks per file of the array, along the first dimension.
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

/// The arrangement of an array's chunks in shards.
pub(super) struct Sharding {
    codec: ShardingCodec,
    /// Chunks per shard along each dimension.
    chunks: Vec<NonZeroU64>,
    pub index_is_first: bool,
}

impl Sharding {
    /// The sharding of an array, and the metadata of its chunks as separate files; none for an
    /// array without sharding. Declared sizes are checked first.
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

    /// The shard of a chunk, and the chunk's number in it.
    pub fn locate(&self, chunk: &[u64]) -> (Vec<u64>, usize) {
        let pairs = || chunk.iter().zip(&self.chunks);
        let shard = pairs().map(|(i, n)| i / n.get()).collect();
        let within = pairs().fold(0, |number, (i, n)| number * n.get() + i % n.get());
        (shard, within as usize)
    }

    /// Number of chunks per shard.
    pub fn count(&self) -> usize {
        self.chunks.iter().map(|n| n.get()).product::<u64>() as usize
    }

    /// Number of bytes at one end of a shard that contain its index.
    pub fn reach(&self) -> u64 {
        size_of::<Place>() as u64 * self.count() as u64 + CHECKSUMS
    }

    /// The locations of a shard's chunks, from the bytes at its end or start.
    pub fn index(&self, end: &[u8]) -> Result<Vec<Place>, String> {
        let words = self.codec.decode_index(end, &self.chunks, &codec_options());
        let words = words.map_err(|error| error.to_string())?;
        Ok(words.as_chunks().0.to_vec())
    }
}

/// The encoded index of a shard written by FLORAL.
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

/// Number of chunks per shard along each dimension; fails unless these are integers and their
/// product is bounded.
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
