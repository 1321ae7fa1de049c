//! Several ranks come to the same bytes as one: datasets, weights, predictions, scores.
#![allow(clippy::unwrap_used)] // A test may panic.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use floral::dataset::{Dataset, Outcome, Precision, Request, SplitConfig, generate_across};
use floral::device::Device;
use floral::evaluate::{Options, evaluate_across};
use floral::predict::{Cases, Destination, Job, Places, PredictionPlan, Predictor, Sampling};
use floral::problem::catalogue;
use floral::ranks::{Ranks, Threads};
use floral::sample::{OdeSolver, Wanted};
use floral::train::config::{NetworkConfig, OptimiserConfig, StoppingConfig};
use floral::train::{Method, RunFolder, TrainConfig, train_across};
use floral::{Checksum, Error, Event, Observer, Result, Silent};
use serde_json::Map;

/// Numbers of ranks, and threads of each.
const CREWS: [(usize, usize); 6] = [(1, 1), (1, 3), (2, 1), (3, 2), (4, 1), (8, 1)];

/// Every file below a folder, by its path in it.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_owned();
                found.insert(name, fs::read(path).unwrap());
            }
        }
    }
    assert!(!found.is_empty());
    found
}

fn well<T>(ends: Vec<Result<T>>) -> Vec<T> {
    ends.into_iter().collect::<Result<_>>().unwrap()
}

/// Seven inputs of a plane of 64x64 points, large enough for a step to have several blocks.
fn generated(ranks: &dyn Ranks, path: &Path, observer: &dyn Observer) -> Result<Outcome> {
    let constants = toml::toml! { resolution = 64 };
    let problem = catalogue::build("advection", constants, "test")?;
    let request = Request {
        inputs: 7,
        realizations: 8,
        seed: 5,
        precision: Precision::F32,
        force: false,
    };
    generate_across(ranks, problem.as_ref(), &request, path, observer)
}

fn settings() -> TrainConfig {
    TrainConfig {
        method: Method::Floral,
        split: SplitConfig::new(1, 2, None),
        network: NetworkConfig {
            hidden_channels: 4,
            layers: 2,
            film_channels: 4,
            n_modes: Some(vec![8, 8]),
        },
        optimiser: OptimiserConfig {
            batch: 20,
            ..Default::default()
        },
        stopping: StoppingConfig {
            epochs: 2,
            ..Default::default()
        },
        ..Default::default()
    }
}

/// Stops the rank on which it stands once so many inputs or steps are done anywhere.
struct After<'a> {
    count: &'a AtomicUsize,
    limit: usize,
    stops: bool,
}

impl Observer for After<'_> {
    fn observe(&self, event: &Event<'_>) {
        if matches!(event, Event::Generated { .. } | Event::Step { .. }) {
            self.count.fetch_add(1, Ordering::SeqCst);
        }
    }

    fn should_stop(&self) -> bool {
        self.stops && self.count.load(Ordering::SeqCst) >= self.limit
    }
}

#[test]
fn any_number_of_ranks_generates_the_same_dataset() {
    let folder = tempfile::tempdir().unwrap();
    let mut first = None;
    for (size, threads) in CREWS {
        let path = folder.path().join(format!("{size}-{threads}.zarr"));
        let ends = Threads::run(size, threads, |ranks| generated(ranks, &path, &Silent));
        for outcome in well(ends) {
            let expected = Outcome::Generated {
                computed: 7,
                resumed: 0,
                redraws: 0,
            };
            assert_eq!(outcome, expected);
        }
        let found = files(&path);
        assert_eq!(first.get_or_insert(found.clone()), &found, "{size} ranks");
        assert!(
            !folder
                .path()
                .join(format!("{size}-{threads}.zarr.partial"))
                .exists()
        );
    }
}

#[test]
fn a_dataset_that_one_crew_left_is_finished_by_another() {
    let folder = tempfile::tempdir().unwrap();
    let [whole, cut] = ["whole.zarr", "cut.zarr"].map(|name| folder.path().join(name));
    well(Threads::run(1, 1, |ranks| {
        generated(ranks, &whole, &Silent)
    }));
    let count = AtomicUsize::new(0);
    let ends = Threads::run(3, 1, |ranks| {
        let observer = After {
            count: &count,
            limit: 1,
            stops: ranks.is_first(),
        };
        generated(ranks, &cut, &observer)
    });
    assert!(
        ends.iter()
            .all(|end| matches!(end, Err(Error::Interrupted)))
    );
    let ends = Threads::run(2, 1, |ranks| generated(ranks, &cut, &Silent));
    for outcome in well(ends) {
        assert!(matches!(outcome, Outcome::Generated { resumed: 1.., .. }));
    }
    assert_eq!(files(&cut), files(&whole));
}

#[test]
fn a_rank_that_fails_ends_all_and_names_its_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data.zarr");
    fs::write(&path, "no dataset").unwrap();
    let ends = Threads::run(3, 1, |ranks| generated(ranks, &path, &Silent));
    let words = ends[0].as_ref().unwrap_err().to_string();
    assert!(words.contains("not a dataset"), "{words}");
    for end in &ends[1..] {
        assert!(matches!(end, Err(Error::Elsewhere { rank: 0 })));
    }
}

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
            train_across(ranks, &run, &dataset, &Device::flex(), &Silent)
        }));
        let found = learned(&run);
        assert_eq!(first.get_or_insert(found.clone()), &found, "{size} ranks");
    }
}

/// Checksums of weights and moments of both checkpoints by name, as a file gives them in any order, and
/// the epochs but for their seconds.
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
            train_across(ranks, &run, &dataset, &Device::flex(), &observer)
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

#[test]
fn a_regression_is_fitted_once_for_all() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data.zarr");
    let constants = toml::toml! { resolution = 16 };
    let problem = catalogue::build("1dcr", constants, "test").unwrap();
    let request = Request {
        inputs: 6,
        realizations: 5,
        seed: 1,
        precision: Precision::F64,
        force: false,
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
            train_across(ranks, &run, &dataset[0], &Device::flex(), &Silent)
        }));
        assert!(ends.windows(2).all(|pair| pair[0] == pair[1]));
        run.best().unwrap().regression
    });
    assert_eq!(fits[0], fits[1]);
}

/// A dataset and a flow trained on it for a moment.
fn trained(folder: &Path) -> (Dataset, RunFolder) {
    let data = folder.join("data.zarr");
    well(Threads::run(1, 2, |ranks| generated(ranks, &data, &Silent)));
    let dataset = Dataset::open(&data).unwrap();
    let config = TrainConfig {
        stopping: StoppingConfig {
            epochs: 1,
            ..Default::default()
        },
        resolution: Some(vec![16, 16]),
        ..settings()
    };
    let run = RunFolder::create(&folder.join("run"), &config).unwrap();
    well(Threads::run(1, 2, |ranks| {
        train_across(ranks, &run, &dataset, &Device::flex(), &Silent)
    }));
    (dataset, run)
}

/// Predicts three inputs with so many realizations, and stores them.
fn predicted(
    ranks: &dyn Ranks,
    (dataset, run): (&Dataset, &RunFolder),
    path: &Path,
    observer: &dyn Observer,
) -> Result<()> {
    let predictor = Predictor::load(run, &Device::flex())?;
    let cases = Cases::of(dataset)?;
    let wanted = Wanted {
        quantiles: vec![0.1, 0.9],
        ..Wanted::default()
    };
    let (inputs, realizations) = (1..4, 70);
    let plan = PredictionPlan {
        places: Places::Grid(cases.grid().clone()),
        quantities: predictor.header().quantities.solution.clone(),
        inputs: inputs.clone(),
        wanted: wanted.clone(),
        threshold_channels: Vec::new(),
        kept: 2,
        has_spread: true,
        has_parts: false,
        counts_draws: false,
        attributes: Map::new(),
    };
    let destination = Destination::new(path)?;
    let Some(writer) = destination.open_across(ranks, plan, false)? else {
        return Ok(());
    };
    let job = Job {
        predictor: &predictor,
        cases: &cases,
        inputs,
        interpolation: None,
        wanted: &wanted,
        kept: 2,
        sampling: Sampling {
            realizations,
            seed: 3,
            solver: OdeSolver::named("midpoint", Some(2))?,
        },
        standard_error: None,
    };
    let stored = job.store_across(ranks, &writer, observer)?;
    assert_eq!(
        stored.computed + stored.resumed_realizations + 70 * stored.resumed,
        3 * 70
    );
    destination.finish_across(ranks, writer)
}

#[test]
fn any_number_of_ranks_predicts_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let (dataset, run) = trained(folder.path());
    let mut first = None;
    for (size, threads) in CREWS {
        let path = folder.path().join(format!("{size}-{threads}.zarr"));
        well(Threads::run(size, threads, |ranks| {
            predicted(ranks, (&dataset, &run), &path, &Silent)
        }));
        let found = files(&path);
        assert_eq!(first.get_or_insert(found.clone()), &found, "{size} ranks");
    }
    let file = folder.path().join("out.npz");
    for size in [1, 3] {
        well(Threads::run(size, 1, |ranks| {
            predicted(ranks, (&dataset, &run), &file, &Silent)
        }));
        let bytes = fs::read(&file).unwrap();
        fs::rename(&file, folder.path().join(format!("{size}.npz"))).unwrap();
        assert_eq!(bytes, fs::read(folder.path().join("1.npz")).unwrap());
    }
}

#[test]
fn predictions_that_one_crew_left_are_finished_by_another() {
    let folder = tempfile::tempdir().unwrap();
    let (dataset, run) = trained(folder.path());
    let [whole, cut] = ["whole.zarr", "cut.zarr"].map(|name| folder.path().join(name));
    let crew = |size: usize, path: &Path, stop: &AtomicBool| {
        Threads::run(size, 1, |ranks| {
            let observer = Halfway {
                stop,
                seen: AtomicUsize::new(0),
            };
            predicted(ranks, (&dataset, &run), path, &observer)
        })
    };
    well(crew(1, &whole, &AtomicBool::new(false)));
    let ends = crew(4, &cut, &AtomicBool::new(true));
    assert!(
        ends.iter()
            .all(|end| matches!(end, Err(Error::Interrupted)))
    );
    well(crew(2, &cut, &AtomicBool::new(false)));
    assert_eq!(files(&cut), files(&whole));
}

/// Stops, if it is to stop at all, after being asked a few times.
struct Halfway<'a> {
    stop: &'a AtomicBool,
    seen: AtomicUsize,
}

impl Observer for Halfway<'_> {
    fn should_stop(&self) -> bool {
        self.stop.load(Ordering::SeqCst) && self.seen.fetch_add(1, Ordering::SeqCst) > 4
    }
}

#[test]
fn any_number_of_ranks_comes_to_the_same_scores() {
    let folder = tempfile::tempdir().unwrap();
    let (dataset, run) = trained(folder.path());
    let options = Options {
        sampling: Sampling {
            realizations: 8,
            seed: 2,
            solver: OdeSolver::named("midpoint", Some(2)).unwrap(),
        },
        inputs: Some(0..3),
        reference: 20,
        kriging: false,
        ..Options::default()
    };
    let mut first = None;
    for (size, threads) in CREWS {
        let ends = Threads::run(size, threads, |ranks| {
            let predictor = Predictor::load(&run, &Device::flex())?;
            evaluate_across(ranks, &predictor, &dataset, &options, &Silent)
        });
        for mut evaluation in well(ends) {
            evaluation.prediction.seconds = 0.0;
            assert_eq!(first.get_or_insert(evaluation.clone()), &evaluation);
        }
    }
}
