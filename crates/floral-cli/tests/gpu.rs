//! A GPU gives the results of the CPU. Run with
//! `cargo test --release --workspace --features floral-cli/wgpu --test gpu`, on a GPU or with a
//! driver that emulates one.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod command;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use burn::tensor::Tensor;
use command::{Commands, Folder};
use floral::dataset::Dataset;
use floral::device::{Device, adapter_of, named, read};
use floral::observer::Event;
use floral::operator::{FilmFno, FilmFnoConfig};
use floral::predict::{Predictor, Sampling};
use floral::train::{Outcome, RunFolder, train};
use floral::verify::verify_file;
use floral::{Error, Observer, Silent};
use floral_bench::{MeasuredNetwork, TrainingStep, VelocityBatch};

/// Tolerance after a short training: rounding errors grow over its steps.
const TOLERANCE: f64 = 1e-3;

const SMALL: &str = "--method floral --set network.hidden_channels=8 --set network.film_channels=8 \
                     --set network.layers=2 --set optimiser.batch=8 --set split.test=1 \
                     --set split.validation=1 --epochs 2";

fn dataset(folder: &Path) {
    folder.succeed("generate 1dcr --inputs 5 --realizations 8 --resolution 24 -o data.zarr");
}

/// The largest difference of two lists, relative to the largest expected value.
fn difference(found: &[f32], expected: &[f32]) -> f64 {
    assert_eq!(found.len(), expected.len());
    let largest = expected.iter().fold(0.0f32, |a, b| a.max(b.abs()));
    let pairs = found.iter().zip(expected);
    let distance = pairs.map(|(a, b)| (a - b).abs()).fold(0.0f32, f32::max);
    f64::from(distance) / f64::from(largest)
}

#[test]
fn the_adapter_has_a_name_and_a_limit() {
    let adapter = adapter_of(&named("gpu").unwrap()).unwrap();
    assert!(
        !adapter.name.is_empty() && adapter.largest_buffer > 1 << 20,
        "{adapter}"
    );
}

#[test]
fn what_no_buffer_takes_is_an_error_in_one_line() {
    let device = named("gpu").unwrap();
    let largest = adapter_of(&device).unwrap().largest_buffer as usize;
    let numbers = Tensor::<1>::ones([largest / 4 + 1024], &device);
    let failed = read(numbers.sum()).unwrap_err();
    assert!(matches!(failed, Error::Device { .. }), "{failed:?}");
    assert!(!failed.to_string().contains('\n'), "{failed}");
    let modes = vec![1 << 12, 1 << 12];
    let refused = FilmFno::new(&FilmFnoConfig::new(1, 1, 1, modes), 0, &device);
    assert!(matches!(refused, Err(Error::Config { .. })));
    let after = read(Tensor::<1>::ones([8], &device).sum()).unwrap();
    assert_eq!(after, [8.0]);
}

#[test]
fn every_fixture_passes_with_gradients_to_1e4() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../floral/tests/fixtures");
    let device = named("gpu").unwrap();
    for name in ["filmfno_1d", "filmfno_2d", "solvers"] {
        for check in verify_file(&folder.join(name).with_extension("safetensors"), &device).unwrap()
        {
            assert!(check.passes() && check.error < 1e-4, "{name}: {check:?}");
        }
    }
}

#[test]
fn velocities_and_steps_of_lines_and_planes_of_any_size_are_the_processors() {
    let on = |device: &Device, grid: &[usize]| {
        let case = MeasuredNetwork {
            inputs: 2,
            hidden: 8,
            device: device.clone(),
            ..MeasuredNetwork::new(grid.to_vec(), 3)
        };
        let velocity = VelocityBatch::new(&case).unwrap().run().unwrap();
        let mut step = TrainingStep::new(&case, true).unwrap();
        let losses: Vec<f32> = (0..3).map(|_| step.run().unwrap() as f32).collect();
        (velocity, losses)
    };
    let devices = [named("gpu").unwrap(), named("cpu").unwrap()];
    for grid in [vec![20], vec![9, 14], vec![16, 16]] {
        let [card, processor] = devices.each_ref().map(|device| on(device, &grid));
        let velocity = difference(&card.0, &processor.0);
        let losses = difference(&card.1, &processor.1);
        assert!(
            velocity < 1e-4 && losses < TOLERANCE,
            "{grid:?} {velocity} {losses}"
        );
    }
}

/// The loss columns of a run's log.
fn losses(run: &Path) -> Vec<f32> {
    let log = std::fs::read_to_string(run.join("epochs.csv")).unwrap();
    let lines = log.lines().skip(1);
    let numbers = lines.flat_map(|line| line.split(',').skip(1).take(2));
    numbers
        .map(|number| number.trim().parse().unwrap())
        .collect()
}

/// Four realizations of the first input.
fn realizations(run: &Path, dataset: &Dataset, device: &Device) -> Vec<f64> {
    let predictor = Predictor::load(&RunFolder::open(run).unwrap(), device).unwrap();
    let (input, low) = (dataset.input(0).unwrap(), dataset.low(0).unwrap());
    let predicted = predictor.for_input(&input, Some(&low), dataset.grid());
    let sampling = Sampling {
        realizations: 4,
        ..Sampling::default()
    };
    let mut all = Vec::new();
    let consume = |_, values: &[f64]| {
        all.extend_from_slice(values);
        Ok(())
    };
    predicted
        .unwrap()
        .deliver(0, &sampling, &Silent, consume)
        .unwrap();
    all
}

#[test]
fn a_short_training_and_its_realizations_agree_and_checkpoints_move() {
    let folder = &Folder::new();
    dataset(folder);
    let runs: Vec<PathBuf> = ["cpu", "gpu"]
        .map(|device| {
            folder.succeed(&format!(
                "train data.zarr {SMALL} --device {device} -o {device}"
            ));
            folder.join(device)
        })
        .into();
    let distance = difference(&losses(&runs[1]), &losses(&runs[0]));
    assert!(distance < TOLERANCE, "{distance}");
    let dataset = Dataset::open(&folder.join("data.zarr")).unwrap();
    for run in &runs {
        let of = |device: &str| realizations(run, &dataset, &named(device).unwrap());
        let distance = difference(&of("gpu"), &of("cpu"));
        assert!(distance < 1e-4, "{} {distance}", run.display());
    }
}

/// Stops after the first epoch.
#[derive(Default)]
struct OneEpoch(AtomicBool);

impl Observer for OneEpoch {
    fn observe(&self, event: &Event<'_>) {
        if matches!(event, Event::Epoch(_)) {
            self.0.store(true, Ordering::Relaxed);
        }
    }

    fn should_stop(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

#[test]
fn a_run_begun_on_one_device_ends_on_the_other() {
    let folder = &Folder::new();
    dataset(folder);
    folder.succeed(&format!("train data.zarr {SMALL} -o whole"));
    let dataset = Dataset::open(&folder.join("data.zarr")).unwrap();
    let config = RunFolder::open(&folder.join("whole"))
        .unwrap()
        .config()
        .unwrap();
    for [first, second] in [["cpu", "gpu"], ["gpu", "cpu"]] {
        let run = folder.join(first);
        let run = RunFolder::create(&run, &config).unwrap();
        let stopped = train(&run, &dataset, &named(first).unwrap(), &OneEpoch::default());
        assert!(matches!(stopped, Err(Error::Interrupted)), "{stopped:?}");
        let ended = train(&run, &dataset, &named(second).unwrap(), &Silent).unwrap();
        assert_eq!(ended, Outcome::AllEpochs);
        let distance = difference(&losses(run.path()), &losses(&folder.join("whole")));
        assert!(distance < TOLERANCE, "{first} {distance}");
    }
}

#[test]
fn a_missing_card_is_refused_in_one_line_and_nothing_is_written() {
    let folder = &Folder::new();
    dataset(folder);
    let words = folder.refuse("train data.zarr --device gpu:99 -o run");
    assert!(
        words.contains("device gpu:99") && !folder.join("run").exists(),
        "{words}"
    );
}
