//! Datasets as a user meets them: generated, interrupted, inspected, or refused with one line.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod command;

use std::time::Duration;

use command::{Commands, Folder};

#[test]
fn impossible_requests_are_refused_in_one_line_with_the_remedy() {
    let folder = &Folder::new();
    for (words, remedy) in [
        (
            "generate advection --resolution 4x128 -o a.zarr",
            "at least 7 steps",
        ),
        (
            "generate burgers --resolution 16x128 -o a.zarr",
            "take about",
        ),
        ("generate darcy --resolution 30 -o a.zarr", "divi"),
        ("generate darcy --resolution 32x64 -o a.zarr", "square"),
        ("generate darcy --set rate=-x -o a.zarr", "rate"),
        ("generate 1dcr --set modes=0.5 -o a.zarr", "modes"),
        ("generate 1dcr --set nonsense=1 -o a.zarr", "nonsense"),
        ("generate 1dcr --inputs 0 -o a.zarr", "input"),
        ("generate 1dcr --shard 0 -o a.zarr", "one input at least"),
        (
            "generate 1dcr --config missing.toml -o a.zarr",
            "missing.toml",
        ),
        ("inspect nowhere.zarr", "nowhere.zarr"),
        ("verify nowhere.safetensors", "nowhere.safetensors"),
    ] {
        let message = folder.refuse(words);
        assert!(message.contains(remedy), "floral {words}: {message}");
    }
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 0);
}

#[test]
fn a_killed_generation_is_no_dataset_until_it_is_continued() {
    let folder = &Folder::new();
    let words = "generate darcy --inputs 40 --realizations 40 --resolution 32 -o data.zarr";
    let mut child = folder.floral(words).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(60));
    child.kill().unwrap();
    child.wait().unwrap();
    if !folder.join("data.zarr").exists() {
        assert!(folder.refuse("inspect data.zarr").contains("data.zarr"));
    }
    folder.succeed(words);
    let text = folder.printed("inspect data.zarr --json");
    assert!(text.contains("\"inputs\": 40"), "{text}");
}

#[test]
fn constants_printed_as_toml_give_the_same_dataset() {
    let folder = &Folder::new();
    let printed = folder.succeed("generate burgers --set viscosity=0.008 --print-config");
    std::fs::write(folder.join("c.toml"), printed.stdout).unwrap();
    let small = "--inputs 2 --realizations 2 --resolution 32";
    folder.succeed(&format!(
        "generate burgers --set viscosity=0.008 {small} -o a.zarr"
    ));
    folder.succeed(&format!(
        "generate burgers --config c.toml {small} -o b.zarr"
    ));
    let chunk = |name: &str| std::fs::read(folder.join(name).join("high/c.1.0.0.0.0")).unwrap();
    assert_eq!(chunk("a.zarr"), chunk("b.zarr"));
}

/// Two hundred inputs of each problem with the paper's settings; the ranges come from the
/// specification.
#[test]
fn the_low_fidelity_solvers_have_the_skill_they_should() {
    let folder = &Folder::new();
    for (problem, from, to) in [
        ("advection", 0.37, 0.42),
        ("burgers", 0.28, 0.35),
        ("darcy", 0.26, 0.33),
    ] {
        folder.succeed(&format!(
            "generate {problem} --inputs 200 --realizations 10 -o {problem}.zarr"
        ));
        let report = folder.succeed(&format!("inspect {problem}.zarr --json"));
        let summary: serde_json::Value = serde_json::from_slice(&report.stdout).unwrap();
        let nrmse = summary["low_fidelity"]["nrmse"].as_f64().unwrap();
        assert!((from..=to).contains(&nrmse), "{problem}: {nrmse}");
        assert_eq!(summary["verdict"]["worth"], "yes");
    }
}
