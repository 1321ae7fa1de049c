//! Memory that training with given settings needs; training is refused if it exceeds what is
//! available.

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

/// Refuses a training whose estimated memory exceeds what is available. The data of a network need
/// not fit, as they can be read from disk.
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

/// Estimated memory of training with these settings; refuses Fourier modes that do not match the
/// grid.
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

/// Estimated memory of fitting a regression, which holds all realizations in f64 together with the
/// leading factors of each input.
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

/// Number of samples that a network computes together in training; `None` for a regression.
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

/// Always `None`: a build without networks has only regressions.
#[cfg(not(feature = "networks"))]
pub(super) fn block_rows(_: &TrainConfig, _: &Reader, _: &Device) -> Option<usize> {
    None
}
