//! Writes NumPy archives: arrays of doubles, stored as they are, in a zip file.

use std::path::Path;

use flate2::Crc;

use crate::storage::write_atomically;
use crate::{Error, Result};

/// An array by its name: shape and values, the last index fastest.
pub type NamedArray<'a> = (&'a str, Vec<usize>, &'a [f64]);

/// What a zip file without extensions can hold.
const LARGEST: usize = u32::MAX as usize;

/// Bytes before the values of an array are a multiple of this.
const ALIGNMENT: usize = 64;

/// 1 January 1980, so that the same arrays are the same bytes.
const DATE: u16 = 0x21;

/// Writes an archive, whole or not at all.
pub fn write(path: &Path, arrays: &[NamedArray<'_>]) -> Result<()> {
    write_atomically(path, &archive(path, arrays)?)
}

fn archive(path: &Path, arrays: &[NamedArray<'_>]) -> Result<Vec<u8>> {
    let (mut file, mut table) = (Vec::new(), Vec::new());
    for (name, shape, values) in arrays {
        let contents = array(shape, values);
        let name = format!("{name}.npy");
        let offset = file.len();
        if offset.saturating_add(contents.len()) > LARGEST - (1 << 20) {
            return Err(Error::BadFile {
                path: path.to_owned(),
                reason: "would take more than 4 GB; choose a coarser grid or another format".into(),
            });
        }
        let facts = facts(&name, &contents);
        // Version 2.0 is needed to read it.
        file.extend(b"PK\x03\x04\x14\x00");
        file.extend(&facts);
        file.extend(name.as_bytes());
        file.extend(contents);
        table.extend(b"PK\x01\x02\x14\x00\x14\x00");
        table.extend(&facts);
        // No comment, first disk, no attributes.
        table.extend([0; 10]);
        table.extend(word(offset));
        table.extend(name.as_bytes());
    }
    let count = (arrays.len() as u16).to_le_bytes();
    let start = file.len();
    let length = table.len();
    file.extend(table);
    file.extend(b"PK\x05\x06\x00\x00\x00\x00");
    file.extend([count, count].concat());
    file.extend([word(length), word(start)].concat());
    file.extend([0; 2]);
    Ok(file)
}

/// What both records of an entry say, from flags to the length of the extra field.
fn facts(name: &str, contents: &[u8]) -> Vec<u8> {
    let mut sum = Crc::new();
    sum.update(contents);
    let mut facts = Vec::new();
    // No flags, stored, no time.
    facts.extend([0; 6]);
    facts.extend(DATE.to_le_bytes());
    facts.extend(sum.sum().to_le_bytes());
    facts.extend([word(contents.len()), word(contents.len())].concat());
    facts.extend((name.len() as u16).to_le_bytes());
    facts.extend([0; 2]);
    facts
}

fn word(number: usize) -> [u8; 4] {
    u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes()
}

/// An array in NumPy's own format, version 1.
fn array(shape: &[usize], values: &[f64]) -> Vec<u8> {
    let lengths: String = shape.iter().map(|n| format!("{n}, ")).collect();
    let shape = match shape.len() {
        1 => lengths.trim_end().to_owned(),
        _ => lengths.trim_end_matches(", ").to_owned(),
    };
    let mut header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({shape}), }}");
    // Magic, version, length and the end of the line take eleven bytes.
    while !(header.len() + 11).is_multiple_of(ALIGNMENT) {
        header.push(' ');
    }
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("two.npz");
        let values: Vec<f64> = (0..24).map(|i| f64::from(i) / 3.0).collect();
        let arrays = [
            ("input", vec![2, 3, 4], values.as_slice()),
            ("x", vec![4], &values[..4]),
            ("scalar", vec![], &values[2..3]),
        ];
        write(&path, &arrays).unwrap();
        let read = super::super::read(&path, |_| Ok(true)).unwrap();
        assert_eq!(read.len(), 3);
        for (name, shape, values) in &arrays {
            assert_eq!(read[*name].shape, *shape);
            assert_eq!(read[*name].values, *values);
        }
        let bytes = std::fs::read(&path).unwrap();
        write(&path, &arrays).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
    }
}
