//! A training from start to end: checks of the settings, distribution over ranks, outcome.

use std::path::Path;
use std::sync::Arc;

use super::config::Rows;
use super::regression::{self, fit_run, fitted_before};
use super::samples::Reader;
#[cfg(feature = "networks")]
use super::trainer::Trainer;
use super::{RunFolder, TrainConfig, learned_low, memory};
use crate::dataset::Dataset;
use crate::device::Device;
use crate::flow::{Correlations, PriorConfig};
use crate::observer::Observer;
use crate::ranks::{Alone, Ranks, agreed, first_then_others};
use crate::{Error, Result};
use floral_flow::cost::Memory;

/// Why training ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Outcome {
    /// All epochs were run.
    AllEpochs,
    /// The validation loss did not improve for `patience` epochs.
    NoImprovement {
        /// Epoch with the best validation loss.
        best_epoch: usize,
    },
    /// A regression was fitted, which has no epochs.
    Fitted,
}

/// Options for opening a training, besides its settings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Opening {
    /// Continue the run in the folder with the settings stored there; the folder must hold a run.
    pub resume: bool,
    /// Replace the prior's kernel family and length by values estimated from the training data.
    pub fit_prior: bool,
    /// Train even if the estimated memory exceeds what is available.
    pub ignore_memory: bool,
}

/// A training that is ready to run: its low fidelity is computed, its settings are checked against
/// the dataset, and its run folder exists.
///
/// The command, the Python package and [`fit`](crate::fit) open a training and run it. The result
/// does not depend on the number of ranks, to the bit: ranks share the samples of every step of a
/// network; rank 0 fits regressions, and only rank 0 writes.
pub struct Training<'a> {
    pub(super) ranks: &'a dyn Ranks,
    pub(super) run: RunFolder,
    pub(super) config: TrainConfig,
    pub(super) reader: Arc<Reader>,
    pub(super) memory: Memory,
}

impl<'a> Training<'a> {
    /// Opens a training in a folder, either a new run or the continuation of the run there. All
    /// checks happen before anything is written to the folder.
    pub fn open(
        ranks: &'a dyn Ranks,
        dataset: &Dataset,
        folder: &Path,
        settings: &TrainConfig,
        opening: Opening,
        observer: &dyn Observer,
    ) -> Result<Self> {
        let mut config = settings.clone().for_inputs(dataset.inputs());
        let reader = supplied(ranks, &config, dataset, folder, observer)?;
        let memory = memory::of_training(&config, &reader)?;
        let first = || {
            if opening.fit_prior {
                config.prior = fitted_prior(&config, &reader)?;
            }
            check_fit(&config, &reader)?;
            if !opening.ignore_memory {
                memory::check(&config, &memory)?;
            }
            match opening.resume {
                true => RunFolder::open(folder),
                false => RunFolder::create_or_continue(folder, &config),
            }
        };
        let first = ranks.is_first().then(first).transpose();
        let run = match agreed(ranks, first, &mut || {})? {
            Some(run) => run,
            None => RunFolder::open(folder)?,
        };
        Ok(Self {
            ranks,
            config: run.config()?.for_inputs(dataset.inputs()),
            run,
            reader,
            memory,
        })
    }

    /// Opens the training of an existing run folder with its own settings.
    pub fn of(
        ranks: &'a dyn Ranks,
        run: &RunFolder,
        dataset: &Dataset,
        observer: &dyn Observer,
    ) -> Result<Self> {
        let config = run.config()?.for_inputs(dataset.inputs());
        let reader = supplied(ranks, &config, dataset, run.path(), observer)?;
        Ok(Self {
            ranks,
            memory: memory::of_training(&config, &reader)?,
            run: run.clone(),
            config,
            reader,
        })
    }

    /// The settings, with the split completed for the dataset.
    pub fn config(&self) -> &TrainConfig {
        &self.config
    }

    /// The dataset, with all the low fidelity that training needs.
    pub fn dataset(&self) -> &Dataset {
        &self.reader.dataset
    }

    /// The run folder.
    pub fn folder(&self) -> &RunFolder {
        &self.run
    }

    /// Number of samples that a network computes together; `None` for a regression.
    pub fn block_rows(&self, device: &Device) -> Option<usize> {
        memory::block_rows(&self.config, &self.reader, device)
    }

    /// Size in bytes of the samples of a network if they do not fit in memory and are therefore
    /// kept in a file in the run folder; `None` otherwise.
    pub fn bytes_on_disk(&self) -> Option<f64> {
        let is_network = self.config.recipe().is_none();
        (is_network && !self.memory.has_room_for_data()).then_some(self.memory.data)
    }

    /// Trains to the end, starting from the last checkpoint if there is one.
    pub fn run(&self, device: &Device, observer: &dyn Observer) -> Result<Outcome> {
        let Some(recipe) = self.config.recipe() else {
            return self.run_network(device, observer);
        };
        let fit = || fit_run(&self.run, &self.config, &self.reader, recipe, observer);
        let fitted = self.ranks.is_first().then(fit).transpose();
        match agreed(self.ranks, fitted, &mut || {})? {
            Some(outcome) => Ok(outcome),
            None => fitted_before(&self.run),
        }
    }

    #[cfg(feature = "networks")]
    fn run_network(&self, device: &Device, observer: &dyn Observer) -> Result<Outcome> {
        Trainer::new(self, device)?.run(observer)
    }

    #[cfg(not(feature = "networks"))]
    fn run_network(&self, _device: &Device, _observer: &dyn Observer) -> Result<Outcome> {
        self.config.method.check_build().map(|()| Outcome::Fitted)
    }
}

/// Trains a run to its end, starting from its last checkpoint if there is one. Load the result with
/// [`Predictor::load`](crate::predict::Predictor::load).
///
/// ```
/// use floral::prelude::*;
///
/// # let folder = tempfile::tempdir().unwrap();
/// # let dataset = floral::example(folder.path())?;
/// let settings = TrainConfig { method: Method::Kriging, ..TrainConfig::default() };
/// let run = RunFolder::create(&folder.path().join("run"), &settings)?;
/// let device = floral::device::Device::flex();
/// train(&run, &dataset, &device, &Silent)?;
/// let model = Predictor::load(&run, &device)?;
/// assert_eq!(model.method(), Method::Kriging);
/// # Ok::<(), floral::Error>(())
/// ```
pub fn train(
    run: &RunFolder,
    dataset: &Dataset,
    device: &Device,
    observer: &dyn Observer,
) -> Result<Outcome> {
    Training::of(&Alone::default(), run, dataset, observer)?.run(device, observer)
}

/// The reader of a dataset for these settings, with all the low fidelity that training needs
/// computed.
fn supplied(
    ranks: &dyn Ranks,
    config: &TrainConfig,
    dataset: &Dataset,
    folder: &Path,
    observer: &dyn Observer,
) -> Result<Arc<Reader>> {
    config.method.check_build()?;
    let supply = || learned_low::supplied(config, dataset, folder, observer);
    let dataset = first_then_others(ranks, supply)?;
    let reader = agreed(ranks, Reader::new(&dataset, config), &mut || {})?;
    Ok(Arc::new(reader))
}

/// Refuses settings that do not suit a dataset; creates no run.
pub fn check(config: &TrainConfig, dataset: &Dataset) -> Result<()> {
    config.method.check_build()?;
    let reader = Reader::new(dataset, config)?;
    memory::of_training(config, &reader)?;
    check_fit(config, &reader)
}

fn check_fit(config: &TrainConfig, reader: &Reader) -> Result<()> {
    let split = config.split_of(reader.dataset.inputs())?;
    reader.check_values(split.validation.start..split.train.end)?;
    if config.method.recipe().is_some() {
        return regression::symmetries(config, &reader.dataset).map(drop);
    }
    reader.prior(&config.prior).map(drop)
}

/// The prior of these settings, with kernel family and length fitted to the scaled targets of the
/// training inputs.
fn fitted_prior(config: &TrainConfig, reader: &Reader) -> Result<PriorConfig> {
    if !config.method.is_flow() {
        return Err(Error::config(
            format!("method {}", config.method),
            "it starts from no prior; choose the method flora or floral",
        ));
    }
    if reader.grid().mesh().is_some() {
        return Err(Error::config(
            "--fit-prior",
            "it compares neighbours along axes, and these fields live on a mesh; give prior.kernel \
                     and prior.length",
        ));
    }
    let split = config.split_of(reader.dataset.inputs())?;
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
