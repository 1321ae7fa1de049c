//! Tests of reading: any Zarr v3 group in the layout opens, and errors name what is wrong.
#![allow(clippy::unwrap_used)] // A test may panic.

mod toy;

use std::fs;
use std::path::{Path, PathBuf};

use floral::dataset::Dataset;
use serde_json::{Value, json};
use tempfile::TempDir;
use toy::{edit, small};

fn fixture(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    folder.join(name)
}

/// Values of the fixtures: half the position in the array.
fn counted(from: usize, count: usize) -> Vec<f64> {
    (from..from + count).map(|i| i as f64 / 2.0).collect()
}

fn refusal(path: &Path) -> String {
    Dataset::open(path).unwrap_err().to_string()
}

/// Packing attributes have the same meaning in a dataset as in an imported file.
#[test]
fn packed_values_of_a_dataset_are_what_they_mean() {
    let folder = TempDir::new().unwrap();
    let path = small(&folder);
    let plain = Dataset::open(&path).unwrap();
    let (high, first) = (plain.high(1).unwrap(), plain.input(1).unwrap().values()[0]);
    let packing = json!({"scale_factor": 0.5, "add_offset": 100.0, "units": "m"});
    edit(&path.join("high/zarr.json"), |array| {
        array["attributes"] = packing.clone();
    });
    edit(&path.join("input/zarr.json"), |array| {
        array["attributes"] = json!({"missing_value": first});
    });
    let packed = Dataset::open(&path).unwrap();
    let expected: Vec<f64> = high.values().iter().map(|x| 0.5 * x + 100.0).collect();
    assert_eq!(packed.high(1).unwrap().values(), expected);
    assert!(
        packed
            .input(1)
            .unwrap_err()
            .to_string()
            .contains("not finite")
    );
    edit(&path.join("high/zarr.json"), |array| {
        array["attributes"]["scale_factor"] = json!("a half");
    });
    let message = Dataset::open(&path)
        .unwrap()
        .high(1)
        .unwrap_err()
        .to_string();
    assert!(message.contains("scale_factor"), "{message}");
}

#[test]
fn a_dataset_made_with_xarray_opens() {
    let dataset = Dataset::open(fixture("xarray")).unwrap();
    assert_eq!((dataset.inputs(), dataset.realizations()), (3, 2));
    assert_eq!(dataset.seed(), Some(7));
    assert_eq!(dataset.problem(), None);
    assert_eq!(dataset.attributes()["institution"], "elsewhere");
    let [t, x] = dataset.grid().axes.as_slice() else {
        panic!("two axes")
    };
    assert_eq!((t.name.as_str(), x.name.as_str()), ("t", "x"));
    assert_eq!(t.coordinates, [0.0, 1.0]);
    assert_eq!(x.coordinates, [0.0, 10.0, 20.0, 30.0]);
    for i in [2, 0, 1] {
        assert_eq!(dataset.input(i).unwrap().values(), counted(8 * i, 8));
        let high = dataset.high(i).unwrap();
        assert_eq!(high.shape(), [2, 1, 2, 4]);
        assert_eq!(high.values(), counted(16 * i, 16));
        assert_eq!(high.iter().nth(1).unwrap(), counted(16 * i + 8, 8));
    }
    assert!(!dataset.has_low());
    assert!(dataset.low(0).unwrap_err().to_string().contains("low"));
    assert!(dataset.exact_moments(0).unwrap().is_none());
    assert_eq!(dataset.redraws().unwrap(), None);
}

#[test]
fn shards_other_codecs_and_missing_names_are_no_obstacle() {
    let dataset = Dataset::open(fixture("zarr_python")).unwrap();
    assert_eq!((dataset.inputs(), dataset.realizations()), (2, 4));
    assert_eq!(dataset.input_channels(), 1);
    assert_eq!(dataset.solution_channels(), Some(2));
    assert_eq!(dataset.grid().axes[0].name, "axis0");
    for i in 0..2 {
        assert_eq!(dataset.input(i).unwrap().values(), counted(6 * i, 6));
        assert_eq!(dataset.low(i).unwrap().values(), counted(12 * i, 12));
        assert_eq!(dataset.high(i).unwrap().values(), counted(48 * i, 48));
    }
}

#[test]
fn inputs_alone_are_a_dataset() {
    let folder = TempDir::new().unwrap();
    let path = small(&folder);
    for name in [
        "low",
        "high",
        "exact_mean",
        "exact_variance",
        "redraws",
        "x",
    ] {
        fs::remove_dir_all(path.join(name)).unwrap();
    }
    let dataset = Dataset::open(&path).unwrap();
    assert_eq!((dataset.inputs(), dataset.realizations()), (3, 0));
    assert_eq!(dataset.solution_channels(), None);
    assert_eq!(dataset.grid().axes[1].coordinates, [0.0, 1.0, 2.0, 3.0]);
    assert!(dataset.input(2).is_ok());
    assert!(
        dataset
            .input(3)
            .unwrap_err()
            .to_string()
            .contains("3 inputs")
    );
    assert!(dataset.high(0).is_err());
}

#[test]
fn a_damaged_chunk_is_named() {
    let folder = TempDir::new().unwrap();
    let path = small(&folder);
    let chunk = path.join("high/c.1.0.0.0.0");
    let mut bytes = fs::read(&chunk).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&chunk, bytes).unwrap();
    let dataset = Dataset::open(&path).unwrap();
    assert!(dataset.high(0).is_ok() && dataset.high(2).is_ok());
    let message = dataset.high(1).unwrap_err().to_string();
    assert!(message.contains("high/c.1.0.0.0.0: "), "{message}");
    assert!(message.contains("checksum"), "{message}");

    fs::remove_file(path.join("low/c.2.0.0.0")).unwrap();
    let message = dataset.low(2).unwrap_err().to_string();
    assert!(message.contains("a chunk is missing"), "{message}");
}

#[test]
fn folders_that_are_no_dataset_are_refused() {
    let folder = TempDir::new().unwrap();
    let path = small(&folder);
    assert!(refusal(&folder.path().join("none")).contains("no such dataset"));
    assert!(refusal(&path.join("zarr.json")).contains("is a file"));
    assert!(refusal(folder.path()).contains("is no Zarr v3 group"));
    assert!(refusal(&path.join("high")).contains("Zarr array"));
    fs::write(folder.path().join(".zgroup"), "{}").unwrap();
    assert!(refusal(folder.path()).contains("version 2"));
    fs::write(path.join("zarr.json"), "{").unwrap();
    assert!(refusal(&path).contains("not valid JSON"));
}

#[test]
fn a_layout_from_the_future_is_refused() {
    let folder = TempDir::new().unwrap();
    let path = small(&folder);
    edit(&path.join("zarr.json"), |root| {
        root["attributes"]["floral_format"] = json!(2);
    });
    assert!(refusal(&path).contains("newer version"));
}

#[test]
fn arrays_that_do_not_fit_together_are_refused() {
    type Change = fn(&mut Value);
    let changes: [(&str, Change, &str); 7] = [
        (
            "low",
            |a| a["shape"][0] = json!(4),
            "[4, 2, 3, 4] but [3, 2, 3, 4]",
        ),
        (
            "high",
            |a| a["shape"][4] = json!(8),
            "[3, 4, 2, 3, 8] but [3, 4, 2, 3, 4]",
        ),
        (
            "low",
            |a| a["shape"][1] = json!(1),
            "[3, 1, 3, 4] but [3, 2, 3, 4]",
        ),
        ("x", |a| a["shape"][0] = json!(5), "[5] but [4]"),
        (
            "input",
            |a| a["data_type"] = json!("complex64"),
            "complex64",
        ),
        (
            "low",
            |a| a["dimension_names"][0] = json!("channel"),
            "dimensions",
        ),
        (
            "low",
            |a| a["dimension_names"][3] = json!("y"),
            "other axes",
        ),
    ];
    for (name, change, words) in changes {
        let folder = TempDir::new().unwrap();
        let path = small(&folder);
        edit(&path.join(name).join("zarr.json"), |array| {
            change(array);
            if array["data_type"] == "complex64" {
                array["fill_value"] = json!([0.0, 0.0]);
            }
        });
        let message = refusal(&path);
        assert!(message.contains(words), "{message}");
    }
    let folder = TempDir::new().unwrap();
    let path = small(&folder);
    fs::remove_dir_all(path.join("input")).unwrap();
    assert!(refusal(&path).contains("no array input"));
}
