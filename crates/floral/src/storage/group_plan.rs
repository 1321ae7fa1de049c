//! What a Zarr v3 group will be, before a value of it is written: made by the layouts of datasets and
//! predictions, carried out by `group.rs`.

use serde_json::{Map, Value, json};

use super::Precision;

/// The file that describes a group or an array.
pub(crate) const METADATA_FILE: &str = "zarr.json";

/// Blosc, like the buffers of zarr-python, counts the bytes of a chunk in 31 bits.
pub(crate) const LARGEST_CHUNK: usize = i32::MAX as usize - 64;

/// Everything about a group but its values; equal plans give equal groups, byte for byte.
#[derive(Debug, Clone)]
pub(crate) struct GroupPlan {
    /// Metadata by array name.
    pub arrays: Map<String, Value>,
    /// Attributes of the group.
    pub attributes: Value,
    /// How values are stored.
    pub precision: Precision,
}

impl GroupPlan {
    /// The group's metadata, with that of its arrays consolidated inline: one file tells all.
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
