//! Files of every past format version can be read and give the same predictions: a dataset (layout
//! 1), checkpoints (formats 1 to 3) and model files, a store of predictions. Regressions of another
//! version of their method are refused.
//!
//! The number in a file's name is its format. A new format adds files and replaces none.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod command;

use std::fs;
use std::path::{Path, PathBuf};

use command::{Commands, Folder, values};

/// The mean of four realizations at the first points, computed by the build that wrote the files.
const NETWORK: [f32; 4] = [1.512_913_5, 0.508_899_2, -0.358_070_8, -0.523_791_2];

/// The same mean for format 1, whose builds used another default integrator.
const FIRST_NETWORK: [f32; 4] = [1.512_350_4, 0.508_373_6, -0.358_559_9, -0.524_313_9];

/// Another order of summation, as on another processor, changes the last digits.
const TOLERANCE: f32 = 1e-4;

fn fixture(name: &str) -> PathBuf {
    let fixtures = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../floral/tests/fixtures/formats"
    );
    Path::new(fixtures).join(name)
}

/// Copies files, because commands write next to and into their inputs.
fn copy(from: &Path, to: &Path) {
    if from.is_file() {
        fs::copy(from, to).unwrap();
        return;
    }
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        copy(&entry.path(), &to.join(entry.file_name()));
    }
}

/// A folder with all files.
fn all() -> Folder {
    let folder = Folder::new();
    copy(&fixture(""), &folder);
    folder
}

/// Number of points of the dataset's grid, and of drawn realizations.
const POINTS: usize = 12;
const DRAWS: usize = 4;

/// The mean of the realizations in an archive at the first points.
fn mean(archive: &Path) -> Vec<f32> {
    let bytes = values(archive, "realizations");
    let words = bytes.as_chunks().0.iter();
    let values: Vec<f32> = words.map(|word| f32::from_le_bytes(*word)).collect();
    let at = |point: usize| -> f32 {
        let draws = (0..DRAWS).map(|draw| values[draw * POINTS + point]);
        draws.sum::<f32>() / DRAWS as f32
    };
    (0..4).map(at).collect()
}

#[test]
fn models_of_every_format_predict_what_they_did() {
    let folder = all();
    for (model, more, expected) in [
        ("floral-2.floral", "", NETWORK),
        ("run-2", "", NETWORK),
        ("floral-3.floral", "", NETWORK),
        ("run-3", "", NETWORK),
        ("run-1", "--solver dopri5", FIRST_NETWORK),
    ] {
        folder.succeed(&format!(
            "sample {model} --input dataset-1.zarr --inputs 0..1 --realizations 4 --keep 4 \
                 -o {model}.npz {more}"
        ));
        let found = mean(&folder.join(format!("{model}.npz")));
        let near = |(a, b): (&f32, &f32)| (a - b).abs() < TOLERANCE;
        assert!(found.iter().zip(&expected).all(near), "{model}: {found:?}");
    }
}

#[test]
fn runs_of_every_format_are_evaluated_and_shown() {
    let folder = all();
    for run in ["run-1", "run-2", "run-3"] {
        let words = format!("evaluate {run} dataset-1.zarr --realizations 4 --json");
        let found = folder.succeed(&words).stdout;
        let found: serde_json::Value = serde_json::from_slice(&found).unwrap();
        assert!(found.is_object(), "{found}");
        let words = format!("report {run} --data dataset-1.zarr --realizations 4 -o {run}.html");
        folder.succeed(&words);
    }
}

#[test]
fn datasets_of_every_layout_are_read_and_are_those_of_their_seed() {
    let folder = all();
    folder.succeed("inspect dataset-1.zarr");
    // The dataset is complete, and equals the one that this command generates.
    folder.succeed("generate 1dcr --inputs 5 --realizations 3 --resolution 12 -o dataset-1.zarr");
}

#[test]
fn a_regression_of_another_version_of_its_method_is_refused() {
    let folder = all();
    let words = "sample kriging-2.floral --input dataset-1.zarr --realizations 4 -o out.npz";
    let output = folder.floral(words).output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success(), "{message}");
    assert!(message.contains("version 1 of the method"), "{message}");
    assert!(message.contains("train it again"), "{message}");
}

/// Layout 1 holds mean and spread of the draws, later layouts hold those in closed form. Old
/// predictions are therefore not accepted in place of new ones, and are left unchanged.
#[test]
fn predictions_of_an_older_layout_are_not_taken_for_newer_ones() {
    let folder = all();
    let mean = folder.join("predictions-1.zarr/mean/c.0.0.0");
    let before = fs::read(&mean).unwrap();
    folder.succeed("train dataset-1.zarr --method kriging --set split.test=0 -o kriging");
    let words = "sample kriging --input dataset-1.zarr --inputs 0..1 --realizations 4 \
                 --keep 2 -o predictions-1.zarr";
    let output = folder.floral(words).output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success(), "{message}");
    assert!(
        message.contains("moments unknown, not known in closed form"),
        "{message}"
    );
    assert_eq!(fs::read(&mean).unwrap(), before);
}
