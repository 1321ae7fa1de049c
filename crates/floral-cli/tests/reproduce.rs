//! `floral reproduce` as a user runs it.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod command;

use std::path::Path;

use command::{Commands, Folder};

const TINY: &str = include_str!("tiny.toml");

fn experiments(folder: &Path) {
    std::fs::create_dir(folder.join("experiments")).unwrap();
    std::fs::write(folder.join("experiments/tiny.toml"), TINY).unwrap();
}

fn words(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

#[test]
fn all_tables_of_a_tiny_experiment_are_made_once() {
    let folder = &Folder::new();
    experiments(folder);
    let all = "reproduce all --experiments experiments -o out";
    let planned = words(folder.succeed(&format!("{all} --plan")).stdout);
    assert!(planned.contains("generate tiny"), "{planned}");
    assert!(planned.contains("19 of 19 steps are left"), "{planned}");

    let first = folder.succeed(all);
    let output = words(first.stdout);
    for part in ["Table 1", "Table 2", "Table 3", "Figures", "scale quick"] {
        assert!(output.contains(part), "{part}: {output}");
    }
    assert!(
        output.contains("FLORAL 4") && output.contains("1.75"),
        "{output}"
    );
    assert!(!output.contains("missing"), "{output}");
    let json = std::fs::read_to_string(folder.join("out/table1-quick.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["scale"], "quick");
    assert_eq!(json["command"], format!("floral {all}"));
    assert_eq!(json["systems"][0]["cells"].as_array().unwrap().len(), 12);
    assert!(folder.join("out/table3-quick.html").is_file());

    let again = folder.succeed(all);
    let preview = words(again.stderr);
    assert!(preview.contains("All 18 steps are done"), "{preview}");
    assert!(!preview.contains("[1/"), "{preview}");
    assert_eq!(words(again.stdout), output);
}

#[test]
fn what_cannot_be_reproduced_is_refused_by_name() {
    let folder = &Folder::new();
    let message = folder.refuse("reproduce table1 --scale huge");
    assert!(
        message.contains("quick, recommended, trained, paper"),
        "{message}"
    );
    let message = folder.refuse("reproduce table1 --only stokes");
    assert!(message.contains("1dcr, advection"), "{message}");
    experiments(folder);
    std::fs::write(
        folder.join("experiments/tiny.toml"),
        TINY.replace("epochs = 1", "epoch = 1"),
    )
    .unwrap();
    let message = folder.refuse("reproduce table1 --experiments experiments");
    assert!(message.contains("unknown field `epoch`"), "{message}");
}
