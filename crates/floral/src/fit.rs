//! From a dataset to a model that predicts in one call.

use std::path::Path;

use crate::Result;
use crate::dataset::Dataset;
use crate::device::Device;
use crate::observer::Observer;
use crate::predict::Predictor;
use crate::ranks::Alone;
use crate::storage::refuse_overwriting;
use crate::train::{Opening, TrainConfig, Training};

/// Trains a run in a folder and loads what it has learned. A folder that holds the run already is gone
/// on with, or only loaded if it is finished; one with other settings is refused. Low fidelity that
/// the dataset lacks is computed first, if the settings name a command or the dataset has a solver.
///
/// ```
/// use floral::prelude::*;
///
/// # let folder = tempfile::tempdir().unwrap();
/// # let dataset = floral::example(folder.path())?;
/// let model = fit(&dataset, folder.path().join("run"), &TrainConfig::default(), &Silent)?;
/// assert_eq!(model.method(), Method::FloralKl);
/// # Ok::<(), floral::Error>(())
/// ```
pub fn fit(
    dataset: &Dataset,
    folder: impl AsRef<Path>,
    settings: &TrainConfig,
    observer: &dyn Observer,
) -> Result<Predictor> {
    refuse_overwriting(folder.as_ref(), [dataset.path()])?;
    let (alone, opening, device) = (Alone::default(), Opening::default(), Device::flex());
    let training = Training::open(
        &alone,
        dataset,
        folder.as_ref(),
        settings,
        opening,
        observer,
    )?;
    training.run(&device, observer)?;
    Predictor::load(training.folder(), &device)
}
