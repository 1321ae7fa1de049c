//! NumPy's `.npz`: a zip archive with one file per array.
//!
//! `array.rs` reads one array. Import makes datasets from archives; `storage` writes archives.

mod array;
mod texts;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use flate2::bufread::DeflateDecoder;
use rawzip::{CompressionMethod, FileReader, ZipArchive, ZipArchiveEntryWayfinder};

pub(crate) use array::{NpyArray, NpyContents, NpyHeader};
pub(crate) use texts::texts;

pub use crate::storage::{NamedArray, write_npz as write};

use crate::{Error, Result};

/// Bound on the ratio of contents to compressed size: deflate compresses at most 1032 times.
const LARGEST_RATIO: u64 = 1100;

/// The location of an array in an archive.
pub(crate) struct Entry {
    pub name: String,
    method: CompressionMethod,
    place: ZipArchiveEntryWayfinder,
}

impl Entry {
    /// Size of the array's file after decompression, in bytes.
    pub fn size(&self) -> u64 {
        self.place.uncompressed_size_hint()
    }
}

/// An archive and the list of its arrays.
pub(crate) struct Archive {
    archive: ZipArchive<FileReader>,
    pub entries: Vec<Entry>,
}

impl Archive {
    /// Reads the list of arrays of an archive.
    pub fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(Error::io(path))?;
        table(file).map_err(|error| {
            Error::bad_file(
                path,
                format!("is no .npz archive, or damaged ({error}); write it with numpy.savez"),
            )
        })
    }

    /// Calls `read` with the contents of an entry's file; an error describes what is wrong. The
    /// checksum is verified once `read` reaches the end.
    pub fn with_file<T>(
        &self,
        entry: &Entry,
        read: impl FnOnce(&mut dyn Read) -> std::result::Result<T, String>,
    ) -> std::result::Result<T, String> {
        let (size, packed) = (entry.size(), entry.place.compressed_size_hint());
        if size / LARGEST_RATIO > packed {
            return Err(format!(
                "declares {size} bytes compressed to {packed}, which is impossible"
            ));
        }
        let found = self
            .archive
            .get_entry(entry.place)
            .map_err(|error| format!("cannot be read ({error})"))?;
        let bytes = BufReader::new(found.reader());
        let unpacked: Box<dyn Read> = match entry.method {
            CompressionMethod::STORE => Box::new(bytes),
            CompressionMethod::DEFLATE => Box::new(DeflateDecoder::new(bytes)),
            other => {
                return Err(format!(
                    "is packed by the method {other:?}; use numpy.savez"
                ));
            }
        };
        read(&mut found.verifying_reader(unpacked))
    }

    /// Offset of an entry's file in the archive, after its checksum is verified; none if the entry
    /// is compressed and cannot be read in place.
    pub fn place(&self, entry: &Entry) -> std::result::Result<Option<u64>, String> {
        if entry.method != CompressionMethod::STORE {
            return Ok(None);
        }
        self.with_file(entry, |file| {
            let copied = io::copy(file, &mut io::sink());
            copied.map_err(|error| format!("cannot be read ({error})"))
        })?;
        let found = self.archive.get_entry(entry.place);
        let found = found.map_err(|error| format!("cannot be read ({error})"))?;
        let (start, end) = found.compressed_data_range();
        Ok((end.checked_sub(start) == Some(entry.size())).then_some(start))
    }
}

/// The arrays of an archive selected by `wanted`, by name; `wanted` fails on unknown names.
pub(crate) fn read(
    path: &Path,
    wanted: impl Fn(&str) -> Result<bool>,
) -> Result<BTreeMap<String, NpyArray>> {
    let archive = Archive::open(path)?;
    let mut arrays = BTreeMap::new();
    for entry in &archive.entries {
        if wanted(&entry.name)? {
            let array = archive.with_file(entry, |file| NpyArray::read(file, entry.size()));
            let array = array.map_err(|reason| {
                Error::bad_file(path, format!("the array {} {reason}", entry.name))
            })?;
            arrays.insert(entry.name.clone(), array);
        }
    }
    Ok(arrays)
}

/// The lists of texts with these names in an archive.
pub(crate) fn labels(path: &Path, names: &[&str]) -> Result<BTreeMap<String, Vec<String>>> {
    let archive = Archive::open(path)?;
    let wanted = archive.entries.iter();
    let wanted = wanted.filter(|entry| names.contains(&entry.name.as_str()));
    let mut lists = BTreeMap::new();
    for entry in wanted {
        let list = archive.with_file(entry, |file| texts(file, entry.size()));
        let list = list.map_err(|reason| {
            Error::bad_file(
                path,
                format!("the labels {} {reason}; give a list of texts", entry.name),
            )
        })?;
        lists.extend(list.map(|list| (entry.name.clone(), list)));
    }
    Ok(lists)
}

/// Shapes and values of arrays, by name.
pub type Arrays = BTreeMap<String, (Vec<usize>, Vec<f64>)>;

/// All arrays of an archive.
pub fn read_all(path: &Path) -> Result<Arrays> {
    let arrays = read(path, |_| Ok(true))?.into_iter();
    let all = arrays.map(|(name, array)| (name, (array.shape, array.values)));
    Ok(all.collect())
}

/// Shape and values of one array of an archive; none if there is no array of that name.
pub(crate) fn read_one(path: &Path, name: &str) -> Result<Option<(Vec<usize>, Vec<f64>)>> {
    let mut arrays = read(path, |found| Ok(found == name))?;
    let array = arrays.remove(name);
    Ok(array.map(|array| (array.shape, array.values)))
}

/// An archive and the list of its arrays.
fn table(file: File) -> std::result::Result<Archive, rawzip::Error> {
    let mut buffer = vec![0; rawzip::RECOMMENDED_BUFFER_SIZE];
    let archive = ZipArchive::from_file(file, &mut buffer)?;
    let mut found = Vec::new();
    let mut entries = archive.entries(&mut buffer);
    while let Some(entry) = entries.next_entry()? {
        let path = entry.file_path();
        let name = String::from_utf8_lossy(path.as_bytes());
        found.push(Entry {
            name: name.strip_suffix(".npy").unwrap_or(&name).to_owned(),
            method: entry.compression_method(),
            place: entry.wayfinder(),
        });
    }
    Ok(Archive {
        archive,
        entries: found,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Written by Python's `zipfile`: "a.npy" stored and "b.npy" deflated, each with the values 0,
    /// 0.5, .. 11.5 in the shape (2, 3, 4).
    const TWO_ARRAYS: &[u8] = include_bytes!("../../../floral/tests/fixtures/two_arrays.npz");

    fn open(bytes: &[u8]) -> Result<BTreeMap<String, NpyArray>> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes).unwrap();
        read(file.path(), |_| Ok(true))
    }

    fn expected() -> NpyArray {
        NpyArray {
            shape: vec![2, 3, 4],
            values: (0..24).map(|i| f64::from(i) / 2.0).collect(),
        }
    }

    #[test]
    fn stored_and_deflated_arrays_are_read() {
        let arrays = open(TWO_ARRAYS).unwrap();
        let names: Vec<&str> = arrays.keys().map(String::as_str).collect();
        assert_eq!(names, ["a", "b"]);
        assert!(arrays.values().all(|array| *array == expected()));
    }

    #[test]
    fn what_is_written_is_read_again_and_is_the_same_bytes_each_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("three.npz");
        let values: Vec<f64> = (0..24).map(|i| f64::from(i) / 3.0).collect();
        let arrays = [
            ("input", vec![2, 3, 4], values.as_slice()),
            ("x", vec![4], &values[..4]),
            ("scalar", vec![], &values[2..3]),
        ];
        write(&path, &arrays).unwrap();
        let found = read(&path, |_| Ok(true)).unwrap();
        assert_eq!(found.len(), 3);
        for (name, shape, values) in &arrays {
            assert_eq!(found[*name].shape, *shape);
            assert_eq!(found[*name].values, *values);
        }
        let bytes = std::fs::read(&path).unwrap();
        write(&path, &arrays).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
    }

    #[test]
    fn damage_anywhere_is_an_error_and_never_a_panic() {
        for at in 0..TWO_ARRAYS.len() {
            assert!(open(&TWO_ARRAYS[..at]).is_err(), "cut at {at}");
            let mut damaged = TWO_ARRAYS.to_vec();
            damaged[at] ^= 0x55;
            // Some bytes, such as dates, are ignored; no change may give other contents.
            if let Ok(arrays) = open(&damaged) {
                assert!(arrays.values().all(|array| *array == expected()), "{at}");
            }
        }
    }

    #[test]
    fn a_size_that_the_file_cannot_hold_is_refused() {
        let mut lying = TWO_ARRAYS.to_vec();
        // The size of the last entry is 24 bytes into its record of the table.
        let table = lying.windows(4).rposition(|w| w == b"PK\x01\x02").unwrap();
        lying[table + 24..table + 28].copy_from_slice(&0xf000_0000u32.to_le_bytes());
        let refusal = open(&lying).unwrap_err().to_string();
        assert!(refusal.contains("which is impossible"), "{refusal}");
    }
}
