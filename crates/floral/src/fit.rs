//! From a dataset to a model that predicts in one call.

use std::path::Path;

use crate::Result;
use crate::dataset::Dataset;
use crate::device::Device;
use crate::observer::Observer;
use crate::predict::Predictor;
use crate::storage::refuse_overwriting;
use crate::train::{self, RunFolder, TrainConfig};

/// Trains a run in a folder and loads what it has learned. A folder that holds the run already is gone
/// on with, or only loaded if it is finished; one with other settings is refused. Low fidelity that
/// the dataset lacks is computed first, if the settings name a command or the dataset has a solver.
pub fn fit(
    dataset: &Dataset,
    folder: impl AsRef<Path>,
    settings: &TrainConfig,
    observer: &dyn Observer,
) -> Result<Predictor> {
    refuse_overwriting(folder.as_ref(), [dataset.path()])?;
    let settings = &settings.clone().for_inputs(dataset.inputs());
    let dataset = &train::supplied(settings, dataset, folder.as_ref(), observer)?;
    train::check(settings, dataset)?;
    let run = RunFolder::create_or_continue(folder.as_ref(), settings)?;
    let device = Device::flex();
    train::train(&run, dataset, &device, observer)?;
    Predictor::load(&run, &device)
}
