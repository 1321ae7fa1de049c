//! The best network of a run, ready to predict.

use burn::tensor::Device;

use super::{Case, Ensemble, InputPredictor, Sampling, checks};
use crate::observer::Observer;
use crate::operator::time_embedding::frequencies;
use crate::operator::{Weight, with_weights};
use crate::sample::{Aliasing, OdeSolver};
use crate::train::{Checkpoint, Header, Method, Model, RunFolder};
use crate::{Checksum, Error, Field, Grid, Result};

/// A trained network with its scales, its prior and its grid.
#[derive(Debug)]
pub struct Predictor {
    pub(super) header: Header,
    pub(super) model: Model,
    pub(super) device: Device,
    checksum: Checksum,
}

impl Predictor {
    /// The best checkpoint of a run.
    pub fn load(run: &RunFolder, device: &Device) -> Result<Self> {
        Self::from_checkpoint(run.best()?, device).map_err(Error::in_file(run.best_path()))
    }

    /// The network of a checkpoint.
    pub fn from_checkpoint(checkpoint: Checkpoint, device: &Device) -> Result<Self> {
        let Checkpoint {
            header, weights, ..
        } = checkpoint;
        let config = &header.config;
        let shapes = header.shapes.clone();
        let checksum = checksum(&weights);
        let mut model = Model::new(config.method, &config.network, shapes, 0, device)?;
        model.network = with_weights(model.network, weights)?;
        Ok(Self {
            header,
            model,
            device: device.clone(),
            checksum,
        })
    }

    /// All that the checkpoint says besides its arrays.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The method it was trained by.
    pub fn method(&self) -> Method {
        self.header.config.method
    }

    /// Refuses an input that cannot be predicted, and says why.
    pub fn check(&self, input: &Field, low: Option<&Field>, grid: &Grid) -> Result<()> {
        checks::check(&self.header, input, low, grid)
    }

    /// Whether the equal steps of a solver would mistake a wave of time that the network is fed with.
    pub fn aliasing(&self, solver: &OdeSolver) -> Option<Aliasing> {
        let waves = frequencies().map(f64::from);
        solver
            .aliasing(&waves)
            .filter(|_| self.method().is_generative())
    }

    /// A checksum of all that predictions depend on besides their input.
    pub fn checksum(&self) -> Checksum {
        self.checksum
    }

    /// The grid that it was trained on.
    pub fn grid(&self) -> &Grid {
        &self.header.grid
    }

    /// Realizations of one input's solution on a grid, all in memory.
    ///
    /// `index` tells inputs apart, so that each has priors of its own; the same index and seed give
    /// the same realizations.
    pub fn sample(
        &self,
        case: &Case,
        index: u64,
        grid: &Grid,
        sampling: &Sampling,
        observer: &dyn Observer,
    ) -> Result<Ensemble> {
        let predicted = self.for_input(&case.input, case.low.as_ref(), grid)?;
        let mut values = Vec::new();
        predicted.deliver(index, sampling, observer, |_, realization| {
            values.extend_from_slice(realization);
            Ok(())
        })?;
        Ensemble::new(grid.clone(), self.header.shapes.solution_channels, values)
    }

    /// Derives all that depends on one input alone.
    ///
    /// The grid may be coarser or finer than the training grid; input and low-fidelity solution,
    /// which only residual methods look at, live on it.
    pub fn for_input(
        &self,
        input: &Field,
        low: Option<&Field>,
        grid: &Grid,
    ) -> Result<InputPredictor<'_>> {
        InputPredictor::new(self, input, low, grid)
    }
}

fn checksum(weights: &[Weight]) -> Checksum {
    // A file gives its arrays in any order.
    let mut weights: Vec<&Weight> = weights.iter().collect();
    weights.sort_by(|a, b| a.name.cmp(&b.name));
    let values = weights.iter().flat_map(|weight| &weight.values);
    values.fold(Checksum::default(), |sum, value| {
        sum.bytes(&value.to_le_bytes())
    })
}
