//! The memory of training with given settings, and a refusal of what would take more than there is.

use super::TrainConfig;
use super::model::{backbone, check_modes};
use super::samples::Reader;
use crate::dataset::{Dataset, Split};
use crate::device::Device;
use crate::{Error, Result};
use floral_data::memory::{available, gigabytes};
use floral_flow::cost::{Load, Memory};
#[cfg(feature = "networks")]
use floral_networks::training::blocks::training_rows;

const BYTES: f64 = 4.0;

/// Refuses a training whose memory is estimated to exceed what is available; the data of a network
/// need not fit.
pub(super) fn check(config: &TrainConfig, memory: &Memory) -> Result<()> {
    let needed = match config.method.recipe() {
        Some(_) => memory.total(),
        None => memory.total() - memory.data,
    };
    match available() {
        Some(left) if needed > left as f64 => Err(Error::Memory {
            needed: gigabytes(needed),
            available: gigabytes(left as f64),
        }),
        _ => Ok(()),
    }
}

/// The memory of training with these settings; refused if their modes do not fit the grid.
pub(super) fn of_training(config: &TrainConfig, reader: &Reader) -> Result<Memory> {
    let dataset = &reader.dataset;
    let split = config.split_of(dataset.inputs())?;
    if config.method.recipe().is_some() {
        return Ok(of_fitting(&split, dataset));
    }
    let shapes = reader.shapes();
    check_modes(&config.network, &shapes)?;
    let network = backbone(config.method, &config.network, &shapes);
    let held = split.train.len() + split.validation.len();
    let channels = network.condition_channels() + dataset.realizations() * shapes.solution_channels;
    let load = Load {
        batch: config.optimiser.batch,
        inputs: split.train.len(),
        values: held * channels * shapes.grid.iter().product::<usize>(),
    };
    Ok(network.memory(&shapes.grid, &load))
}

/// Of fitting a regression, which holds all realizations in f64, the leading factors of each
/// input beside them.
fn of_fitting(split: &Split, dataset: &Dataset) -> Memory {
    let held = (split.train.len() + split.validation.len()) as f64;
    let solution = dataset.solution_channels().unwrap_or(0) * dataset.realizations();
    let channels = dataset.input_channels() + 2 * solution;
    Memory {
        parameters: 0.0,
        context: 0.0,
        activations: 0.0,
        data: 2.0 * BYTES * held * (channels * dataset.grid().len()) as f64,
    }
}

/// Samples of a block of training with these settings; none for a regression, which needs no device.
#[cfg(feature = "networks")]
pub(super) fn block_rows(config: &TrainConfig, reader: &Reader, device: &Device) -> Option<usize> {
    if config.method.recipe().is_some() {
        return None;
    }
    let shapes = reader.shapes();
    let network = backbone(config.method, &config.network, &shapes);
    let rows = training_rows(&network, &shapes.grid, device);
    Some(rows.min(config.optimiser.batch))
}

/// None: a build without networks has regressions alone.
#[cfg(not(feature = "networks"))]
pub(super) fn block_rows(_: &TrainConfig, _: &Reader, _: &Device) -> Option<usize> {
    None
}
