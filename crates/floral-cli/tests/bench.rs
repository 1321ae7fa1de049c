//! The benchmark as a user meets it.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod command;

use std::path::Path;

use command::{refuse, succeed};
use serde_json::Value;

const SMALL: &str = "bench --sizes 16,8x6 --batch 2 --hidden 4 --solver heun --steps 2 --seconds 0";

#[test]
fn every_work_is_measured_on_every_size() {
    let output = succeed(Path::new("."), SMALL);
    let text = String::from_utf8(output.stdout).unwrap();
    let rows: Vec<Vec<&str>> = text
        .lines()
        .map(|l| l.split_whitespace().collect())
        .collect();
    for size in ["16", "8x6"] {
        for work in ["velocity", "training", "prior", "sampling"] {
            let row = rows.iter().find(|row| row.starts_with(&[work, size, "2"]));
            let time: f64 = row.unwrap()[3].parse().unwrap();
            assert!(time >= 0.0, "{text}");
        }
    }
    assert!(text.starts_with(char::is_numeric) && text.contains("GFLOP/s"));
}

#[test]
fn the_same_comes_as_json() {
    let output = succeed(Path::new("."), &format!("{SMALL} --only velocity --json"));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(report["matrix_peak_gflops"].as_f64().unwrap() > 0.0);
    let rows = report["measurements"].as_array().unwrap();
    assert_eq!(rows.len(), 2);
    for row in rows {
        assert_eq!(row["work"], "velocity");
        for key in ["milliseconds_per_sample", "gflops", "percent_of_peak"] {
            assert!(row[key].as_f64().unwrap() > 0.0, "{key}: {row}");
        }
        assert!(row.as_object().unwrap().contains_key("peak_memory"));
    }
}

#[test]
fn impossible_sizes_are_refused_in_one_line() {
    for (words, remedy) in [
        ("bench --sizes 8x8x8", "planes"),
        ("bench --sizes 1", "lines"),
        ("bench --batch 0", "at least 1"),
        ("bench --solver heun", "steps"),
    ] {
        let message = refuse(Path::new("."), words);
        assert!(message.contains(remedy), "floral {words}: {message}");
    }
}
