//! Files of other programs, written by their own libraries, are imported; damaged files are
//! refused. `fixtures/import/make.py` makes the files.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::f64::consts::TAU;
use std::fs;
use std::path::{Path, PathBuf};

use floral::Silent;
use floral::dataset::Dataset;
use floral::dataset::import::{Found, Import, ImportOptions};

const FILES: [&str; 6] = [
    "chunked.h5",
    "latest.h5",
    "netcdf4.nc",
    "classic.nc",
    "stored.npz",
    "deflated.npz",
];

fn fixture(name: &str) -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    tests.join("fixtures/import").join(name)
}

fn look(path: &Path) -> floral::Result<Found> {
    Import::open(&[path.to_owned()])?.look(&ImportOptions::default(), &Silent)
}

/// Checks the values of `make.py`, which are stored at least in single precision.
fn check(dataset: &Dataset) {
    assert_eq!((dataset.inputs(), dataset.realizations()), (3, 2));
    let x: Vec<f64> = (0..8).map(|i| f64::from(i) / 8.0).collect();
    assert_eq!(dataset.grid().axes[0].coordinates, x);
    for i in 0..3 {
        let input = dataset.input(i).unwrap();
        for (value, x) in input.values().iter().zip(&x) {
            assert!((value - (i as f64 + (TAU * x).sin())).abs() < 1e-6);
        }
        let high = dataset.high(i).unwrap();
        for (j, realization) in high.iter().enumerate() {
            for (value, x) in realization.iter().zip(&x) {
                assert!((value - (10.0 * i as f64 + j as f64 + x)).abs() < 1e-6);
            }
        }
    }
}

#[test]
fn every_format_gives_the_values_that_were_written() {
    let folder = tempfile::tempdir().unwrap();
    for name in FILES.iter().chain(&["second"]) {
        let path = folder.path().join(name);
        let import = Import::open(&[fixture(name)]).unwrap();
        let (found, is_written) = import
            .write(&ImportOptions::default(), &path, false, &Silent)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(is_written);
        assert_eq!((found.inputs, found.realizations), (3, (2, 2)), "{name}");
        check(&Dataset::open(&path).unwrap());
        let again = import.write(&ImportOptions::default(), &path, false, &Silent);
        assert!(!again.unwrap().1, "{name} is written twice");
    }
}

/// A folder with NumPy arrays of these names, shapes and values.
fn arrays(arrays: &[(&str, &str, Vec<f64>)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, shape, values) in arrays {
        let bytes: Vec<u8> = values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        write_array(folder.path(), name, ("<f8", shape), &bytes);
    }
    folder
}

fn write_array(folder: &Path, name: &str, (kind, shape): (&str, &str), values: &[u8]) {
    let header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let length = u16::try_from(header.len()).unwrap().to_le_bytes();
    let start = [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes()].concat();
    fs::write(
        folder.join(format!("{name}.npy")),
        [&start, values].concat(),
    )
    .unwrap();
}

fn counted(n: usize) -> Vec<f64> {
    (0..n).map(|i| i as f64).collect()
}

fn imported(folder: &Path, options: &ImportOptions) -> floral::Result<Dataset> {
    let path = folder.join("data.zarr");
    Import::open(&[folder.to_owned()])?.write(options, &path, false, &Silent)?;
    Dataset::open(path)
}

#[test]
fn realizations_of_nan_are_not_there_and_a_single_nan_is_refused() {
    let mut high = counted(3 * 4 * 8);
    high[4 * 8 + 8..4 * 8 + 16].fill(f64::NAN);
    let input = ("input", "(3, 8)", counted(24));
    let folder = arrays(&[input.clone(), ("high", "(3, 4, 8)", high.clone())]);
    let dataset = imported(folder.path(), &ImportOptions::default()).unwrap();
    assert_eq!(
        (dataset.realizations(), dataset.fewest_realizations()),
        (4, 3)
    );
    let counts: Vec<usize> = (0..3).map(|i| dataset.high(i).unwrap().len()).collect();
    assert_eq!(counts, [4, 3, 4]);
    let second = dataset.high(1).unwrap();
    let third: Vec<f64> = (48..56).map(f64::from).collect();
    assert_eq!(second.iter().nth(1).unwrap(), third);
    high[3] = f64::NAN;
    let folder = arrays(&[input, ("high", "(3, 4, 8)", high)]);
    let refusal = imported(folder.path(), &ImportOptions::default()).unwrap_err();
    assert!(refusal.to_string().contains("realization 0"), "{refusal}");
    assert!(!folder.path().join("data.zarr.partial").exists());
    let options = ImportOptions {
        skip_missing: true,
        ..ImportOptions::default()
    };
    let dataset = imported(folder.path(), &options).unwrap();
    assert_eq!(dataset.realizations_of(0), 3);
}

#[test]
fn parameters_that_single_precision_would_make_equal_are_stored_in_double() {
    for (parameters, is_exact) in [
        ([1e9, 1e9 + 1.0, 1e9 + 2.0], true),
        ([0.1, 0.2, 0.3], false),
    ] {
        let folder = arrays(&[("p", "(3,)", parameters.to_vec())]);
        let single: Vec<f32> = counted(48).iter().map(|value| *value as f32).collect();
        let single: Vec<u8> = single.iter().flat_map(|v| v.to_le_bytes()).collect();
        write_array(folder.path(), "input", ("<f4", "(3, 8)"), &single[..96]);
        write_array(folder.path(), "high", ("<f4", "(3, 2, 8)"), &single);
        let options = ImportOptions {
            parameters: vec!["p".into()],
            ..ImportOptions::default()
        };
        let dataset = imported(folder.path(), &options).unwrap();
        let found = (0..3).map(|i| *dataset.input(i).unwrap().values().last().unwrap());
        let found: Vec<f64> = found.collect();
        assert_eq!(found == parameters, is_exact, "{found:?}");
    }
}

#[test]
fn high_fidelity_is_known_where_it_was_computed() {
    let folder = arrays(&[
        ("input", "(2, 8)", counted(16)),
        ("high", "(2, 3, 4)", counted(24)),
    ]);
    let dataset = imported(folder.path(), &ImportOptions::default()).unwrap();
    assert_eq!(dataset.grid().shape(), [8]);
    assert_eq!(dataset.known().unwrap().kept(), [0, 2, 4, 6]);
    assert_eq!(dataset.high(1).unwrap().shape(), [3, 1, 4]);
    assert_eq!(
        dataset.at_known(0, counted(8)).unwrap(),
        [0.0, 2.0, 4.0, 6.0]
    );
    // Without its coordinates, the coarser array does not match the grid.
    let x = dataset.path().join("x_high/zarr.json");
    assert!(x.is_file());
    fs::remove_file(x).unwrap();
    assert!(Dataset::open(dataset.path()).is_err());
}

/// Damage to single bytes all over every file gives an error or a result, but never a panic.
#[test]
fn damage_anywhere_is_no_panic() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("damaged");
    for name in FILES {
        let whole = fs::read(fixture(name)).unwrap();
        // An odd step, so that every position within a word occurs.
        let step = (whole.len() / 1000) | 1;
        for (i, at) in (0..whole.len()).step_by(step).enumerate() {
            let mut damaged = whole.clone();
            damaged[at] ^= if i % 2 == 0 { 0xff } else { 0x15 };
            fs::write(&path, &damaged).unwrap();
            let _ = look(&path);
            if i % 16 == 0 {
                fs::write(&path, &whole[..at]).unwrap();
                assert!(look(&path).is_err(), "{name} cut at {at}");
            }
        }
    }
}

#[test]
fn damage_to_a_store_is_no_panic() {
    let folder = tempfile::tempdir().unwrap();
    for part in ["", "input", "high", "x"] {
        fs::create_dir_all(folder.path().join(part)).unwrap();
        for entry in fs::read_dir(fixture("second").join(part)).unwrap() {
            let entry = entry.unwrap().path();
            if entry.is_file() {
                let copy = folder.path().join(part).join(entry.file_name().unwrap());
                fs::copy(entry, copy).unwrap();
            }
        }
    }
    assert!(look(folder.path()).is_ok());
    for file in [
        ".zgroup",
        "input/.zarray",
        "high/.zarray",
        "high/0.0.0",
        "input/0.0",
    ] {
        let path = folder.path().join(file);
        let whole = fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] = damaged[at].wrapping_add(1);
            fs::write(&path, damaged).unwrap();
            let _ = look(folder.path());
        }
        fs::write(&path, whole).unwrap();
    }
}

/// Metadata that is valid JSON but not an object.
#[test]
fn nodes_that_are_no_objects_are_refused_or_empty() {
    for text in ["7", "[]", "true", "\"text\"", "null", "{\"attributes\": 7}"] {
        for (name, file) in [("zarr_python", "zarr.json"), ("import/second", ".zattrs")] {
            let folder = tempfile::tempdir().unwrap();
            copy(&fixture("..").join(name), folder.path());
            fs::write(folder.path().join(file), text).unwrap();
            // It may be accepted or refused, but must not panic.
            let _ = look(folder.path());
        }
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}
