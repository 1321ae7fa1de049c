//! What a Zarr v3 group will be, before a value of it is written: made by the layouts of datasets and
//! predictions, carried out by `group.rs`.

use serde_json::{Map, Value, json};

use super::Precision;
use super::sharding::{MOST_CHUNKS, chunks_in_a_row, sharded};
use crate::memory::available;
use crate::{Error, Result};

/// The file that describes a group or an array.
pub const METADATA_FILE: &str = "zarr.json";

/// Blosc, like the buffers of zarr-python, counts the bytes of a chunk in 31 bits.
pub const LARGEST_CHUNK: usize = i32::MAX as usize - 64;

/// Everything about a group but its values; equal plans give equal groups, byte for byte.
#[derive(Debug, Clone)]
pub struct GroupPlan {
    /// Metadata by array name.
    pub arrays: Map<String, Value>,
    /// Attributes of the group.
    pub attributes: Value,
    /// How values are stored.
    pub precision: Precision,
    /// Indices of the first dimension that share a file, as they are done together: a shard.
    pub shard: usize,
}

impl GroupPlan {
    /// The same with `shard` indices of this dimension, at most its length, in each file of the arrays
    /// that begin with it.
    pub fn sharded(mut self, (dimension, length): (&str, usize), shard: usize) -> Self {
        self.shard = shard.min(length.max(1));
        for array in self.arrays.values_mut().filter(|_| self.shard > 1) {
            if array["dimension_names"][0] == dimension && array["shape"][0] == length {
                *array = sharded(array.take(), self.shard);
            }
        }
        self
    }

    /// Refuses shards of nothing, and those that would not fit into memory: their chunks wait there, and
    /// once more as the file that they become.
    pub fn check_shards(&self) -> Result<()> {
        let refuse = |reason: String| Err(Error::config("shards", reason));
        match self.shard {
            0 => return refuse("a shard holds one input at least".into()),
            n if n as u64 > MOST_CHUNKS => {
                return refuse(format!(
                    "a shard holds at most {MOST_CHUNKS} inputs, not {n}"
                ));
            }
            1 => return Ok(()),
            _ => {}
        }
        let held = 2.0 * self.shard_bytes();
        match available() {
            Some(left) if held > left as f64 => refuse(format!(
                "{} inputs in a shard wait for each other in {:.1} GB of memory, and {:.1} GB are \
                 left; choose fewer",
                self.shard,
                held / 1e9,
                left as f64 / 1e9
            )),
            _ => Ok(()),
        }
    }

    /// Bytes of a shard of all arrays, before they are compressed.
    fn shard_bytes(&self) -> f64 {
        let is_sharded = |array: &&Value| chunks_in_a_row(array) > 1;
        let bytes = self.arrays.values().filter(is_sharded).map(|array| {
            let shape = array["chunk_grid"]["configuration"]["chunk_shape"].as_array();
            let lengths = shape.into_iter().flatten().filter_map(Value::as_f64);
            lengths.product::<f64>() * self.precision.size() as f64
        });
        bytes.sum()
    }

    /// The group's metadata, with that of its arrays consolidated inline: one file has all of it.
    pub fn root(&self) -> Value {
        json!({
            "zarr_format": 3,
            "node_type": "group",
            "attributes": self.attributes,
            "consolidated_metadata": {
                "kind": "inline",
                "must_understand": false,
                "metadata": self.arrays,
            },
        })
    }
}
