//! A fault of any storage operation loses nothing: the old data remain, the error is reported, and
//! the same call continues. These tests have a process of their own, because faults apply to a
//! whole process.
#![allow(clippy::unwrap_used)] // A test may panic.

#[path = "../../floral/tests/toy/mod.rs"]
mod toy;

use std::path::Path;
use std::sync::Mutex;

use floral::dataset::{Dataset, Request};
use floral::train::TrainConfig;
use floral::{Silent, fit};
use floral_faults::injection::{Fault, has_failed, let_fail};
use tempfile::TempDir;
use toy::{Toy, files, request, run};

/// Faults apply to the whole process, so only one test at a time can use them.
static ALONE: Mutex<()> = Mutex::new(());

/// A folder in memory if the system has one: on a disk, every sync would take time.
fn in_memory() -> TempDir {
    let memory = Path::new("/dev/shm");
    match memory.is_dir() {
        true => TempDir::new_in(memory).unwrap(),
        false => TempDir::new().unwrap(),
    }
}

#[test]
fn a_dataset_survives_a_fault_of_every_operation() {
    let new = Request {
        seed: 8,
        force: true,
        ..request(2)
    };
    assert!(faults_survived(&new) > 100);
}

#[test]
fn shards_survive_a_fault_of_every_operation() {
    let new = Request {
        seed: 8,
        force: true,
        shard: 2,
        ..request(3)
    };
    assert!(faults_survived(&new) > 100);
}

/// Injects a fault at every operation of replacing a dataset by another; returns the number of
/// faults.
fn faults_survived(new: &Request) -> usize {
    let folder = in_memory();
    let _alone = ALONE.lock().unwrap();
    let sound = folder.path().join("sound");
    run(&Toy::new(), new, &sound).unwrap();
    let expected = files(&sound);
    // One thread, so that the n-th operation is always the same.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1);
    let pool = pool.build().unwrap();
    let mut faults = 0;
    for fault in [Fault::Full, Fault::Broken, Fault::Denied, Fault::Short] {
        // Until the number exceeds the number of operations.
        for operation in 1.. {
            let path = folder.path().join(format!("{fault:?}-{operation}"));
            let is_met = pool.install(|| {
                let_fail(&[]);
                run(&Toy::new(), &request(2), &path).unwrap();
                let before = files(&path);
                let_fail(&[(operation, fault)]);
                let outcome = run(&Toy::new(), new, &path);
                let is_met = has_failed();
                let_fail(&[]);
                let there = files(&path);
                assert!(
                    there == before || there == expected,
                    "{fault:?} {operation}"
                );
                if let Err(error) = outcome {
                    let words = error.to_string();
                    let names_its_file = words.contains(&*folder.path().to_string_lossy());
                    assert!(is_met && names_its_file, "{words}");
                    run(&Toy::new(), new, &path).unwrap();
                }
                assert!(files(&path) == expected, "{fault:?} {operation}");
                assert!(Dataset::open(&path).is_ok());
                is_met
            });
            if !is_met {
                break;
            }
            faults += 1;
        }
    }
    faults
}

/// Without the unreadable part of the data, the fit would give a different model.
#[test]
fn a_fit_of_data_that_cannot_be_read_is_no_fit() {
    let folder = in_memory();
    let _alone = ALONE.lock().unwrap();
    let path = folder.path().join("data.zarr");
    run(&Toy::new(), &request(6), &path).unwrap();
    let text = "method = \"kriging\"\n[split]\ntest = 1\nvalidation = 1\n";
    let config = TrainConfig::from_table(text.parse().unwrap(), "test").unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1);
    let pool = pool.build().unwrap();
    for read in 1.. {
        let place = folder.path().join(format!("run-{read}"));
        let (outcome, is_met) = pool.install(|| {
            let_fail(&[]);
            let dataset = Dataset::open(&path).unwrap();
            let_fail(&[(read, Fault::Unread)]);
            let outcome = fit(&dataset, &place, &config, &Silent);
            let is_met = has_failed();
            let_fail(&[]);
            (outcome, is_met)
        });
        if !is_met {
            assert!(read > 20, "{read}");
            break;
        }
        let words = outcome.unwrap_err().to_string();
        assert!(words.contains(&*folder.path().to_string_lossy()), "{words}");
    }
}
