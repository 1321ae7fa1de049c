//! Tests that shards with impossible metadata are refused.

use std::fs;
use std::path::{Path, PathBuf};

use floral::dataset::Dataset;
use serde_json::json;
use tempfile::TempDir;

use crate::made;
use crate::toy::edit;

/// The error for an array of shards, on opening or on reading.
fn refusal(path: &Path) -> String {
    let refusal = match Dataset::open(path) {
        Err(refusal) => refusal,
        Ok(dataset) => dataset.input(0).unwrap_err(),
    };
    let refusal = refusal.to_string();
    assert_eq!(refusal.lines().count(), 1, "{refusal}");
    refusal
}

#[test]
fn shapes_of_shards_that_cannot_be_are_refused() {
    const HUGE: u64 = 1 << 60;
    let shapes = [
        (
            json!([HUGE, 1, 3, 4]),
            json!([1, 1, 3, 4]),
            "at most 1048576 chunks",
        ),
        (
            json!([HUGE, HUGE, HUGE, HUGE]),
            json!([1, 1, 1, 1]),
            "at most 1048576 chunks",
        ),
        (
            json!([HUGE, 1, 3, 4]),
            json!([HUGE, 1, 3, 4]),
            "has chunks of",
        ),
        (json!([3, 1, 3, 4]), json!([2, 1, 3, 4]), "whole chunks"),
        (json!([2, 1, 3, 4]), json!([4, 1, 3, 4]), "whole chunks"),
        (json!([2, 1, 3, 4]), json!([1, 1, 3]), "whole chunks"),
        (json!([2, 1, 3, 4]), json!([]), "whole chunks"),
        (
            json!([1 << 20, 1, 3, 4]),
            json!([1, 1, 3, 4]),
            "index of this shard",
        ),
    ];
    for (shard, chunk, words) in shapes {
        let folder = TempDir::new().unwrap();
        let path = made(&folder, 2, 1);
        edit(&path.join("input"), |array| {
            array["chunk_grid"]["configuration"]["chunk_shape"] = shard.clone();
            array["codecs"][0]["configuration"]["chunk_shape"] = chunk.clone();
        });
        let refusal = refusal(&path);
        assert!(refusal.contains(words), "{shard} of {chunk}: {refusal}");
    }
}

#[test]
fn codecs_around_shards_and_shards_within_shards_are_refused() {
    let folder = TempDir::new().unwrap();
    let path = made(&folder, 2, 1);
    let array = path.join("input");
    let before = fs::read(array.join("zarr.json")).unwrap();
    edit(&array, |array| {
        let codecs = array["codecs"].as_array_mut().unwrap();
        codecs.push(json!({"name": "crc32c"}));
    });
    assert!(refusal(&path).contains("codecs around its shards"));
    fs::write(array.join("zarr.json"), before).unwrap();
    edit(&array, |array| {
        let within = array["codecs"].clone();
        array["codecs"][0]["configuration"]["codecs"] = within;
    });
    assert!(refusal(&path).contains("shards within shards"));
}

/// A dataset with one array of two inputs in one shard, whose file has these chunks and this index.
fn declared(folder: &TempDir, chunks: &[u8], places: [u64; 4]) -> PathBuf {
    let path = folder.path().join("declared.zarr");
    fs::create_dir_all(path.join("input")).unwrap();
    let group = json!({"zarr_format": 3, "node_type": "group"});
    fs::write(path.join("zarr.json"), group.to_string()).unwrap();
    let bytes = json!([{"name": "bytes", "configuration": {"endian": "little"}}]);
    let sharding = json!({
        "chunk_shape": [1, 1, 2], "codecs": bytes, "index_codecs": bytes, "index_location": "end",
    });
    let array = json!({
        "zarr_format": 3,
        "node_type": "array",
        "shape": [2, 1, 2],
        "data_type": "float64",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 1, 2]}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "."}},
        "fill_value": 0.0,
        "codecs": [{"name": "sharding_indexed", "configuration": sharding}],
    });
    fs::write(path.join("input/zarr.json"), array.to_string()).unwrap();
    let index = places.iter().flat_map(|word| word.to_le_bytes());
    let file: Vec<u8> = chunks.iter().copied().chain(index).collect();
    fs::write(path.join("input/c.0.0.0"), file).unwrap();
    path
}

#[test]
fn an_index_that_points_out_of_its_file_is_refused() {
    const ABSENT: [u64; 2] = [u64::MAX; 2];
    let chunk: Vec<u8> = [1.5f64, 2.5].iter().flat_map(|v| v.to_le_bytes()).collect();
    let with = |[offset, bytes]: [u64; 2]| {
        let folder = TempDir::new().unwrap();
        let path = declared(&folder, &chunk, [offset, bytes, ABSENT[0], ABSENT[1]]);
        let dataset = Dataset::open(&path).unwrap();
        assert_eq!(
            dataset.input(1).unwrap().values(),
            [0.0, 0.0],
            "an absent chunk"
        );
        dataset.input(0).map(|field| field.values().to_vec())
    };
    assert_eq!(with([0, 16]).unwrap(), [1.5, 2.5]);
    for place in [
        [u64::MAX - 3, 20],
        [0, 1 << 40],
        [1 << 40, 16],
        [40, 16],
        [u64::MAX, 0],
    ] {
        let refusal = with(place).unwrap_err().to_string();
        assert!(
            refusal.contains("its index places a chunk at"),
            "{place:?}: {refusal}"
        );
    }
    for place in [[0, 15], [0, 0], [1, 3]] {
        let refusal = with(place).unwrap_err().to_string();
        assert!(refusal.contains("cannot be read"), "{place:?}: {refusal}");
    }
}

#[test]
fn a_shard_that_is_cut_or_no_file_is_named() {
    let folder = TempDir::new().unwrap();
    let path = made(&folder, 3, 1);
    let shard = path.join("high/c.1.0.0.0.0");
    let bytes = fs::read(&shard).unwrap();
    let read = |input: usize| {
        let refusal = Dataset::open(&path).unwrap().high(input).unwrap_err();
        refusal.to_string()
    };
    for length in [bytes.len() - 1, 10, 0] {
        fs::write(&shard, &bytes[..length]).unwrap();
        let refusal = read(4);
        assert!(
            refusal.contains("c.1.0.0.0.0") && refusal.contains("index"),
            "{refusal}"
        );
        assert!(Dataset::open(&path).unwrap().high(0).is_ok());
    }
    // The checksum of a chunk reveals a flipped bit; the other chunks of the shard stay readable.
    let mut flipped = bytes.clone();
    flipped[20] ^= 1;
    fs::write(&shard, flipped).unwrap();
    let refusal = read(3);
    assert!(
        refusal.contains("c.1.0.0.0.0") && refusal.contains("cannot be read"),
        "{refusal}"
    );
    assert!(Dataset::open(&path).unwrap().high(4).is_ok());
    // The unpacked size in the header of Blosc, at the beginning of a chunk.
    let mut boasting = bytes.clone();
    boasting[4..8].copy_from_slice(&0x7d00_0040u32.to_le_bytes());
    fs::write(&shard, boasting).unwrap();
    let refusal = read(3);
    assert!(
        refusal.contains("says to hold 2097152064 bytes"),
        "{refusal}"
    );
    fs::remove_file(&shard).unwrap();
    fs::create_dir(&shard).unwrap();
    let refusal = read(3);
    assert!(refusal.contains("not a regular file"), "{refusal}");
}
