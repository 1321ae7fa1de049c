//! Tests with untrusted datasets: sizes that are only declared take no memory, and no name leads
//! out of the folder.
#![allow(clippy::unwrap_used)] // A test may panic.

mod toy;

use std::fs;
use std::path::PathBuf;

use floral::dataset::Dataset;
use floral::grid::Domain;
use floral::{Axis, Grid};
use serde_json::json;
use tempfile::TempDir;
use toy::{Toy, edit, files, request, run, small};

const HUGE: u64 = 1 << 60;

/// A group with one array `input` of this shape and chunk shape, without stored chunks.
fn declared(folder: &TempDir, shape: &[u64], chunk: &[u64]) -> PathBuf {
    let path = folder.path().join("declared.zarr");
    fs::create_dir_all(path.join("input")).unwrap();
    let group = json!({"zarr_format": 3, "node_type": "group"});
    fs::write(path.join("zarr.json"), group.to_string()).unwrap();
    let array = json!({
        "zarr_format": 3,
        "node_type": "array",
        "shape": shape,
        "data_type": "float64",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": chunk}},
        "chunk_key_encoding": {"name": "default"},
        "fill_value": 0.0,
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
    });
    fs::write(path.join("input/zarr.json"), array.to_string()).unwrap();
    path
}

#[test]
fn a_shape_beyond_all_memory_is_refused_before_anything_is_allocated() {
    for shape in [
        vec![1, 1, HUGE],
        vec![1, HUGE, 8],
        vec![1, 1, 1 << 32, 1 << 32],
        vec![HUGE, HUGE, HUGE],
        vec![1, 1, 1 << 24, 1 << 24],
        vec![1, 1, 1 << 12, 1 << 12],
    ] {
        let folder = TempDir::new().unwrap();
        let path = declared(&folder, &shape, &vec![1; shape.len()]);
        let refusal = match Dataset::open(&path) {
            Err(refusal) => refusal,
            Ok(dataset) => dataset.input(0).unwrap_err(),
        };
        let refusal = refusal.to_string();
        assert!(refusal.contains("has the shape ["), "{shape:?}: {refusal}");
        assert_eq!(refusal.lines().count(), 1, "{refusal}");
    }
}

#[test]
fn chunks_beyond_all_memory_are_refused() {
    let folder = TempDir::new().unwrap();
    let path = declared(&folder, &[2, 1, 8], &[1, 1, HUGE]);
    let refusal = Dataset::open(&path).unwrap_err().to_string();
    assert!(
        refusal.contains("has chunks of [1, 1, 1152921504606846976]"),
        "{refusal}"
    );
}

#[test]
fn more_inputs_than_can_be_or_than_are_stored_are_refused() {
    let folder = TempDir::new().unwrap();
    for inputs in [HUGE, (1 << 24) + 1, 1 << 24, 300_000] {
        let path = declared(&folder, &[inputs, 1, 8], &[1, 1, 8]);
        let refusal = Dataset::open(&path).unwrap_err().to_string();
        assert!(refusal.contains("has the shape ["), "{refusal}");
    }
    // A large declared number of inputs takes no memory if the last one is stored.
    let path = declared(&folder, &[300_000, 1, 8], &[1, 1, 8]);
    let last = path.join("input/c/299999/0");
    fs::create_dir_all(&last).unwrap();
    fs::write(last.join("0"), [0; 64]).unwrap();
    let dataset = Dataset::open(&path).unwrap();
    assert_eq!(dataset.inputs(), 300_000);
    assert_eq!(dataset.input(7).unwrap().values(), [0.0; 8]);
}

/// A file of a few bytes can hold only few values, however many are declared.
#[test]
fn a_small_chunk_does_not_vouch_for_a_huge_array() {
    let folder = TempDir::new().unwrap();
    let path = declared(
        &folder,
        &[1, 1, 1 << 12, 1 << 14],
        &[1, 1, 1 << 12, 1 << 14],
    );
    let chunk = path.join("input/c/0/0/0");
    fs::create_dir_all(&chunk).unwrap();
    fs::write(chunk.join("0"), [0; 64]).unwrap();
    let refusal = Dataset::open(&path).unwrap().input(0).unwrap_err();
    let refusal = refusal.to_string();
    assert!(refusal.contains("has the shape ["), "{refusal}");
}

/// The header of Blosc gives the unpacked size, which is checked before anything is unpacked.
#[test]
fn a_chunk_that_says_to_hold_more_than_a_chunk_is_refused() {
    let folder = TempDir::new().unwrap();
    let path = small(&folder);
    let chunk = path.join("input/c.1.0.0.0");
    let mut bytes = fs::read(&chunk).unwrap();
    bytes[4..8].copy_from_slice(&0x7d00_0040u32.to_le_bytes());
    fs::write(&chunk, bytes).unwrap();
    let dataset = Dataset::open(&path).unwrap();
    assert!(dataset.input(0).is_ok());
    let refusal = dataset.input(1).unwrap_err().to_string();
    assert!(
        refusal.contains("says to hold 2097152064 bytes"),
        "{refusal}"
    );
    fs::remove_file(&chunk).unwrap();
    fs::create_dir(&chunk).unwrap();
    let refusal = dataset.input(1).unwrap_err().to_string();
    assert!(refusal.contains("not a regular file"), "{refusal}");
}

#[test]
fn a_list_of_counts_beyond_all_memory_is_refused() {
    let folder = TempDir::new().unwrap();
    let path = small(&folder);
    edit(&path.join("redraws"), |array| {
        array["shape"] = json!([HUGE]);
    });
    let refusal = Dataset::open(&path).unwrap().redraws().unwrap_err();
    assert!(refusal.to_string().contains("redraws"), "{refusal}");
}

#[test]
fn an_axis_whose_name_leads_elsewhere_is_refused_when_read() {
    for name in [
        "..",
        "../outside",
        "/etc",
        "a/b",
        "",
        ".",
        "low",
        "redraws",
        "t",
        "zarr.json",
        "quantile",
        "threshold",
        "mean",
        "realizations",
    ] {
        let folder = TempDir::new().unwrap();
        let path = small(&folder);
        edit(&path.join("input"), |array| {
            array["dimension_names"][3] = json!(name);
        });
        let refusal = Dataset::open(&path).unwrap_err().to_string();
        assert!(refusal.contains("rename this axis"), "{name:?}: {refusal}");
        assert_eq!(refusal.lines().count(), 1, "{refusal}");
    }
}

#[test]
fn an_axis_whose_name_leads_elsewhere_is_refused_before_a_file_is_written() {
    for name in [
        "..",
        "../../outside",
        "/outside",
        "",
        "high",
        "input_channel",
        "x",
    ] {
        let folder = TempDir::new().unwrap();
        let mut toy = Toy::new();
        toy.grid = Grid::new(vec![Axis::times(name, 3, 1.0), Axis::periodic("x", 4)]);
        let path = folder.path().join("inner/data.zarr");
        let refusal = run(&toy, &request(1), &path).unwrap_err().to_string();
        assert!(refusal.contains("rename this axis"), "{name:?}: {refusal}");
        assert!(files(folder.path()).is_empty());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}

#[test]
fn a_dataset_has_the_domain_of_its_axes() {
    let folder = TempDir::new().unwrap();
    let mut toy = Toy::new();
    let degrees = Axis::over(Domain::periodic(-180.0, 180.0), "x", 4);
    toy.grid = Grid::new(vec![Axis::times("t", 3, 1.0), degrees]);
    let path = folder.path().join("data.zarr");
    run(&toy, &request(1), &path).unwrap();
    assert_eq!(*Dataset::open(&path).unwrap().grid(), toy.grid);

    edit(&path.join("x"), |array| {
        array["attributes"]["domain"]["to"] = json!(0.0);
    });
    let refusal = Dataset::open(&path).unwrap_err().to_string();
    assert!(refusal.contains("do not lie in its"), "{refusal}");
    edit(&path.join("x"), |array| {
        array["attributes"]["domain"]["kind"] = json!("open");
    });
    let refusal = Dataset::open(&path).unwrap_err().to_string();
    assert!(refusal.contains("\"periodic\""), "{refusal}");
    edit(&path.join("x"), |array| {
        array["attributes"]["domain"] = json!("the sphere");
    });
    let dataset = Dataset::open(&path).unwrap();
    assert_eq!(dataset.grid().axes[1].domain, Domain::closed(-180.0, 90.0));
}

/// Older builds did not write the attribute; their datasets do not differ otherwise.
#[test]
fn a_dataset_without_domains_is_read_by_the_rule_and_counts_as_complete() {
    let folder = TempDir::new().unwrap();
    let path = small(&folder);
    let toy = Toy::new();
    for axis in ["t", "x"] {
        edit(&path.join(axis), |array| {
            let attributes = array["attributes"].as_object_mut().unwrap();
            assert!(attributes.remove("domain").is_some());
        });
    }
    edit(&path, |root| {
        for axis in ["t", "x"] {
            let array = &mut root["consolidated_metadata"]["metadata"][axis];
            array["attributes"]
                .as_object_mut()
                .unwrap()
                .remove("domain");
        }
    });
    assert_eq!(*Dataset::open(&path).unwrap().grid(), toy.grid);
    run(&toy, &request(3), &path).unwrap();
    assert_eq!(toy.solved(), 0, "it is there already");
}
