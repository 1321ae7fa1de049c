//! A training from its settings to its end: what is refused before, who does it, what it comes to.

use super::config::Rows;
use super::model::{Shapes, check_modes};
use super::regression::{self, fit_run, fitted_before};
use super::samples::Reader;
#[cfg(feature = "networks")]
use super::trainer::Trainer;
use super::{RunFolder, TrainConfig, supplied};
use crate::dataset::Dataset;
use crate::device::Device;
use crate::flow::{Correlations, PriorConfig};
use crate::observer::Observer;
use crate::ranks::{Alone, Ranks, agreed, first_then_others};
use crate::{Error, Result};

/// Why training ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Outcome {
    /// All epochs were run.
    AllEpochs,
    /// The validation loss had not improved for too long.
    NoImprovement {
        /// The epoch of the best loss.
        best_epoch: usize,
    },
    /// A regression is fitted; there are no epochs.
    Fitted,
}

/// Trains a run to its end, from its last checkpoint if it has one.
pub fn train(
    run: &RunFolder,
    dataset: &Dataset,
    device: &Device,
    observer: &dyn Observer,
) -> Result<Outcome> {
    train_across(&Alone::default(), run, dataset, device, observer)
}

/// The same by several ranks, to the same bits: they share the samples of every step of a network.
/// Regressions are fitted by rank 0, for which the others wait. Rank 0 alone writes.
pub fn train_across(
    ranks: &dyn Ranks,
    run: &RunFolder,
    dataset: &Dataset,
    device: &Device,
    observer: &dyn Observer,
) -> Result<Outcome> {
    let config = run.config()?;
    config.method.check_build()?;
    let supply = || supplied(&config, dataset, run.path(), observer);
    let dataset = &first_then_others(ranks, supply)?;
    match config.recipe() {
        Some(recipe) => {
            let fit = || fit_run(run, dataset, recipe, observer);
            let fitted = ranks.is_first().then(fit).transpose();
            match agreed(ranks, fitted, &mut || {})? {
                Some(outcome) => Ok(outcome),
                None => fitted_before(run),
            }
        }
        #[cfg(feature = "networks")]
        None => Trainer::new(ranks, run, dataset, device)?.run(observer),
        #[cfg(not(feature = "networks"))]
        None => {
            let _ = device;
            config.method.check_build().map(|()| Outcome::Fitted)
        }
    }
}

/// Refuses settings that do not fit a dataset, before anything is written.
pub fn check(config: &TrainConfig, dataset: &Dataset) -> Result<()> {
    config.method.check_build()?;
    let split = config.split_of(dataset.inputs())?;
    let reader = Reader::new(dataset, config)?;
    reader.check_values(split.validation.start..split.train.end)?;
    if config.method.recipe().is_some() {
        return regression::symmetries(config, dataset).map(drop);
    }
    check_modes(&config.network, &shapes(&reader, dataset))?;
    reader.prior(&config.prior).map(drop)
}

/// The prior of these settings, with family and length fitted to what the training inputs have to be
/// learned of.
pub fn fitted_prior(config: &TrainConfig, dataset: &Dataset) -> Result<PriorConfig> {
    if !config.method.is_flow() {
        return Err(Error::Config {
            context: format!("method {}", config.method),
            reason: "it starts from no prior; choose the method flora or floral".into(),
        });
    }
    let split = config.split_of(dataset.inputs())?;
    let reader = Reader::new(dataset, config)?;
    let scaling = reader.scaling(split.train.clone())?;
    let mut correlations = Correlations::new(&reader.grid());
    for input in split.train {
        let samples = reader.samples(input..input + 1, Rows::Realizations, &scaling)?;
        for sample in 0..samples.len() {
            correlations.push(&samples.target_of(sample)?);
        }
    }
    correlations.prior(&config.prior)
}

pub(super) fn shapes(reader: &Reader, dataset: &Dataset) -> Shapes {
    Shapes {
        input_channels: dataset.input_channels(),
        solution_channels: dataset.solution_channels().unwrap_or(0),
        grid: reader.grid().shape(),
    }
}
