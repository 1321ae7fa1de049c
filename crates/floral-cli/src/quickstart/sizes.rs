//! The sizes of a quickstart.

use floral::Result;
use floral::dataset::{Request, SplitConfig};
use floral::evaluate;
use floral::predict::Sampling;
use floral::problem::{Resolution, residual1d::Residual1d, residual1d::Residual1dConfig};
use floral::sample::OdeSolver;
use floral::train::config::{NetworkConfig, OptimiserConfig, StoppingConfig};
use floral::train::{Method, TrainConfig};
use floral_report::report::Options;

/// The methods shown: ours, and the two of the paper that learn the residual.
#[cfg(feature = "networks")]
pub const METHODS: [Method; 4] = [
    Method::ResidualFno,
    Method::Floral,
    Method::Kriging,
    Method::FloralKl,
];

/// The methods of a build without networks.
#[cfg(not(feature = "networks"))]
pub const METHODS: [Method; 2] = [Method::Kriging, Method::FloralKl];

/// Everything that determines the result.
#[derive(Debug, Clone, PartialEq)]
pub struct QuickstartSizes {
    /// The seed of data, training and priors.
    pub seed: u64,
    /// Grid points.
    pub points: usize,
    /// Inputs for testing, validation and training.
    pub inputs: [usize; 3],
    /// Realizations per input of the dataset.
    pub realizations: usize,
    /// Channels of the network between its layers.
    pub width: usize,
    /// Epochs of training.
    pub epochs: usize,
    /// Realizations per test input that generative methods predict.
    pub predicted: usize,
    /// Equal midpoint steps from prior to solution.
    pub steps: usize,
}

impl QuickstartSizes {
    /// Takes about a minute on two cores.
    pub fn small(seed: u64) -> Self {
        Self {
            seed,
            points: 64,
            inputs: [15, 5, 20],
            realizations: 50,
            width: 32,
            epochs: 65,
            predicted: 400,
            steps: 11,
        }
    }

    /// Takes seconds: every step runs, but nothing is learned.
    pub fn tiny(seed: u64) -> Self {
        Self {
            seed,
            points: 16,
            inputs: [2, 1, 2],
            realizations: 4,
            width: 4,
            epochs: 2,
            predicted: 8,
            steps: 2,
        }
    }

    /// The problem.
    pub(super) fn problem(&self) -> Result<Residual1d> {
        Residual1d::new(Residual1dConfig {
            resolution: Resolution::Uniform(self.points),
            ..Default::default()
        })
    }

    /// The dataset.
    pub(super) fn request(&self) -> Request {
        Request::new(self.inputs.iter().sum(), self.realizations, self.seed)
    }

    /// The training of a method. A short training needs a large initial learning rate and a fast
    /// decay.
    pub fn training(&self, method: Method) -> TrainConfig {
        let [test, validation, train] = self.inputs;
        let settings = TrainConfig {
            method: Method::Floral,
            seed: self.seed,
            split: SplitConfig::new(test, validation, Some(train)),
            network: NetworkConfig {
                hidden_channels: self.width,
                film_channels: self.width,
                ..Default::default()
            },
            optimiser: OptimiserConfig {
                learning_rate: 2e-3,
                decay: 0.95,
                decay_every: 1,
                ..Default::default()
            },
            stopping: StoppingConfig {
                epochs: self.epochs,
                // A regression converges within half of the epochs.
                patience: 20,
                ..Default::default()
            },
            ..Default::default()
        };
        settings.for_method(method)
    }

    /// The settings of networks as a file, to which a command adds the method.
    pub fn settings(&self) -> String {
        self.training(Method::Floral).to_toml()
    }

    /// How methods are compared.
    pub(super) fn report(&self) -> Options {
        Options {
            evaluation: evaluate::Options {
                sampling: Sampling {
                    realizations: self.predicted,
                    seed: self.seed,
                    solver: self.solver(),
                },
                ..evaluate::Options::default()
            },
            build: crate::provenance::build(),
            ..Options::default()
        }
    }

    /// The integrator from prior to solution.
    fn solver(&self) -> OdeSolver {
        OdeSolver::named("midpoint", Some(self.steps.max(1)))
            .expect("a method that exists, with at least one step")
    }
}
