//! `floral bench` and `floral plan` as a user runs them.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod command;

use std::path::Path;

use command::{Commands, Folder};
use serde_json::Value;

const SMALL: &str = "bench --sizes 16,8x6 --batch 2 --hidden 4 --solver heun --steps 2 --seconds 0";

const SIZES: [&str; 2] = ["16", "8x6"];
const WORKS: [&str; 4] = ["velocity", "training", "prior", "sampling"];

/// Every kind of work on every size, in the order of the report.
fn expected() -> Vec<[&'static str; 2]> {
    let of_size = |size| WORKS.map(|work| [work, size]);
    SIZES.into_iter().flat_map(of_size).collect()
}

#[test]
fn every_work_has_a_line_on_every_size() {
    let text = Path::new(".").printed(SMALL);
    let (head, rows) = text.split_once("peak memory\n").unwrap();
    assert!(head.contains("threads, matrix products at") && head.contains("GFLOP/s"));
    let rows = rows.lines().map(|line| line.split_whitespace().collect());
    let rows: Vec<Vec<&str>> = rows.collect();
    let names: Vec<[&str; 2]> = rows.iter().map(|row| [row[0], row[1]]).collect();
    assert_eq!(names, expected(), "{text}");
    assert!(rows.iter().all(|row| row[2] == "2"), "{text}");
}

fn report(words: &str) -> (f64, Vec<Value>) {
    let output = Path::new(".").succeed(&format!("{words} --json"));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = report["measurements"].as_array().unwrap().clone();
    (report["matrix_peak_gflops"].as_f64().unwrap(), rows)
}

/// GFLOP/s are arithmetic divided by time, percentages are shares of the peak; the prior has
/// neither.
#[test]
fn rates_and_shares_follow_from_arithmetic_time_and_peak() {
    let (peak, rows) = report(SMALL);
    let names: Vec<_> = rows
        .iter()
        .map(|row| [&row["work"], &row["size"]])
        .collect();
    assert_eq!(names, expected());
    let same = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-9;
    for row in &rows {
        let number = |key: &str| row[key].as_f64();
        let (rate, share) = (number("gflops"), number("percent_of_peak"));
        if row["work"] == "prior" {
            assert_eq!([number("gflop_per_sample"), rate, share], [None; 3]);
            continue;
        }
        let seconds = number("milliseconds_per_sample").unwrap() / 1e3;
        let arithmetic = number("gflop_per_sample").unwrap();
        assert!(same(rate.unwrap() * seconds, arithmetic), "{row}");
        assert!(same(share.unwrap() * peak / 100.0, rate.unwrap()), "{row}");
    }
}

/// Two steps of Heun's method take four velocities; a training step costs more than three.
#[test]
fn arithmetic_is_counted_in_velocities() {
    let (_, rows) = report(SMALL);
    for works in rows.chunks_exact(WORKS.len()) {
        let count = |i: usize| works[i]["gflop_per_sample"].as_f64().unwrap();
        let [velocity, training, sampling] = [0, 1, 3].map(count);
        assert_eq!(works[3]["evaluations"], 4.0);
        assert!((sampling / velocity - 4.0).abs() < 1e-9);
        // The gradients with respect to inputs and to weights each cost as much as the forward
        // pass, and the condition is part of a step.
        assert!(training > 3.0 * velocity);
    }
}

#[test]
fn one_work_may_be_asked_for_alone() {
    let (_, rows) = report(&format!("{SMALL} --only velocity"));
    let works: Vec<_> = rows.iter().map(|row| &row["work"]).collect();
    assert_eq!(works, ["velocity"; 2]);
    let object = |row: &Value| row.as_object().unwrap().contains_key("peak_memory");
    assert!(rows.iter().all(object));
}

#[test]
fn impossible_sizes_are_refused_in_one_line() {
    for (words, remedy) in [
        ("bench --sizes 8x8x8x8", "one to three axes"),
        ("bench --sizes 1", "one to three axes"),
        ("bench --batch 0", "at least 1"),
        ("bench --solver heun", "steps"),
    ] {
        let message = Path::new(".").refuse(words);
        assert!(message.contains(remedy), "floral {words}: {message}");
    }
}

#[test]
fn a_plan_counts_what_ranks_can_share_and_refuses_what_has_no_network() {
    let folder = &Folder::new();
    let words = "plan --grid 64x64 --inputs 10 --ranks 16 --gflops 80 --json";
    let plan: Value = serde_json::from_slice(&folder.succeed(words).stdout).unwrap();
    assert_eq!(plan["blocks"], 8);
    let computing = |row: usize| plan["rows"][row]["step"]["computing"].as_f64().unwrap();
    // 1, 2, 4, 8 and 16 ranks: there are 8 blocks, so 16 ranks are no faster than 8.
    assert!((computing(0) / computing(3) - 8.0).abs() < 1e-9);
    assert_eq!(computing(3), computing(4));
    let refused = folder.refuse("plan --grid 64x64 --inputs 10 --set method=kriging");
    assert!(refused.contains("one rank"), "{refused}");
    let refused = folder.refuse("plan --grid 64x64 --inputs 10 --bandwidth 0");
    assert!(refused.contains("--bandwidth"), "{refused}");
    let refused = folder.refuse("bench --collective");
    assert!(refused.contains("mpirun"), "{refused}");
}
