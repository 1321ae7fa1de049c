//! The attributes of a dataset's group, or the reason why it is not a dataset; for `reader.rs`.

use std::path::Path;

use serde_json::{Map, Value};

use super::layout::FORMAT;
use crate::storage::partial::{is_partial, partial_path};
use crate::storage::{METADATA_FILE, Stamp, read_json};
use crate::{Error, Result};

const UNFINISHED: &str =
    "is unfinished; run the command that generates it again, it continues where it stopped";

/// The attributes of the group, and its state before they were read.
pub(super) fn stamped_attributes(path: &Path) -> Result<(Stamp, Map<String, Value>)> {
    let stamp = Stamp::of(path, METADATA_FILE);
    let attributes = attributes(path)?;
    let stamp = stamp.map_err(Error::io(path.join(METADATA_FILE)))?;
    Ok((stamp, attributes))
}

/// The attributes of the group.
fn attributes(path: &Path) -> Result<Map<String, Value>> {
    let bad = |reason: String| Error::bad_file(path, reason);
    let Some(mut root) = read_json(&path.join(METADATA_FILE))? else {
        return Err(bad(absence(path)));
    };
    if root["zarr_format"] != 3 || root["node_type"] != "group" {
        let kind = root["node_type"].as_str().unwrap_or("unknown node");
        return Err(bad(format!(
            "is a Zarr {kind}, not a Zarr v3 group; open the group that holds the arrays"
        )));
    }
    let attributes = match root["attributes"].take() {
        Value::Object(attributes) => attributes,
        _ => Map::new(),
    };
    match attributes.get("floral_format").and_then(Value::as_u64) {
        Some(format) if format > FORMAT => Err(bad(format!(
            "has layout {format}, but this build knows layouts up to {FORMAT}; \
             use a newer version of floral"
        ))),
        _ => Ok(attributes),
    }
}

/// Why the metadata of a group are missing, and what to do.
fn absence(path: &Path) -> String {
    let is_begun = partial_path(path).is_ok_and(|partial| is_partial(&partial));
    let has = |name: &str| path.join(name).exists();
    if is_partial(path) || (!path.exists() && is_begun) {
        UNFINISHED.into()
    } else if !path.exists() {
        "there is no such dataset".into()
    } else if path.is_file() {
        "is a file; a dataset is a folder, so unpack it if it is an archive".into()
    } else if has(".zgroup") || has(".zmetadata") || has(".zarray") {
        "is Zarr version 2; convert it with \
         xarray.open_zarr(old).drop_encoding().to_zarr(new, zarr_format=3)"
            .into()
    } else {
        format!("is no Zarr v3 group: it holds no {METADATA_FILE}")
    }
}
