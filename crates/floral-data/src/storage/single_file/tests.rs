//! Files are readable by the rules of each format.

use std::collections::BTreeMap;
use std::io::Read;

use serde_json::json;

use super::*;
use crate::storage::{Group, GroupPlan, Precision, array_metadata};

/// Two inputs with values at three points, a count per input, and coordinates.
fn group(folder: &Path) -> PathBuf {
    let path = folder.join("out.zarr");
    let inputs = ("input", 2);
    let arrays = [
        ("x", array_metadata::coordinates(("x", 3))),
        ("draws", array_metadata::counts(inputs, "how many")),
        (
            "mean",
            array_metadata::values(inputs, &[("x", 3)], Precision::F32, "mean"),
        ),
    ];
    let arrays = arrays.map(|(name, array)| (name.to_owned(), array));
    let plan = GroupPlan {
        arrays: arrays.into_iter().collect(),
        attributes: json!({"title": "a test", "seed": 7, "levels": [0.5, 1], "none": []}),
        precision: Precision::F32,
        shard: 1,
    };
    let group = Group::open(&path, plan, false).unwrap().unwrap();
    for index in 0..2u32 {
        let first = f64::from(index);
        group
            .write_count("draws", index as usize, 10 + index)
            .unwrap();
        let values = [first, first + 0.25, first + 0.5];
        group.write_values("mean", index as usize, &values).unwrap();
    }
    group.write_coordinates("x", &[0.0, 0.1, 0.2]).unwrap();
    group.finish().unwrap();
    path
}

fn written(format: SingleFile) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("out.file");
    format
        .write(&group(folder.path()), &target, "0123abcd")
        .unwrap();
    assert!(has_mark(&target, "0123abcd").unwrap());
    assert!(!has_mark(&target, "0123abce").unwrap());
    std::fs::read(target).unwrap()
}

/// Reads a NetCDF file word by word, following the grammar of the specification.
struct Words<'a>(&'a [u8]);

impl Words<'_> {
    fn bytes(&mut self, count: usize) -> Vec<u8> {
        let (bytes, rest) = self.0.split_at(count.next_multiple_of(4));
        self.0 = rest;
        bytes[..count].to_vec()
    }

    fn word(&mut self) -> usize {
        u32::from_be_bytes(self.bytes(4).try_into().unwrap()) as usize
    }

    fn name(&mut self) -> String {
        let length = self.word();
        String::from_utf8(self.bytes(length)).unwrap()
    }

    fn list(&mut self, tag: usize) -> usize {
        assert_eq!(self.word(), tag);
        self.word()
    }

    fn attributes(&mut self) -> BTreeMap<String, Vec<u8>> {
        let count = self.list(12);
        let attribute = |_| {
            let (name, kind, length) = (self.name(), self.word(), self.word());
            let size = [0, 1, 1, 2, 4, 4, 8][kind];
            (name, self.bytes(size * length))
        };
        (0..count).map(attribute).collect()
    }
}

#[test]
fn netcdf_follows_the_grammar_of_the_classic_format() {
    let bytes = written(SingleFile::NetCdf);
    let mut words = Words(&bytes);
    assert_eq!(words.bytes(4), b"CDF\x02");
    assert_eq!(words.word(), 0, "no records");
    let dimensions: Vec<(String, usize)> = (0..words.list(10))
        .map(|_| (words.name(), words.word()))
        .collect();
    assert_eq!(dimensions, [("x".to_owned(), 3), ("input".to_owned(), 2)]);
    let attributes = words.attributes();
    assert_eq!(attributes["title"], b"a test");
    assert_eq!(attributes["seed"], 7i32.to_be_bytes());
    let levels = [0.5f64, 1.0].map(f64::to_be_bytes).concat();
    assert_eq!(attributes["levels"], levels);
    assert_eq!(attributes["none"], b"[]");
    let mut found = BTreeMap::new();
    for _ in 0..words.list(11) {
        let name = words.name();
        let shape: Vec<usize> = (0..words.word()).map(|_| words.word()).collect();
        let long_name = words.attributes().remove("long_name");
        let (kind, size) = (words.word(), words.word());
        let begin = u64::from_be_bytes(words.bytes(8).try_into().unwrap()) as usize;
        assert!(long_name.is_some() && begin.is_multiple_of(4));
        found.insert(name, (shape, kind, bytes[begin..begin + size].to_vec()));
    }
    let counts = [10i32, 11].map(i32::to_be_bytes).concat();
    assert_eq!(found["draws"], (vec![1], 4, counts));
    let means = [0.0f32, 0.25, 0.5, 1.0, 1.25, 1.5].map(f32::to_be_bytes);
    assert_eq!(found["mean"], (vec![1, 0], 5, means.concat()));
    let x = [0.0f64, 0.1, 0.2].map(f64::to_be_bytes).concat();
    assert_eq!(found["x"], (vec![0], 6, x));
    // The values fill the rest of the file.
    let values: usize = found.values().map(|(_, _, values)| values.len()).sum();
    assert_eq!(words.0.len(), values);
}

#[test]
fn npz_is_an_archive_of_numpys_arrays() {
    let bytes = written(SingleFile::Npz);
    let archive = rawzip::ZipArchive::from_slice(&bytes).unwrap();
    let mut files = BTreeMap::new();
    for entry in archive.entries() {
        let entry = entry.unwrap();
        let name = String::from_utf8(entry.file_path().as_bytes().to_vec()).unwrap();
        let found = archive.get_entry(entry.wayfinder()).unwrap();
        let mut reader = found.verifying_reader(found.data());
        let mut contents = Vec::new();
        reader.read_to_end(&mut contents).unwrap();
        files.insert(name, contents);
    }
    let split = |name: &str| {
        let file = &files[name];
        assert_eq!(file[..8], *b"\x93NUMPY\x01\x00");
        let length = 10 + usize::from(u16::from_le_bytes([file[8], file[9]]));
        assert!(length.is_multiple_of(64) && file[length - 1] == b'\n');
        let header = String::from_utf8(file[10..length].to_vec()).unwrap();
        (header.trim_end().to_owned(), file[length..].to_vec())
    };
    let (header, values) = split("mean.npy");
    let expected = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,3,), }";
    assert_eq!(header, expected);
    let means = [0.0f32, 0.25, 0.5, 1.0, 1.25, 1.5].map(f32::to_le_bytes);
    assert_eq!(values, means.concat());
    let (_, counts) = split("draws.npy");
    assert_eq!(counts, [10i64, 11].map(i64::to_le_bytes).concat());
    let (header, text) = split("metadata.npy");
    assert!(header.contains(&format!("'|S{}'", text.len())) && header.contains("()"));
    let metadata: Value = serde_json::from_slice(&text).unwrap();
    assert_eq!(metadata["attributes"]["seed"], 7);
    assert_eq!(
        metadata["arrays"]["mean"]["dimensions"],
        json!(["input", "x"])
    );
}
