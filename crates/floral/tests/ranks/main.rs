//! Several ranks give the same bytes as one: datasets, weights, predictions, scores.
#![allow(clippy::unwrap_used)] // A test may panic.

mod data;
mod learning;
mod prediction;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use floral::dataset::{Outcome, Request, SplitConfig, generate_across};
use floral::problem::catalogue;
use floral::ranks::Ranks;
use floral::train::config::{NetworkConfig, OptimiserConfig, StoppingConfig};
use floral::train::{Method, TrainConfig};
use floral::{Event, Observer, Result};

/// Numbers of ranks, and of threads per rank.
const CREWS: [(usize, usize); 6] = [(1, 1), (1, 3), (2, 1), (3, 2), (4, 1), (8, 1)];

/// Every file below a folder, by its relative path.
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

/// Generates seven inputs on 64x64 points, large enough for a training step to have several blocks.
fn generated(ranks: &dyn Ranks, path: &Path, observer: &dyn Observer) -> Result<Outcome> {
    generated_in_shards(ranks, (path, 1), observer)
}

/// Generates the same dataset with this number of inputs per shard.
fn generated_in_shards(
    ranks: &dyn Ranks,
    (path, shard): (&Path, usize),
    observer: &dyn Observer,
) -> Result<Outcome> {
    let constants = toml::toml! { resolution = 64 };
    let problem = catalogue::build("advection", constants, "test")?;
    let request = Request {
        shard,
        ..Request::new(7, 8, 5)
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
            ..NetworkConfig::default()
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

/// Stops its rank once this number of inputs or steps is done by any rank.
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
