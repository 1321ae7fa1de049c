//! A dataset and a network small enough to be trained in a moment.

use tempfile::TempDir;

use super::Predictor;
use crate::Silent;
use crate::dataset::{Dataset, Request, SplitConfig, generate};
use crate::operator::Device;
use crate::problem::catalogue;
use crate::sample::OdeSolver;
use crate::train::config::{NetworkConfig, OptimiserConfig, StoppingConfig};
use crate::train::{Method, RunFolder, TrainConfig, train};
use crate::{Field, Grid};

/// A folder with a one-dimensional dataset of 16 points, in which runs are trained.
pub(crate) struct Play {
    pub folder: TempDir,
    pub dataset: Dataset,
}

pub(crate) fn play() -> Play {
    let folder = tempfile::tempdir().unwrap();
    let constants = toml::toml! { resolution = 16 };
    let problem = catalogue::build("1dcr", constants, "test").unwrap();
    let request = Request::new(5, 6, 3);
    let path = folder.path().join("curve.zarr");
    generate(problem.as_ref(), &request, &path, &Silent).unwrap();
    let dataset = Dataset::open(&path).unwrap();
    Play { folder, dataset }
}

impl Play {
    /// Settings of a tiny network and a few steps.
    pub fn config(method: Method) -> TrainConfig {
        TrainConfig {
            method,
            split: SplitConfig::new(2, 1, None),
            network: NetworkConfig {
                hidden_channels: 4,
                layers: 2,
                film_channels: 4,
                ..NetworkConfig::default()
            },
            optimiser: OptimiserConfig {
                batch: 4,
                ..Default::default()
            },
            stopping: StoppingConfig {
                epochs: 2,
                ..Default::default()
            },
            ..Default::default()
        }
    }

    /// Trains a tiny network for a few steps.
    pub fn run(&self, method: Method) -> RunFolder {
        self.run_at(method, None)
    }

    fn run_at(&self, method: Method, resolution: Option<Vec<usize>>) -> RunFolder {
        let path = self.folder.path().join(method.name());
        let config = TrainConfig {
            resolution,
            ..Self::config(method)
        };
        let run = RunFolder::create(&path, &config).unwrap();
        train(&run, &self.dataset, &Device::flex(), &Silent).unwrap();
        run
    }

    /// The predictor of a network trained on this number of points.
    pub fn predictor_at(&self, method: Method, points: usize) -> Predictor {
        let run = self.run_at(method, Some(vec![points]));
        Predictor::load(&run, &Device::flex()).unwrap()
    }

    pub fn predictor(&self, method: Method) -> Predictor {
        Predictor::load(&self.run(method), &Device::flex()).unwrap()
    }

    /// Realizations of the first input.
    pub fn sampled(
        &self,
        predictor: &Predictor,
        realizations: usize,
        solver: OdeSolver,
    ) -> Vec<Vec<f64>> {
        let (input, low) = (self.dataset.input(0).unwrap(), self.dataset.low(0).unwrap());
        let case = (&input, Some(&low), self.dataset.grid());
        self.sampled_on(predictor, case, realizations, solver)
    }

    /// Realizations of an input on its own grid.
    pub fn sampled_on(
        &self,
        predictor: &Predictor,
        (input, low, grid): (&Field, Option<&Field>, &Grid),
        realizations: usize,
        solver: OdeSolver,
    ) -> Vec<Vec<f64>> {
        let input = predictor.for_input(input, low, grid).unwrap();
        let sampling = super::Sampling {
            realizations,
            seed: 1,
            solver,
        };
        let mut all = Vec::new();
        let keep = |j: usize, values: &[f64]| {
            assert_eq!(j, all.len());
            all.push(values.to_vec());
            Ok(())
        };
        let progress = input.deliver(0, &sampling, &Silent, keep).unwrap();
        assert!(progress.evaluations >= progress.done);
        all
    }
}
