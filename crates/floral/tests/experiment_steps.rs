//! The ODE solvers of the paper's experiments resolve every wave of the networks' time embedding.
#![allow(clippy::unwrap_used)] // A test may panic.

use std::path::Path;

use floral::operator::time_embedding::frequencies;
use floral::sample::OdeSolver;

/// Every table named `solver`, at any depth.
fn solvers(value: &toml::Value, found: &mut Vec<OdeSolver>) {
    if let toml::Value::Table(table) = value {
        for (key, value) in table {
            if key == "solver" {
                found.push(value.clone().try_into().unwrap());
            }
            solvers(value, found);
        }
    }
}

#[test]
fn no_experiment_steps_over_a_wave_of_time() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments");
    let waves = frequencies().map(f64::from);
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let mut found = Vec::new();
        solvers(&text.parse::<toml::Table>().unwrap().into(), &mut found);
        assert!(!found.is_empty(), "{}", path.display());
        for solver in found {
            let aliasing = solver.aliasing(&waves).map(|aliasing| aliasing.to_string());
            assert_eq!(aliasing, None, "{}", path.display());
        }
    }
}
