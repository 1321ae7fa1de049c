//! Lists of texts in Zarr, of variable or fixed length; the latter are read as character codes.

use std::path::Path;

use serde_json::{Value, json};
use zarrs::array::{Array, ArrayMetadata};
use zarrs::storage::{ReadableStorage, ReadableStorageTraits};

use super::beside::MOST_LABELS;
use crate::storage::{METADATA_FILE, read_json};

/// Largest number of characters in a list.
const MOST_CHARACTERS: u64 = 1 << 22;

/// The texts of the array `name`; none if it is not a list of texts.
pub(super) fn texts(storage: &ReadableStorage, root: &Path, name: &str) -> Option<Vec<String>> {
    let folder = root.join(name);
    let third = read_json(&folder.join(METADATA_FILE)).ok()?;
    let mut metadata = match third {
        Some(metadata) => metadata,
        None => read_json(&folder.join(".zarray")).ok()??,
    };
    let count = usize::try_from(metadata["shape"].as_array()?.first()?.as_u64()?).ok()?;
    if metadata["shape"].as_array()?.len() != 1 || count > MOST_LABELS {
        return None;
    }
    // A chunk is decoded as a whole, so its declared size is bounded first.
    let chunk = match metadata.get("chunk_grid") {
        Some(grid) => &grid["configuration"]["chunk_shape"],
        None => &metadata["chunks"],
    };
    if chunk.as_array()?.first()?.as_u64()? > MOST_CHARACTERS {
        return None;
    }
    let path = format!("/{name}");
    let open = |metadata: Value| -> Option<Array<dyn ReadableStorageTraits>> {
        let metadata: ArrayMetadata = serde_json::from_value(metadata).ok()?;
        Array::new_with_metadata(storage.clone(), &path, metadata).ok()
    };
    if metadata["data_type"] == "string" || metadata["dtype"] == "|O" {
        let array = open(metadata)?;
        return array.retrieve_array_subset(&array.subset_all()).ok();
    }
    let length = as_characters(&mut metadata)?;
    let array = open(metadata)?;
    let characters: Vec<u32> = array.retrieve_array_subset(&array.subset_all()).ok()?;
    let text = |list: &[u32]| -> String {
        let list = list.iter().take_while(|c| **c != 0);
        list.filter_map(|c| char::from_u32(*c)).collect()
    };
    Some(characters.chunks_exact(length).map(text).collect())
}

/// Declares an array of fixed-length texts as an array of characters, and returns that length.
fn as_characters(metadata: &mut Value) -> Option<usize> {
    let bytes = metadata["data_type"]["configuration"]["length_bytes"].as_u64();
    let third = bytes.filter(|_| metadata["data_type"]["name"] == "fixed_length_utf32");
    let second = metadata["dtype"].as_str().and_then(|name| {
        let name = name.strip_prefix("<U")?;
        name.parse::<u64>().ok()
    });
    let length = third.map(|bytes| bytes / 4).or(second)?;
    let length = usize::try_from(length)
        .ok()
        .filter(|n| (1..4096).contains(n))?;
    let longer = |list: &Value| {
        let n = list.as_array()?.first()?.as_u64()?;
        let characters = n.checked_mul(length as u64)?;
        (characters <= MOST_CHARACTERS).then(|| json!([characters]))
    };
    metadata["shape"] = longer(&metadata["shape"])?;
    metadata["fill_value"] = json!(0);
    if third.is_some() {
        let chunk = &metadata["chunk_grid"]["configuration"]["chunk_shape"];
        metadata["chunk_grid"]["configuration"]["chunk_shape"] = longer(chunk)?;
        metadata["data_type"] = json!("uint32");
    } else {
        metadata["chunks"] = longer(&metadata["chunks"])?;
        metadata["dtype"] = json!("<u4");
    }
    Some(length)
}
