//! A group as NumPy's `.npz`: an array a file, and `metadata`, JSON with the attributes of all.
//!
//! In Python: `json.loads(numpy.load("out.npz")["metadata"].item())`.

use std::io::Write;

use rawzip::{CompressionMethod, ZipArchiveWriter};
use serde_json::{Map, Value, json};

use super::{Contents, Variable};
use crate::{Error, Result};

/// The name of the attributes.
const METADATA: &str = "metadata";

/// Writes the archive: the attributes first, then every array.
pub(super) fn write(contents: &Contents, out: &mut impl Write) -> Result<()> {
    if contents.variables.iter().any(|v| v.name == METADATA) {
        let reason = format!("has an array {METADATA}, the name of the attributes in an .npz");
        return Err(contents.bad(reason));
    }
    let mut archive = ZipArchiveWriter::new(out);
    let text = metadata(contents).to_string();
    let head = header(&format!("|S{}", text.len()), &[]);
    entry(contents, &mut archive, METADATA, |out| {
        write_bytes(contents, out, &[head.as_slice(), text.as_bytes()])
    })?;
    for variable in &contents.variables {
        entry(contents, &mut archive, &variable.name, |out| {
            array(contents, variable, out)
        })?;
    }
    archive.finish().map_err(|e| broken(contents, &e))?;
    Ok(())
}

/// `{"attributes": {...}, "arrays": {"mean": {"dimensions": [...], "attributes": {...}}}}`
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

/// A file of the archive, stored as it is.
fn entry<W: Write>(
    contents: &Contents,
    archive: &mut ZipArchiveWriter<W>,
    name: &str,
    write: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<()> {
    let path = format!("{name}.npy");
    let file = archive.new_file(path.as_str());
    let started = file.compression_method(CompressionMethod::STORE).start();
    let (mut file, config) = started.map_err(|e| broken(contents, &e))?;
    let mut data = config.wrap(&mut file);
    write(&mut data)?;
    let (_, descriptor) = data.finish().map_err(|e| broken(contents, &e))?;
    file.finish(descriptor).map_err(|e| broken(contents, &e))?;
    Ok(())
}

fn array(contents: &Contents, variable: &Variable, out: &mut dyn Write) -> Result<()> {
    let data_type = match (variable.is_whole(), variable.is_single()) {
        (true, _) => "<i8",
        (false, true) => "<f4",
        (false, false) => "<f8",
    };
    write_bytes(contents, out, &[&header(data_type, &variable.shape())])?;
    for piece in variable.pieces() {
        let piece = piece?;
        let values = piece.iter();
        let bytes: Vec<u8> = match data_type {
            "<i8" => values.flat_map(|v| (*v as i64).to_le_bytes()).collect(),
            "<f4" => values.flat_map(|v| (*v as f32).to_le_bytes()).collect(),
            _ => values.flat_map(|v| v.to_le_bytes()).collect(),
        };
        write_bytes(contents, out, &[&bytes])?;
    }
    Ok(())
}

/// The header of version 1, as `numpy.lib.format` specifies it: padded so that values begin at a
/// multiple of 64 bytes.
fn header(data_type: &str, shape: &[usize]) -> Vec<u8> {
    let lengths: String = shape.iter().map(|n| format!("{n},")).collect();
    let text =
        format!("{{'descr': '{data_type}', 'fortran_order': False, 'shape': ({lengths}), }}");
    let before = b"\x93NUMPY\x01\x00".len() + 2;
    let length = (before + text.len() + 1).next_multiple_of(64) - before;
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    // Some dimensions of some digits each: the header is far shorter than 64 KiB.
    bytes.extend((length as u16).to_le_bytes());
    bytes.extend(format!("{text:<0$}\n", length - 1).into_bytes());
    bytes
}

fn write_bytes(contents: &Contents, out: &mut dyn Write, parts: &[&[u8]]) -> Result<()> {
    let mut parts = parts.iter();
    let written = parts.try_for_each(|part| out.write_all(part));
    written.map_err(contents.io())
}

fn broken(contents: &Contents, error: &rawzip::Error) -> Error {
    contents.bad(format!("cannot be written as .npz: {error}"))
}
