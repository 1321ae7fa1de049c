//! Tests of a quickstart at its smallest size.

use std::sync::atomic::AtomicBool;

use clap::Parser;
use floral_report::draw::Row;

use super::sizes::METHODS;
use super::*;
use crate::args::{self, Cli};

static NEVER: AtomicBool = AtomicBool::new(false);

fn tried(path: &Path, sizes: &QuickstartSizes) -> (floral::Result<Outcome>, Vec<String>) {
    let log = StepLog::silent(&NEVER);
    let device = device::named("cpu").unwrap();
    let outcome = quickstart(path, sizes, &device, &log);
    (outcome, log.lines())
}

#[test]
fn a_quickstart_ends_with_a_report_and_does_nothing_twice() {
    let folder = tempfile::tempdir().unwrap();
    let sizes = QuickstartSizes::tiny(3);
    let (first, _) = tried(folder.path(), &sizes);
    let first = first.unwrap();
    let names: Vec<&str> = first.tables[0]
        .rows
        .iter()
        .map(|r: &Row| &*r.name)
        .collect();
    assert_eq!(
        names,
        [
            "low fidelity",
            "mean residual of 2 inputs",
            "Residual FNO",
            "FLORAL",
            "Kriging",
            "FLORAL-KL"
        ]
    );
    let report = std::fs::read_to_string(&first.report).unwrap();
    for heading in ["One input as an example", "Calibration", "Do it yourself"] {
        assert!(report.contains(heading), "{heading}");
    }
    assert!(!report.contains("NaN"));

    let (second, lines) = tried(folder.path(), &sizes);
    assert_eq!(second.unwrap(), first);
    assert_eq!(lines.iter().filter(|l| l.contains("already")).count(), 5);
}

#[test]
fn other_settings_in_the_same_folder_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    tried(folder.path(), &QuickstartSizes::tiny(0)).0.unwrap();
    let changed = QuickstartSizes {
        epochs: 3,
        ..QuickstartSizes::tiny(0)
    };
    let error = tried(folder.path(), &changed).0.unwrap_err().to_string();
    assert!(error.contains("other settings"), "{error}");
}

#[test]
fn a_request_to_stop_is_heard_and_the_next_call_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let device = device::named("cpu").unwrap();
    let stop = AtomicBool::new(true);
    let stopped = quickstart(
        folder.path(),
        &QuickstartSizes::tiny(0),
        &device,
        &StepLog::silent(&stop),
    );
    assert!(matches!(stopped, Err(floral::Error::Interrupted)));
    tried(folder.path(), &QuickstartSizes::tiny(0)).0.unwrap();
}

#[test]
fn every_command_it_prints_can_be_typed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = Folder(folder.path().join("a folder"));
    std::fs::create_dir_all(&folder.0).unwrap();
    let sizes = QuickstartSizes::small(7);
    std::fs::write(folder.settings(), sizes.settings()).unwrap();
    let mut trained = Vec::new();
    for command in command::commands(&folder, &sizes) {
        let parsed = Cli::try_parse_from(&command.0).unwrap_or_else(|e| panic!("{e}"));
        if let args::Command::Train(arguments) = parsed.command {
            trained.push(arguments.resolved().unwrap());
        }
    }
    assert_eq!(trained, METHODS.map(|method| sizes.training(method)));
}
