//! New inputs of commands: a dataset, a NumPy archive, or a file that is imported first.

use std::ops::Range;
use std::path::Path;

use anyhow::Result;
use floral::device::Device;
use floral::predict::{Cases, NewInputs, PredictionOpening, PredictionSession, Predictor, is_npz};
use floral::problem::Resolution;
use floral::train::RunFolder;

use crate::{data, low, output};

/// Loads a run that predicts on the CPU, and prints its notes.
pub fn loaded(run: &Path) -> Result<Predictor> {
    let predictor = Predictor::load(&RunFolder::open(run)?, &Device::flex())?;
    output::notes(&predictor.header().notes());
    Ok(predictor)
}

/// The options about new inputs, besides their file.
#[derive(Clone, Copy)]
pub struct Given<'a> {
    /// The run folder or model file.
    pub run: &'a Path,
    /// How missing low fidelity is computed.
    pub low: &'a low::Arguments,
    /// Indices of the inputs to take; `None` means all.
    pub inputs: Option<&'a Range<usize>>,
    /// Points per axis of the predictions.
    pub resolution: Option<&'a Resolution>,
}

impl Given<'_> {
    /// Opens a file of inputs for a run.
    pub fn open<'p>(&self, predictor: &'p Predictor, path: &Path) -> Result<PredictionSession<'p>> {
        let (cases, inputs) = self.cases(predictor, path)?;
        Ok(PredictionSession::of(predictor, cases, inputs))
    }

    /// The inputs alone, without a session.
    pub fn cases(
        &self,
        predictor: &Predictor,
        path: &Path,
    ) -> Result<(Cases<'static>, Range<usize>)> {
        let opening = self.opening(predictor, path)?;
        let file = match is_npz(path) {
            true => path.to_owned(),
            false => data::dataset(path)?,
        };
        Ok(NewInputs::File(&file).open(predictor, opening)?)
    }

    /// How to open inputs; `name` is their name in messages.
    pub fn opening(&self, predictor: &Predictor, name: &Path) -> Result<PredictionOpening<'_>> {
        Ok(PredictionOpening {
            resolution: self.resolution,
            solver: self.low.solver(predictor, self.run, name)?,
            inputs: self.inputs.cloned(),
        })
    }
}
