//! Prediction as a user meets it: killed and continued, or refused with one line.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod command;

use std::path::Path;
use std::time::Duration;

use command::{Commands, Folder, files};
use floral::storage::NamedArray;

const SMALL: &str = "--set network.hidden_channels=4 --set network.film_channels=4 \
                     --set network.layers=2 --set optimiser.batch=4 --set split.test=1 \
                     --set split.validation=1 --epochs 1";

/// Creates a dataset `data.zarr` of five inputs on 16 points, and runs of these methods.
fn trained(folder: &Path, methods: &[&str]) {
    folder.succeed("generate 1dcr --inputs 5 --realizations 6 --resolution 16 -o data.zarr");
    for method in methods {
        let settings = match *method {
            "kriging" => "--set split.test=1 --set split.validation=1",
            _ => SMALL,
        };
        folder.succeed(&format!(
            "train data.zarr --method {method} {settings} -o {method}"
        ));
    }
}

#[test]
fn a_run_killed_again_and_again_ends_with_the_bytes_of_an_undisturbed_one() {
    let folder = &Folder::new();
    trained(folder, &["floral"]);
    let command = "sample floral --input data.zarr --realizations 1500 --solver rk4 --steps 4 \
                   --keep 2 --quantile 0.9 --exceed 0";
    folder.succeed(&format!("{command} --threads 2 -o whole.zarr"));
    let resume = format!("{command} --threads 1 -o cut.zarr");
    let time = |attempt| Duration::from_millis(20 + 10 * attempt);
    let kills = folder.kills_until_done(|_| &resume, time);
    assert!(kills > 0, "the run was never killed");
    let [whole, cut] = ["whole", "cut"].map(|name| files(&folder.join(format!("{name}.zarr"))));
    assert!(whole == cut, "after {kills} kills");
    assert!(!folder.join("cut.zarr.partial").exists());
    assert!(folder.noted(&resume).contains("nothing to do"));
}

/// Writes a NumPy archive.
fn write_npz(path: &Path, arrays: &[(&str, &[usize], &[f64])]) {
    let arrays = arrays
        .iter()
        .map(|(name, shape, values)| (*name, shape.to_vec(), *values));
    floral::storage::write_npz(path, &arrays.collect::<Vec<NamedArray<'_>>>()).unwrap();
}

const FEW: &str = "--realizations 3 --solver euler --steps 2";

#[test]
fn an_archive_gives_what_the_dataset_gives_and_computes_what_it_lacks() {
    let folder = &Folder::new();
    trained(folder, &["floral"]);
    let data = floral::dataset::Dataset::open(folder.join("data.zarr")).unwrap();
    let joined = |field: &dyn Fn(usize) -> floral::Field| -> Vec<f64> {
        (0..2).flat_map(|i| field(i).into_values()).collect()
    };
    let input = joined(&|i| data.input(i).unwrap());
    let low = joined(&|i| data.low(i).unwrap());
    let shape = [2, 1, 16];
    let path = folder.join("new.npz");
    write_npz(&path, &[("input", &shape, &input), ("low", &shape, &low)]);
    let sample = |from: &str, to: &str| {
        folder.succeed(&format!(
            "sample floral --input {from} --inputs 0..2 {FEW} -o {to}"
        ))
    };
    sample("data.zarr", "a.zarr");
    sample("new.npz", "b.zarr");
    let values = |name: &str| {
        let mut files = files(&folder.join(name));
        files.retain(|file, _| file.starts_with("mean/c") || file.starts_with("variance/c"));
        files
    };
    assert_eq!(values("a.zarr").len(), 4);
    assert_eq!(values("a.zarr"), values("b.zarr"));

    write_npz(&path, &[("input", &shape, &input)]);
    let output = sample("new.npz", "c.zarr");
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        message.contains("computed by the solver of 1dcr"),
        "{message}"
    );
}

/// Expects each command to be refused with a message that contains the fact, and no file to change.
fn refused(folder: &Path, cases: &[(&str, &str)]) {
    let before = files(folder);
    for (words, fact) in cases {
        let message = folder.refuse(&format!("sample {words} -o out.zarr"));
        assert!(message.contains(fact), "{words}: {message}");
    }
    for (name, bytes) in before {
        assert_eq!(std::fs::read(folder.join(&name)).unwrap(), bytes, "{name}");
    }
    assert!(!folder.join("out.zarr").exists() && !folder.join("out.zarr.partial").exists());
}

#[test]
fn arrays_that_cannot_be_predicted_are_refused_and_nothing_is_written() {
    let folder = &Folder::new();
    trained(folder, &["floral"]);
    let npz = |name: &str, arrays: &[(&str, &[usize], &[f64])]| {
        write_npz(&folder.join(name), arrays);
    };
    let ones = [1.0; 64];
    let mut broken = [1.0; 32];
    broken[20] = f64::NAN;
    npz("many.npz", &[("input", &[2, 2, 16], &ones)]);
    npz("flat.npz", &[("input", &[2, 2, 2, 2, 4], &ones)]);
    npz("none.npz", &[("low", &[16], &ones[..16])]);
    npz(
        "typo.npz",
        &[("input", &[16], &ones[..16]), ("lo", &[16], &ones[..16])],
    );
    npz("coarse.npz", &[("input", &[8], &ones[..8])]);
    npz(
        "nan.npz",
        &[
            ("input", &[2, 1, 16], &broken),
            ("low", &[2, 1, 16], &ones[..32]),
        ],
    );
    npz(
        "other.npz",
        &[("input", &[16], &ones[..16]), ("low", &[8], &ones[..8])],
    );
    npz(
        "axis.npz",
        &[("input", &[16], &ones[..16]), ("x", &[16], &ones[..16])],
    );
    std::fs::write(folder.join("text.npz"), "x,y").unwrap();
    let cases = [
        (
            "floral --input many.npz",
            "which is 2 channels, but the run has 1",
        ),
        ("floral --input flat.npz", "[2, 2, 2, 2, 4]"),
        ("floral --input none.npz", "no array input"),
        ("floral --input typo.npz", "an array lo"),
        ("floral --input coarse.npz", "has no low-fidelity solutions"),
        (
            "floral --input nan.npz",
            "input 1: the input has the value NaN at point 4",
        ),
        ("floral --input other.npz", "both need the same"),
        ("floral --input axis.npz", "increasing"),
        ("floral --input text.npz", "no .npz archive"),
    ];
    refused(folder, &cases);
}

#[test]
fn options_that_do_not_fit_are_refused_and_nothing_is_written() {
    let folder = &Folder::new();
    trained(folder, &["floral", "fno"]);
    std::fs::write(folder.join("points.csv"), "x\n0.5\n1.5\n").unwrap();
    let cases = [
        ("floral --input missing.npz", "missing.npz"),
        ("floral --input data.zarr --inputs 3..9", "inputs 0..5"),
        ("floral --input data.zarr --resolution 4x4", "resolution"),
        ("floral --input data.zarr --quantile 1.5", "1.5"),
        ("floral --input data.zarr --exceed nan", "finite number"),
        ("fno --input data.zarr --quantile 0.5", "no distribution"),
        ("data.zarr --input data.zarr", "not a run folder"),
        (
            "floral --input data.zarr --points points.csv",
            "line 3: x = 1.5",
        ),
    ];
    refused(folder, &cases);
}

#[test]
fn results_of_other_settings_are_left_alone() {
    let folder = &Folder::new();
    trained(folder, &["floral"]);
    let command = format!("sample floral --input data.zarr --inputs 0..1 {FEW}");
    folder.succeed(&format!("{command} --quantile 0.1 -o out.zarr"));
    let before = files(&folder.join("out.zarr"));
    let message = folder.refuse(&format!("{command} --quantile 0.2 -o out.zarr"));
    assert!(message.contains("quantiles [0.1], not [0.2]"), "{message}");
    let message = folder.refuse(&format!("{command} -o data.zarr"));
    assert!(message.contains("choose another name"), "{message}");
    assert_eq!(files(&folder.join("out.zarr")), before);
    folder.succeed(&format!("{command} --quantile 0.2 --force -o out.zarr"));
}

#[test]
fn an_archive_is_placed_by_its_coordinates_or_says_where_it_is_assumed() {
    let folder = &Folder::new();
    trained(folder, &["kriging"]);
    let (ones, low) = ([1.0; 32], [2.0; 32]);
    let x: Vec<f64> = (0..32).map(|i| f64::from(i) / 31.0).collect();
    let millimetres: Vec<f64> = x.iter().map(|x| 1000.0 * x).collect();
    let npz = |name: &str, x: Option<&[f64]>| {
        let fields: [(&str, &[usize], &[f64]); 2] = [("input", &[32], &ones), ("low", &[32], &low)];
        let axis: Option<(&str, &[usize], &[f64])> = x.map(|x| ("x", &[32usize][..], x));
        let arrays: Vec<_> = fields.into_iter().chain(axis).collect();
        write_npz(&folder.join(name), &arrays);
    };
    npz("bare.npz", None);
    npz("placed.npz", Some(&x));
    npz("millimetres.npz", Some(&millimetres));
    let sample = |name: &str| {
        let words = format!("sample kriging --input {name}.npz --realizations 3 -o {name}.zarr");
        folder.noted(&words)
    };
    let notes = sample("bare");
    assert!(
        notes.contains("note: axis x has no coordinates; its 32 points"),
        "{notes}"
    );
    assert!(notes.contains("from 0 to 1"), "{notes}");
    assert!(!sample("placed").contains("no coordinates"));
    let message = folder.refuse("sample kriging --input millimetres.npz -o out.zarr");
    for fact in [
        "from 0 to 1000",
        "trained from 0 to 1;",
        "1000 times as long",
    ] {
        assert!(message.contains(fact), "{message}");
    }
}

#[test]
fn a_finer_grid_is_warned_of_where_spread_is_lost() {
    let folder = &Folder::new();
    trained(folder, &["floral", "kriging"]);
    let notes = |run: &str, points: usize| {
        let out = format!("{run}-{points}.zarr");
        let words = format!(
            "sample {run} --input data.zarr --inputs 0..1 {FEW} --resolution {points} -o {out}"
        );
        folder.noted(&words)
    };
    let finer = "the grid [32] is finer than the [16] of training";
    assert!(notes("floral", 32).contains(finer));
    for (run, points) in [("floral", 16), ("floral", 8), ("kriging", 32)] {
        assert!(!notes(run, points).contains("is finer"), "{run} {points}");
    }
}

#[test]
fn a_model_file_serves_in_place_of_its_run() {
    let folder = &Folder::new();
    trained(folder, &["residual-fno"]);
    folder.succeed("export residual-fno -o model.floral");
    // The same export is accepted again; a different file is not replaced.
    folder.succeed("export residual-fno -o model.floral");
    std::fs::write(folder.join("other.floral"), "another").unwrap();
    let line = folder.refuse("export residual-fno -o other.floral");
    assert!(line.contains("--force"), "{line}");
    folder.succeed("export residual-fno -o model.floral --force");
    for (run, out) in [("residual-fno", "a.zarr"), ("model.floral", "b.zarr")] {
        folder.succeed(&format!("sample {run} --input data.zarr --keep 1 -o {out}"));
    }
    let chunk = "realizations/c.0.0.0.0";
    let kept = ["a.zarr", "b.zarr"].map(|store| std::fs::read(folder.join(store).join(chunk)));
    let [run, file] = kept.map(Result::unwrap);
    assert_eq!(run, file);
    let scores = |run: &str| {
        folder
            .succeed(&format!("evaluate {run} data.zarr --json"))
            .stdout
    };
    let mean = |run: &str| {
        let scores: serde_json::Value = serde_json::from_slice(&scores(run)).unwrap();
        scores["prediction"]["mean"].clone()
    };
    assert_eq!(mean("model.floral"), mean("residual-fno"));
    folder.succeed("report model.floral --data data.zarr -o page.html");
    assert!(folder.join("model.floral.report").is_dir());
    let line = folder.refuse("train data.zarr -o model.floral");
    assert!(line.contains("a folder of its own"), "{line}");
    std::fs::write(folder.join("words.floral"), "no model").unwrap();
    let line = folder.refuse("sample words.floral --input data.zarr -o c.zarr");
    assert!(line.contains("words.floral"), "{line}");
}
