//! Tests of training on the problem 1DCR, whose mean and variance are known; few samples suffice.

mod learning;
mod loss;
mod reading;

use tempfile::TempDir;

use super::config::{NetworkConfig, OptimiserConfig, StoppingConfig};
use super::model::Shapes;
use super::{Method, Outcome, RunFolder, TrainConfig, train};
use crate::Silent;
use crate::dataset::{Dataset, Request, SplitConfig, generate};
use crate::operator::Device;
use crate::problem::{ExactMoments, Problem, catalogue};
use crate::random::{Purpose, Stream, stream};

const POINTS: usize = 32;
const TEST_INPUTS: usize = 3;
const REALIZATIONS: usize = 256;

/// The problem 1DCR on few points.
struct Line {
    folder: TempDir,
    problem: Box<dyn Problem>,
    dataset: Dataset,
}

impl Line {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let constants = toml::toml! { resolution = 32 };
        let problem = catalogue::build("1dcr", constants, "test").unwrap();
        let request = Request::new(20, 16, 1);
        let path = folder.path().join("line.zarr");
        generate(problem.as_ref(), &request, &path, &Silent).unwrap();
        Self {
            folder,
            problem,
            dataset: Dataset::open(&path).unwrap(),
        }
    }

    fn config(method: Method, epochs: usize) -> TrainConfig {
        TrainConfig {
            method,
            split: SplitConfig::new(TEST_INPUTS, 2, None),
            network: NetworkConfig {
                hidden_channels: 16,
                layers: 2,
                film_channels: 16,
                ..NetworkConfig::default()
            },
            optimiser: OptimiserConfig {
                batch: 16,
                learning_rate: 4e-3,
                decay: 0.93,
                decay_every: 1,
                ..Default::default()
            },
            stopping: StoppingConfig {
                epochs,
                ..Default::default()
            },
            ..Default::default()
        }
    }

    fn trained(&self, config: &TrainConfig) -> (RunFolder, Outcome) {
        let name = format!("{}-{}", config.method, config.stopping.least_improvement);
        let run = RunFolder::create(&self.folder.path().join(name), config).unwrap();
        let outcome = train(&run, &self.dataset, &Device::flex(), &Silent).unwrap();
        (run, outcome)
    }

    fn truth(&self, input: usize) -> ExactMoments {
        let input = self.dataset.input(input).unwrap();
        self.problem.exact_moments(&input).unwrap().unwrap()
    }
}

/// Shapes of the data of its networks.
fn shapes() -> Shapes {
    Shapes {
        input_channels: 1,
        solution_channels: 1,
        grid: vec![POINTS],
        coordinates: None,
    }
}

fn draws(sample: usize) -> Stream {
    stream(8, Purpose::Path, 0, sample as u64)
}
