//! `fit`: from a dataset to a trained model in one call.

use std::path::Path;

use crate::Result;
use crate::dataset::Dataset;
use crate::device::Device;
use crate::observer::Observer;
use crate::predict::Predictor;
use crate::ranks::Alone;
use crate::storage::refuse_overwriting;
use crate::train::{Opening, TrainConfig, Training};

/// Trains a model on a dataset in a run folder and returns it, ready to predict.
///
/// If the folder already holds a run with these settings, training continues from its last
/// checkpoint; a finished run is only loaded. A run with other settings is refused. Missing low
/// fidelity is computed first, by the command in the settings or by the dataset's own solver.
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
