//! A dataset and runs small enough to be made in a moment.

use floral::Silent;
use floral::dataset::{Dataset, Precision, Request, SplitConfig, generate};
use floral::device::Device;
use floral::problem::catalogue;
use floral::train::config::{NetworkConfig, OptimiserConfig, StoppingConfig};
use floral::train::{Method, RunFolder, TrainConfig, train};
use tempfile::TempDir;

/// A curve dataset of 16 points, two inputs of which are for testing, and room for runs.
pub struct Play {
    folder: TempDir,
    pub dataset: Dataset,
}

pub fn play() -> Play {
    let folder = tempfile::tempdir().unwrap();
    let constants = toml::toml! { resolution = 16 };
    let problem = catalogue::build("1dcr", constants, "test").unwrap();
    let request = Request {
        inputs: 5,
        realizations: 6,
        seed: 3,
        precision: Precision::F32,
        force: false,
    };
    let path = folder.path().join("curve.zarr");
    generate(problem.as_ref(), &request, &path, &Silent).unwrap();
    let dataset = Dataset::open(&path).unwrap();
    Play { folder, dataset }
}

impl Play {
    /// Trains a tiny network for a few steps.
    pub fn run(&self, method: Method) -> RunFolder {
        let mut config = TrainConfig {
            method,
            split: SplitConfig {
                test: 2,
                validation: 1,
                train: None,
            },
            optimiser: OptimiserConfig {
                batch: 4,
                ..Default::default()
            },
            ..Default::default()
        };
        config.network = NetworkConfig {
            hidden_channels: 4,
            layers: 2,
            film_channels: 4,
            n_modes: None,
        };
        config.stopping = StoppingConfig {
            epochs: 2,
            ..Default::default()
        };
        let path = self.folder.path().join(method.name());
        let run = RunFolder::create(&path, &config).unwrap();
        train(&run, &self.dataset, &Device::flex(), &Silent).unwrap();
        run
    }
}
