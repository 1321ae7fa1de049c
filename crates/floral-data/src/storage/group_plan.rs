//! The plan of a Zarr v3 group before any value is written: made by the layouts of datasets and
//! predictions, carried out by `group.rs`.

use serde_json::{Map, Value, json};

use super::Precision;
use super::sharding::{MOST_CHUNKS, chunks_in_a_row, sharded};
use crate::memory::available;
use crate::{Error, Result};

/// The file that describes a group or an array.
pub const METADATA_FILE: &str = "zarr.json";

/// Blosc and the buffers of zarr-python store the size of a chunk in 31 bits.
pub const LARGEST_CHUNK: usize = i32::MAX as usize - 64;

/// All of a group except its values; equal plans give equal groups, byte for byte.
#[derive(Debug, Clone)]
pub struct GroupPlan {
    /// Metadata by array name.
    pub arrays: Map<String, Value>,
    /// Attributes of the group.
    pub attributes: Value,
    /// Precision of stored values.
    pub precision: Precision,
    /// Size of a shard: the number of indices of the first dimension that share a file.
    pub shard: usize,
}

impl GroupPlan {
    /// The same plan with shards of `shard` indices, at most the length of the dimension, in all
    /// arrays that begin with this dimension.
    pub fn sharded(mut self, (dimension, length): (&str, usize), shard: usize) -> Self {
        self.shard = shard.min(length.max(1));
        for array in self.arrays.values_mut().filter(|_| self.shard > 1) {
            if array["dimension_names"][0] == dimension && array["shape"][0] == length {
                *array = sharded(array.take(), self.shard);
            }
        }
        self
    }

    /// Refuses empty shards, and shards that exceed the memory: their chunks wait in memory, and
    /// are copied once more into the file.
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
                "a shard of {} inputs needs {:.1} GB of memory, but {:.1} GB are available; choose fewer",
                self.shard,
                held / 1e9,
                left as f64 / 1e9
            )),
            _ => Ok(()),
        }
    }

    /// Uncompressed size of one shard of all arrays, in bytes.
    fn shard_bytes(&self) -> f64 {
        let is_sharded = |array: &&Value| chunks_in_a_row(array) > 1;
        let bytes = self.arrays.values().filter(is_sharded).map(|array| {
            let shape = array["chunk_grid"]["configuration"]["chunk_shape"].as_array();
            let lengths = shape.into_iter().flatten().filter_map(Value::as_f64);
            lengths.product::<f64>() * self.precision.size() as f64
        });
        bytes.sum()
    }

    /// The group's metadata with those of its arrays consolidated inline, so that a single file
    /// holds everything.
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
