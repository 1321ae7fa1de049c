//! Writes NumPy archives: a zip file of uncompressed arrays.

use std::io::{BufWriter, Write};
use std::path::Path;

use rawzip::{CompressionMethod, ZipArchiveWriter};

use super::atomic::write_atomically_by;
use super::files::write_error;
use super::operations::Pieces;
use crate::{Error, Result};

/// A named array: shape and values, last index fastest.
pub type NamedArray<'a> = (&'a str, Vec<usize>, &'a [f64]);

/// Writes an archive of doubles atomically.
pub fn write_npz(path: &Path, arrays: &[NamedArray<'_>]) -> Result<()> {
    write_npz_by(path, |archive| {
        arrays.iter().try_for_each(|(name, shape, values)| {
            archive.add(name, "<f8", shape, |out| {
                let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
                out.write(&bytes)
            })
        })
    })
}

/// Writes an archive atomically; `add` adds its arrays.
pub(super) fn write_npz_by(
    path: &Path,
    add: impl FnOnce(&mut NpzArchive<'_>) -> Result<()>,
) -> Result<()> {
    write_atomically_by(path, |file| {
        let zip = ZipArchiveWriter::new(BufWriter::new(Pieces(file)));
        let mut archive = NpzArchive { path, zip };
        add(&mut archive)?;
        let finished = archive.zip.finish().map_err(|error| broken(path, &error));
        finished?.flush().map_err(write_error(path))
    })
}

/// An archive under construction.
pub(super) struct NpzArchive<'a> {
    path: &'a Path,
    zip: ZipArchiveWriter<BufWriter<Pieces<'a>>>,
}

/// Receives the bytes of an array.
pub(super) struct ArrayBytes<'a> {
    path: &'a Path,
    out: &'a mut dyn Write,
}

impl ArrayBytes<'_> {
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.out.write_all(bytes).map_err(write_error(self.path))
    }
}

impl NpzArchive<'_> {
    /// Adds an array of NumPy's `data_type`; `write` writes its bytes.
    pub fn add(
        &mut self,
        name: &str,
        data_type: &str,
        shape: &[usize],
        write: impl FnOnce(&mut ArrayBytes<'_>) -> Result<()>,
    ) -> Result<()> {
        let path = self.path;
        let broken = |error| broken(path, &error);
        let name = format!("{name}.npy");
        let file = self.zip.new_file(name.as_str());
        let started = file.compression_method(CompressionMethod::STORE).start();
        let (mut file, config) = started.map_err(broken)?;
        let mut data = config.wrap(&mut file);
        let mut bytes = ArrayBytes {
            path,
            out: &mut data,
        };
        bytes.write(&header(data_type, shape))?;
        write(&mut bytes)?;
        let (_, descriptor) = data.finish().map_err(broken)?;
        file.finish(descriptor).map_err(broken)?;
        Ok(())
    }
}

/// The header of version 1, as specified by `numpy.lib.format`, padded so that values begin at a
/// multiple of 64 bytes.
fn header(data_type: &str, shape: &[usize]) -> Vec<u8> {
    let lengths: String = shape.iter().map(|n| format!("{n},")).collect();
    let text =
        format!("{{'descr': '{data_type}', 'fortran_order': False, 'shape': ({lengths}), }}");
    let before = b"\x93NUMPY\x01\x00".len() + 2;
    let length = (before + text.len() + 1).next_multiple_of(64) - before;
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    // A few dimensions with a few digits each: the header is far shorter than 64 KiB.
    bytes.extend((length as u16).to_le_bytes());
    bytes.extend(format!("{text:<0$}\n", length - 1).into_bytes());
    bytes
}

fn broken(path: &Path, error: &rawzip::Error) -> Error {
    Error::bad_file(path, format!("cannot be written as .npz: {error}"))
}
