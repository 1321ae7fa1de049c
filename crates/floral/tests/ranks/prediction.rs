//! Prediction and evaluation by several ranks.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use floral::dataset::Dataset;
use floral::device::Device;
use floral::evaluate::{Options, evaluate_across};
use floral::predict::interest::{Asked, InterestPlan, Interests};
use floral::predict::{
    Cases, Destination, Job, Places, PredictionPlan, PredictionSession, Predictor, Sampling,
};
use floral::ranks::{Ranks, Threads};
use floral::sample::{OdeSolver, Wanted};
use floral::train::config::StoppingConfig;
use floral::train::{RunFolder, TrainConfig, Training};
use floral::{Error, Event, Observer, Result, Silent};
use serde_json::Map;
use zarrs::array::Array;
use zarrs::filesystem::FilesystemStore;

use super::{CREWS, files, generated, settings, well};

/// A dataset and a flow trained on it for a few steps.
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
        Training::of(ranks, &run, &dataset, &Silent)?.run(&Device::flex(), &Silent)
    }));
    (dataset, run)
}

/// Predicts three inputs with this number of realizations, and stores them.
fn predicted(
    ranks: &dyn Ranks,
    (dataset, run): (&Dataset, &RunFolder),
    (path, shard): (&Path, usize),
    observer: &dyn Observer,
) -> Result<()> {
    let predictor = Predictor::load(run, &Device::flex())?;
    let cases = Cases::of(dataset)?;
    let wanted = Wanted {
        quantiles: vec![0.1, 0.9],
        ..Wanted::default()
    };
    let (inputs, realizations) = (1..4, 70);
    let asked = Asked {
        quantities: vec!["peak = max(u)".into(), "total = integral(u)".into()],
        thresholds: vec!["peak: 1".into()],
    };
    let interests = Interests::of_cases(&asked, predictor.header(), &cases)?;
    let interests = interests.expect("two quantities are asked for");
    let plan = PredictionPlan {
        places: Places::Grid(cases.grid().clone()),
        quantities: predictor.header().quantities.solution.clone(),
        inputs: inputs.clone(),
        wanted: wanted.clone(),
        threshold_channels: Vec::new(),
        kept: 2,
        has_spread: true,
        moments: predictor.moment_source(),
        counts_draws: false,
        shard,
        outside: Vec::new(),
        interests: InterestPlan::of(&interests, realizations, true),
        attributes: Map::new(),
    };
    let destination = Destination::new(path)?;
    let Some(writer) = destination.open_across(ranks, plan, false)? else {
        return Ok(());
    };
    let job = Job {
        session: &PredictionSession::of(&predictor, cases, inputs),
        interpolation: None,
        wanted: &wanted,
        kept: 2,
        sampling: Sampling {
            realizations,
            seed: 3,
            solver: OdeSolver::named("midpoint", Some(2))?,
        },
        standard_error: None,
        interests: Some(&interests),
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
    for shard in [1, 2] {
        let mut first = None;
        for (size, threads) in CREWS {
            let path = folder.path().join(format!("{shard}-{size}-{threads}.zarr"));
            well(Threads::run(size, threads, |ranks| {
                predicted(ranks, (&dataset, &run), (&path, shard), &Silent)
            }));
            let found = files(&path);
            assert_eq!(first.get_or_insert(found.clone()), &found, "{size} ranks");
        }
    }
    let file = folder.path().join("out.npz");
    for size in [1, 3] {
        well(Threads::run(size, 1, |ranks| {
            predicted(ranks, (&dataset, &run), (&file, 1), &Silent)
        }));
        let bytes = fs::read(&file).unwrap();
        fs::rename(&file, folder.path().join(format!("{size}.npz"))).unwrap();
        assert_eq!(bytes, fs::read(folder.path().join("1.npz")).unwrap());
    }
    let ends = Threads::run(1, 1, |ranks| {
        predicted(ranks, (&dataset, &run), (&file, 2), &Silent)
    });
    let refusal = ends[0].as_ref().unwrap_err().to_string();
    assert!(refusal.contains("is a single file"), "{refusal}");
}

#[test]
fn shards_of_predictions_hold_the_same_values_in_fewer_files() {
    let folder = tempfile::tempdir().unwrap();
    let (dataset, run) = trained(folder.path());
    let [plain, sharded] = [1, 2].map(|shard| {
        let path = folder.path().join(format!("{shard}.zarr"));
        well(Threads::run(1, 2, |ranks| {
            predicted(ranks, (&dataset, &run), (&path, shard), &Silent)
        }));
        path
    });
    let values = |path: &Path, name: &str| -> Vec<f32> {
        let store = Arc::new(FilesystemStore::new(path).unwrap());
        let array = Array::open(store, &format!("/{name}")).unwrap();
        array.retrieve_array_subset(&array.subset_all()).unwrap()
    };
    for name in ["mean", "variance", "std", "quantiles", "realizations"] {
        assert_eq!(values(&sharded, name), values(&plain, name), "{name}");
        let chunks = |path: &Path| fs::read_dir(path.join(name)).unwrap().count() - 1;
        assert_eq!((chunks(&plain), chunks(&sharded)), (3, 2), "{name}");
    }
}

#[test]
fn predictions_that_one_crew_left_are_finished_by_another() {
    let folder = tempfile::tempdir().unwrap();
    let (dataset, run) = trained(folder.path());
    for shard in [1, 2] {
        let named = |name: &str| folder.path().join(format!("{name}-{shard}.zarr"));
        let [whole, cut] = ["whole", "cut"].map(named);
        let crew = |size: usize, path: &Path, stop: &AtomicBool| {
            Threads::run(size, 1, |ranks| {
                let observer = Halfway {
                    stop,
                    seen: AtomicUsize::new(0),
                };
                predicted(ranks, (&dataset, &run), (path, shard), &observer)
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
}

/// If prediction is interrupted at the second input, the shard of the first two inputs is not
/// written yet; still, the first input is not computed again.
#[test]
fn realizations_wait_on_the_disk_until_their_shard_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let (dataset, run) = trained(folder.path());
    let path = folder.path().join("cut.zarr");
    let observer = SecondInput(AtomicBool::new(false));
    let ends = Threads::run(1, 1, |ranks| {
        predicted(ranks, (&dataset, &run), (&path, 2), &observer)
    });
    assert!(matches!(ends[0], Err(Error::Interrupted)));
    let partial = folder.path().join("cut.zarr.partial");
    assert!(partial.join("pending/0/0.block").exists());
    assert_eq!(fs::read_dir(partial.join("store/mean")).unwrap().count(), 0);
    well(Threads::run(1, 1, |ranks| {
        predicted(ranks, (&dataset, &run), (&path, 2), &Silent)
    }));
}

/// Requests a stop once the second input has started.
struct SecondInput(AtomicBool);

impl Observer for SecondInput {
    fn observe(&self, event: &Event<'_>) {
        if let Event::Prediction { done: 1, .. } = event {
            self.0.store(true, Ordering::SeqCst);
        }
    }

    fn should_stop(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// If `stop` is set, requests a stop after a few queries.
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
