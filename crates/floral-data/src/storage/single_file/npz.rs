//! Writes a group as NumPy's `.npz`: one file per array, and `metadata`, a JSON text of all
//! attributes.
//!
//! In Python: `json.loads(numpy.load("out.npz")["metadata"].item())`.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::super::npz_archive::{NpzArchive, write_npz_by};
use super::{Contents, Variable};
use crate::Result;

/// The name of the array of attributes.
const METADATA: &str = "metadata";

/// Writes the archive: the attributes first, then every array.
pub(super) fn write(contents: &Contents, target: &Path) -> Result<()> {
    if contents.variables.iter().any(|v| v.name == METADATA) {
        let reason = format!("has an array {METADATA}, the name of the attributes in an .npz");
        return Err(contents.bad(reason));
    }
    write_npz_by(target, |archive| {
        let text = metadata(contents).to_string();
        let data_type = format!("|S{}", text.len());
        archive.add(METADATA, &data_type, &[], |out| out.write(text.as_bytes()))?;
        let mut variables = contents.variables.iter();
        variables.try_for_each(|variable| add(variable, archive))
    })
}

/// The layout `{"attributes": {...}, "arrays": {"mean": {"dimensions": [...], "attributes":
/// {...}}}}`.
fn metadata(contents: &Contents) -> Value {
    let arrays: Map<String, Value> = contents
        .variables
        .iter()
        .map(|v| {
            let facts = json!({"dimensions": v.dimensions, "attributes": v.attributes});
            (v.name.clone(), facts)
        })
        .collect();
    json!({"attributes": contents.attributes, "arrays": arrays})
}

fn add(variable: &Variable, archive: &mut NpzArchive<'_>) -> Result<()> {
    let data_type = match (variable.is_whole(), variable.is_single()) {
        (true, _) => "<i8",
        (false, true) => "<f4",
        (false, false) => "<f8",
    };
    archive.add(&variable.name, data_type, &variable.shape(), |out| {
        variable.pieces().try_for_each(|piece| {
            let piece = piece?;
            let values = piece.iter();
            let bytes: Vec<u8> = match data_type {
                "<i8" => values.flat_map(|v| (*v as i64).to_le_bytes()).collect(),
                "<f4" => values.flat_map(|v| (*v as f32).to_le_bytes()).collect(),
                _ => values.flat_map(|v| v.to_le_bytes()).collect(),
            };
            out.write(&bytes)
        })
    })
}
