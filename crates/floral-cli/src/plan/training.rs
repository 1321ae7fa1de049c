//! The size of a training, for a dataset or for given dimensions.

use anyhow::{Result, bail, ensure};
use floral::cost::memory::parameters;
use floral::cost::{Load, Memory, Step, StepCost, block_rows, step_blocks, training_flops};
use floral::dataset::Dataset;
use floral::device::Device;
use floral::grid::MOST_AXES;
use floral::network::FilmFnoConfig;
use floral::problem::Resolution;
use floral::train::TrainConfig;
use floral::train::batches::steps;
use floral::train::config::NetworkKind;
use floral::train::model::{Shapes, network_config};
use floral_bench::MeasuredNetwork;

use super::Arguments;
use crate::data;

/// Maximum number of points per axis in a timed run.
const MOST_TIMED: usize = 64;

/// Maximum number of grid points and of inputs: larger counts would lose digits.
const MOST_POINTS: usize = 1 << 32;

/// The size of a training.
pub(super) struct Training {
    pub config: TrainConfig,
    pub network: FilmFnoConfig,
    pub grid: Vec<usize>,
    pub inputs: usize,
    pub realizations: usize,
    pub step: Step,
    pub steps: usize,
    pub memory: Memory,
}

impl Training {
    pub fn of(arguments: &Arguments) -> Result<Self> {
        let config = arguments.settings()?;
        if config.method.recipe().is_some() {
            bail!(
                "{} is fitted in closed form on one rank, in seconds to minutes; plan a network instead \
                 (fno, residual-fno, flora or floral), as in --set method=floral",
                config.method
            );
        }
        ensure!(
            config.network.kind == NetworkKind::Fno,
            "only networks of Fourier layers can be planned; leave out network.kind"
        );
        let (shapes, inputs, realizations) = match &arguments.data {
            Some(path) => of_dataset(&config, &data::open(path)?)?,
            None => arguments.sizes(),
        };
        let shape = &shapes.grid;
        ensure!(
            (1..=MOST_AXES).contains(&shape.len()) && shape.iter().all(|&n| n > 1) && inputs > 0,
            "a plan needs a grid of one to three axes, such as 128, 64x64 or 32x32x32, and at least one input"
        );
        ensure!(
            shape.iter().product::<usize>() <= MOST_POINTS && inputs <= MOST_POINTS,
            "at most {MOST_POINTS} points and inputs can be planned"
        );
        let network = network_config(config.method, &config.network, &shapes);
        Ok(Self::new(
            config,
            network,
            shapes.grid,
            inputs,
            realizations,
        ))
    }

    fn new(
        config: TrainConfig,
        network: FilmFnoConfig,
        grid: Vec<usize>,
        inputs: usize,
        realizations: usize,
    ) -> Self {
        let samples = inputs * realizations;
        let batch = config.optimiser.batch.clamp(1, samples.max(1));
        let channels = network.condition_channels + realizations * network.output_channels;
        let points: usize = grid.iter().product();
        let load = Load {
            batch,
            inputs,
            values: inputs * channels * points,
        };
        Self {
            step: Step {
                flops: training_flops(&network, &grid, batch, inputs.min(batch)),
                blocks: step_blocks(batch, points, block_rows(points)),
                weights: parameters(&network),
            },
            steps: steps(samples, batch),
            memory: Memory::of_training(&network, &grid, &load),
            config,
            network,
            grid,
            inputs,
            realizations,
        }
    }

    /// The network that is timed in its place: the same width, on a grid that takes little time.
    pub fn typical(&self, device: Device) -> MeasuredNetwork {
        let grid = self.grid.iter().map(|&n| n.min(MOST_TIMED)).collect();
        MeasuredNetwork {
            hidden: self.network.hidden_channels,
            inputs: 2,
            device,
            ..MeasuredNetwork::new(grid, 8)
        }
    }

    pub fn epochs(&self) -> usize {
        self.config.stopping.epochs
    }

    /// Seconds of all epochs, if training does not stop early.
    pub fn seconds(&self, row: &StepCost) -> f64 {
        row.seconds() * (self.steps * self.epochs()) as f64
    }
}

impl Arguments {
    /// The sizes given by options in place of a dataset.
    fn sizes(&self) -> (Shapes, usize, usize) {
        let grid = match &self.grid {
            Some(Resolution::PerAxis(list)) => list.clone(),
            Some(Resolution::Uniform(n)) => vec![*n],
            None => Vec::new(),
        };
        let shapes = Shapes {
            input_channels: 1,
            solution_channels: 1,
            grid,
            coordinates: None,
        };
        (shapes, self.inputs.unwrap_or(0), self.realizations.max(1))
    }
}

fn of_dataset(config: &TrainConfig, dataset: &Dataset) -> Result<(Shapes, usize, usize)> {
    let split = config
        .clone()
        .for_inputs(dataset.inputs())
        .split_of(dataset.inputs())?;
    let shapes = Shapes {
        input_channels: dataset.input_channels(),
        solution_channels: dataset.solution_channels().unwrap_or(1),
        grid: dataset.grid().shape(),
        coordinates: None,
    };
    Ok((shapes, split.train.len(), dataset.realizations().max(1)))
}
