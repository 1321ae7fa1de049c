//! The command as shells and programs use it: completion, manual, quiet, JSON, exit codes.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod command;

use std::path::Path;
use std::process::Output;

use command::{Commands, Folder};
use serde_json::Value;

const DATA: &str = "generate 1dcr --inputs 6 --realizations 6 --resolution 16 -o data.zarr";

fn run(folder: &Path, words: &str) -> Output {
    folder.floral(words).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Every line of standard error as JSON.
fn events(output: &Output) -> Vec<Value> {
    let lines = text(&output.stderr);
    let parse = |line: &str| serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}"));
    lines.lines().map(parse).collect()
}

#[test]
fn every_ending_has_its_exit_code_and_help_lists_them() {
    let folder = &Folder::new();
    let help = text(&folder.succeed("--help").stdout);
    for code in ["0  success", "1  ", "2  ", "130  "] {
        assert!(help.contains(code), "{help}");
    }
    assert_eq!(run(folder, DATA).status.code(), Some(0));
    assert_eq!(run(folder, "inspect nowhere.zarr").status.code(), Some(2));
    assert_eq!(run(folder, "sow").status.code(), Some(2));
    assert_eq!(run(folder, "--version").status.code(), Some(0));
    // A missing chunk reads as NaN, so that the answer of inspect is negative.
    std::fs::remove_file(folder.join("data.zarr/high/c.3.0.0.0")).unwrap();
    assert_eq!(run(folder, "inspect data.zarr").status.code(), Some(1));
}

#[test]
fn completion_scripts_and_manual_pages_are_printed() {
    let folder = &Folder::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = text(&folder.succeed(&format!("completion {shell}")).stdout);
        assert!(script.contains("import-torch"), "{shell}");
    }
    let page = text(&folder.succeed("man sample").stdout);
    assert!(
        page.contains("floral\\-sample") && page.contains("\\-\\-stderr"),
        "{page}"
    );
    let whole = text(&folder.succeed("man").stdout);
    assert!(whole.contains("Exit codes"), "{whole}");
    folder.succeed("man -o pages");
    assert!(
        folder.join("pages/floral.1").is_file() && folder.join("pages/floral-train.1").is_file()
    );
    assert!(folder.refuse("man sow").contains("no page floral-sow"));
}

#[test]
fn quiet_prints_only_errors_and_results() {
    let folder = &Folder::new();
    assert!(folder.succeed(&format!("--quiet {DATA}")).stderr.is_empty());
    assert!(
        folder
            .succeed("train data.zarr -q -o run")
            .stderr
            .is_empty()
    );
    let output = folder.succeed("inspect data.zarr -q");
    assert!(!output.stdout.is_empty() && output.stderr.is_empty());
    let refused = run(folder, "train nowhere.zarr -q -o other");
    assert!(text(&refused.stderr).starts_with("error: "));
}

#[test]
fn with_json_every_line_of_standard_error_is_an_event() {
    let folder = &Folder::new();
    let read = events(&folder.succeed(&format!("{DATA} --log json")));
    let shares: Vec<f64> = read
        .iter()
        .filter(|event| event["event"] == "progress")
        .map(|event| event["share"].as_f64().unwrap())
        .collect();
    assert!(
        shares.is_sorted() && shares.last() == Some(&1.0),
        "{shares:?}"
    );
    assert!(
        read.iter()
            .all(|event| event["message"].is_string() && event["seconds"].is_number())
    );

    let small = "--method fno --epochs 2 --set network.hidden_channels=4";
    let read = events(&folder.succeed(&format!("train data.zarr {small} --log json -o run")));
    let kind = |kind: &str| read.iter().filter(|e| e["event"] == kind).count();
    assert_eq!(kind("note"), 1, "the split is noted: {read:?}");
    let epochs = read.iter().filter(|e| e["epoch"].is_u64());
    assert_eq!(epochs.filter(|e| e["validation_loss"].is_f64()).count(), 2);

    let read = events(&run(folder, "--log json inspect nowhere.zarr"));
    assert_eq!(
        (read[0]["event"].as_str(), read[0]["code"].as_u64()),
        (Some("error"), Some(2))
    );
    let read = events(&run(folder, "--log json sow"));
    assert!(read.len() == 1 && read[0]["message"].as_str().unwrap().contains("sow"));
    let quiet = events(&run(folder, "-q --log json train data.zarr -o run"));
    assert!(
        quiet.len() == 1 && quiet[0]["event"] == "error",
        "{quiet:?}"
    );
}

#[test]
fn a_pipe_gets_neither_colours_nor_bars() {
    let folder = &Folder::new();
    for words in [DATA, "--help", "sow", "sample --help"] {
        let output = folder.floral(words).env("NO_COLOR", "1").output().unwrap();
        let all = [output.stdout, output.stderr].concat();
        assert!(!all.contains(&0x1b), "{words}");
    }
}
