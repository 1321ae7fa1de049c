//! Training as a user meets it: killed and resumed, or refused with one line.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod command;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use command::{Commands, Folder};
use safetensors::SafeTensors;

const SMALL: &str = "--set network.hidden_channels=4 --set network.film_channels=4 \
                     --set network.layers=2 --set optimiser.batch=4 --set split.test=1 \
                     --set split.validation=1 --epochs 12";

/// Small settings for one of the paper's methods.
fn floral_settings() -> String {
    format!("--method floral {SMALL}")
}

fn dataset(folder: &Path) {
    folder.succeed("generate 1dcr --inputs 5 --realizations 6 --resolution 16 -o data.zarr");
}

/// Every array of a checkpoint, by name.
fn arrays(checkpoint: &Path) -> BTreeMap<String, Vec<u8>> {
    let bytes = std::fs::read(checkpoint).unwrap();
    let file = SafeTensors::deserialize(&bytes).unwrap();
    let arrays = file.iter();
    arrays
        .map(|(name, view)| (name.to_owned(), view.data().to_vec()))
        .collect()
}

#[test]
fn a_run_killed_again_and_again_ends_with_the_weights_of_an_undisturbed_one() {
    let folder = &Folder::new();
    dataset(folder);
    for method in ["floral", "fno"] {
        folder.succeed(&format!(
            "train data.zarr --method {method} {SMALL} -o whole-{method}"
        ));
        let start = format!("train data.zarr --method {method} {SMALL} -o cut-{method}");
        let resume = format!("train data.zarr -o cut-{method} --resume");
        let is_begun = || folder.join(format!("cut-{method}/config.toml")).exists();
        // Both the same command and --resume without settings continue a run.
        let words = |attempt: u64| match is_begun() && attempt.is_multiple_of(2) {
            true => resume.as_str(),
            false => &start,
        };
        let time = |attempt| Duration::from_millis(20 + 15 * attempt);
        let kills = folder.kills_until_done(words, time);
        assert!(kills > 0, "the run was never killed");
        for name in ["last", "best"] {
            let of = |run: &str| arrays(&folder.join(format!("{run}-{method}/{name}.safetensors")));
            assert_eq!(
                of("whole"),
                of("cut"),
                "{method}, {name}, after {kills} kills"
            );
        }
        let log = std::fs::read_to_string(folder.join(format!("cut-{method}/epochs.csv"))).unwrap();
        assert_eq!(log.lines().count(), 13, "{log}");
    }
}

#[test]
fn a_regression_is_the_same_on_any_number_of_threads_and_is_fitted_once() {
    let folder = &Folder::new();
    dataset(folder);
    let split = "--set split.test=1 --set split.validation=1";
    for threads in [1, 2] {
        let train = format!("train data.zarr {split} --threads {threads} -o run{threads}");
        folder.succeed(&train);
        let best = folder.join(format!("run{threads}/best.safetensors"));
        let written = std::fs::metadata(&best).unwrap().modified().unwrap();
        folder.succeed(&train);
        assert_eq!(
            std::fs::metadata(&best).unwrap().modified().unwrap(),
            written
        );
        folder.succeed(&format!(
            "sample run{threads} --input data.zarr --realizations 8 --keep 8 \
                      --threads {threads} -o out{threads}.zarr"
        ));
    }
    let [one, two] = [1, 2].map(|n| arrays(&folder.join(format!("run{n}/best.safetensors"))));
    assert_eq!(one, two);
    for array in [
        "realizations",
        "variance",
        "aleatoric",
        "epistemic",
        "novelty",
    ] {
        let chunks = |n: usize| {
            let path = folder.join(format!("out{n}.zarr/{array}"));
            let entries = std::fs::read_dir(path)
                .unwrap()
                .map(|entry| entry.unwrap().path());
            let mut all: Vec<_> = entries.filter(|path| path.is_file()).collect();
            all.sort();
            all.iter()
                .map(|path| std::fs::read(path).unwrap())
                .collect::<Vec<_>>()
        };
        assert!(chunks(1).len() > 1);
        assert_eq!(chunks(1), chunks(2), "{array}");
    }
    let message = folder.refuse(&format!("train data.zarr {split} --epochs 3 -o other"));
    assert!(message.contains("[stopping] is for networks"), "{message}");
    let roll = "--set symmetries=[\"roll:x\"]";
    let message = folder.refuse(&format!("train data.zarr {split} {roll} -o other"));
    assert!(message.contains("roll:x"), "{message}");
}

#[test]
fn a_split_that_is_left_open_fits_few_inputs_and_is_written_into_the_run() {
    let folder = &Folder::new();
    dataset(folder);
    let tiny = "--set network.hidden_channels=4 --set network.layers=1 --epochs 1";
    for (run, words, numbers) in [
        ("kl", String::new(), ["test = 1", "validation = 0"]),
        (
            "flow",
            format!("--method floral {tiny}"),
            ["test = 1", "validation = 1"],
        ),
    ] {
        let train = format!("train data.zarr {words} -o {run}");
        let found = folder.noted(&train);
        for part in [
            "note: of 5 inputs, 1 are held out for testing",
            "split.validation",
        ] {
            assert!(found.contains(part), "{found}");
        }
        let settings = std::fs::read_to_string(folder.join(run).join("config.toml")).unwrap();
        for number in numbers {
            assert!(settings.contains(number), "{settings}");
        }
        // Both the same command and --resume find the run, and evaluate finds its test input.
        folder.succeed(&train);
        folder.succeed(&format!("train data.zarr --resume -o {run}"));
        let evaluation =
            folder.succeed(&format!("evaluate {run} data.zarr --realizations 4 --json"));
        let scores: serde_json::Value = serde_json::from_slice(&evaluation.stdout).unwrap();
        assert_eq!(scores["inputs"]["end"], 1, "{scores}");
    }
    let set = "--set split.test=2 --set split.validation=1 -o set";
    let found = folder.noted(&format!("train data.zarr {set}"));
    assert!(!found.contains("note"));
}

#[test]
fn settings_are_printed_with_their_meaning_and_read_again() {
    let folder = &Folder::new();
    dataset(folder);
    let text = folder.printed("train --method floral --print-config");
    for line in ["# Samples per step.", "batch = 32", "# n_modes = [32, 32]"] {
        assert!(text.lines().any(|found| found == line), "{text}");
    }
    std::fs::write(folder.join("c.toml"), &text).unwrap();
    let again = folder.printed("train --config c.toml --print-config");
    assert_eq!(again, text);
    let fitted = folder.printed("train data.zarr --print-config");
    assert!(fitted.contains("test = 1\n"));
}

#[test]
fn weights_do_not_depend_on_the_number_of_threads() {
    let folder = &Folder::new();
    dataset(folder);
    let settings = floral_settings();
    for threads in [1, 2] {
        folder.succeed(&format!(
            "train data.zarr {settings} --threads {threads} -o run{threads}"
        ));
    }
    let [one, two] = [1, 2].map(|n| arrays(&folder.join(format!("run{n}/last.safetensors"))));
    assert_eq!(one, two);
}

#[test]
fn what_cannot_be_trained_is_refused_and_nothing_is_overwritten() {
    let folder = &Folder::new();
    dataset(folder);
    let settings = floral_settings();
    folder.succeed(&format!("train data.zarr {settings} -o run"));
    let before = arrays(&folder.join("run/last.safetensors"));

    let words = format!("train data.zarr {settings} --set optimiser.batch=5 -o run");
    let message = folder.refuse(&words);
    for part in ["optimiser.batch 4, not 5", "--resume"] {
        assert!(message.contains(part), "{message}");
    }
    let message = folder.refuse("train data.zarr --resume --seed 3 -o run");
    assert!(
        message.contains("continues run with its own settings"),
        "{message}"
    );
    let message = folder.refuse("train data.zarr --resume --epochs 3 -o run");
    assert!(message.contains("stopping.epochs 12, not 3"), "{message}");
    let message = folder.refuse("train missing.zarr -o other");
    assert!(message.contains("missing.zarr"), "{message}");
    let message = folder.refuse("train data.zarr --set optimizer.batch=3 -o other");
    assert!(message.contains("optimizer"), "{message}");
    let message = folder.refuse("train data.zarr --set split.test=5 -o other");
    for part in ["split.test = 5", "split.train", "do not fit into 5"] {
        assert!(message.contains(part), "{message}");
    }
    let message = folder.refuse(&format!(
        "train data.zarr {settings} --train-resolution 5 -o other"
    ));
    assert!(message.contains("divide"), "{message}");

    folder.succeed("generate 1dcr --inputs 5 --realizations 6 --resolution 16 --seed 9 -o b.zarr");
    let message = folder.refuse("train b.zarr --resume -o run");
    assert!(message.contains("not the dataset"), "{message}");
    assert_eq!(arrays(&folder.join("run/last.safetensors")), before);

    let path = folder.join("run/last.safetensors");
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    let message = folder.refuse("train data.zarr --resume -o run");
    assert!(message.contains("damaged"), "{message}");
}

#[test]
fn a_training_that_does_not_fit_into_memory_is_refused_with_advice() {
    let folder = &Folder::new();
    dataset(folder);
    let words = "train data.zarr --set split.test=1 --set split.validation=1 \
                 --method floral --set network.hidden_channels=10000000 -o run";
    let message = folder.refuse(words);
    for part in ["GB", "--train-resolution", "--ignore-memory"] {
        assert!(message.contains(part), "{message}");
    }
    assert!(!folder.join("run").exists());
}
