//! Training by several ranks.

use std::fs;
use std::sync::atomic::AtomicUsize;

use floral::dataset::{Dataset, Precision, Request, SplitConfig, generate_across};
use floral::device::Device;
use floral::problem::catalogue;
use floral::ranks::Threads;
use floral::train::{Method, RunFolder, TrainConfig, Training};
use floral::{Checksum, Error, Silent};

use super::{After, CREWS, generated, settings, well};

#[test]
fn any_number_of_ranks_trains_to_the_same_weights() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data.zarr");
    well(Threads::run(1, 1, |ranks| generated(ranks, &data, &Silent)));
    let dataset = Dataset::open(&data).unwrap();
    let mut first = None;
    for (size, threads) in CREWS {
        let path = folder.path().join(format!("run-{size}-{threads}"));
        let run = RunFolder::create(&path, &settings()).unwrap();
        well(Threads::run(size, threads, |ranks| {
            Training::of(ranks, &run, &dataset, &Silent)?.run(&Device::flex(), &Silent)
        }));
        let found = learned(&run);
        assert_eq!(first.get_or_insert(found.clone()), &found, "{size} ranks");
    }
}

/// Checksums of weights and moments of both checkpoints, sorted by name since their order in a file
/// is arbitrary, and the log of epochs without times.
fn learned(run: &RunFolder) -> Vec<String> {
    let mut found = Vec::new();
    for checkpoint in [run.best().unwrap(), run.last().unwrap().unwrap()] {
        let moments = checkpoint.adam.first.iter().zip(&checkpoint.adam.second);
        let mut arrays: Vec<String> = checkpoint
            .weights
            .iter()
            .zip(moments)
            .map(|(weight, (first, second))| {
                let of = |values: &[f32]| {
                    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
                    Checksum::default().bytes(&bytes)
                };
                let [weights, first, second] = [&weight.values, first, second].map(|v| of(v));
                format!("{}: {weights} {first} {second}", weight.name)
            })
            .collect();
        arrays.sort();
        found.extend(arrays);
    }
    for epoch in run.epochs().unwrap() {
        let losses = (epoch.train_loss, epoch.validation_loss, epoch.gradient_norm);
        found.push(format!("{losses:?}"));
    }
    found
}

#[test]
fn ranks_stop_at_the_same_step_and_another_number_of_them_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data.zarr");
    well(Threads::run(2, 1, |ranks| generated(ranks, &data, &Silent)));
    let dataset = Dataset::open(&data).unwrap();
    let train = |name: &str, size: usize, stops: Option<usize>| {
        let run = RunFolder::create_or_continue(&folder.path().join(name), &settings()).unwrap();
        let ends = Threads::run(size, 1, |ranks| {
            let count = AtomicUsize::new(0);
            let observer = After {
                count: &count,
                limit: 1,
                stops: stops == Some(ranks.rank()),
            };
            Training::of(ranks, &run, &dataset, &observer)?.run(&Device::flex(), &observer)
        });
        (run, ends)
    };
    let (whole, ends) = train("whole", 1, None);
    well(ends);
    let (cut, ends) = train("cut", 3, Some(2));
    assert!(
        ends.iter()
            .all(|end| matches!(end, Err(Error::Interrupted)))
    );
    assert_eq!(cut.last().unwrap().unwrap().header.progress.step, 2);
    let (cut, ends) = train("cut", 2, None);
    well(ends);
    assert_eq!(learned(&cut), learned(&whole));
}

/// After the first epoch, the best checkpoint is the last one; after the second epoch it need not
/// be.
#[test]
fn a_checkpoint_that_is_best_and_last_is_written_once() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data.zarr");
    well(Threads::run(1, 2, |ranks| generated(ranks, &data, &Silent)));
    let dataset = Dataset::open(&data).unwrap();
    for epochs in [1, 2] {
        let mut config = settings();
        config.stopping.epochs = epochs;
        let path = folder.path().join(format!("run-{epochs}"));
        let run = RunFolder::create(&path, &config).unwrap();
        well(Threads::run(2, 1, |ranks| {
            Training::of(ranks, &run, &dataset, &Silent)?.run(&Device::flex(), &Silent)
        }));
        let [best, last] = [run.best().unwrap(), run.last().unwrap().unwrap()];
        let progress = &last.header.progress;
        assert!(progress.finished && progress.epoch == epochs);
        let is_same = fs::read(run.best_path()).unwrap() == fs::read(run.last_path()).unwrap();
        assert_eq!(is_same, best.header.progress.epoch == epochs);
    }
}

#[test]
fn a_regression_is_fitted_once_for_all() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data.zarr");
    let constants = toml::toml! { resolution = 16 };
    let problem = catalogue::build("1dcr", constants, "test").unwrap();
    let request = Request {
        precision: Precision::F64,
        ..Request::new(6, 5, 1)
    };
    let dataset = well(Threads::run(2, 1, |ranks| {
        generate_across(ranks, problem.as_ref(), &request, &data, &Silent)?;
        Dataset::open(&data)
    }));
    let config = TrainConfig {
        split: SplitConfig::new(1, 1, None),
        ..TrainConfig::default().for_method(Method::Kriging)
    };
    let fits = [1, 3].map(|size| {
        let path = folder.path().join(size.to_string());
        let run = RunFolder::create(&path, &config).unwrap();
        let ends = well(Threads::run(size, 1, |ranks| {
            Training::of(ranks, &run, &dataset[0], &Silent)?.run(&Device::flex(), &Silent)
        }));
        assert!(ends.windows(2).all(|pair| pair[0] == pair[1]));
        run.best().unwrap().regression
    });
    assert_eq!(fits[0], fits[1]);
}
