//! The best network of a run, ready to predict.

use burn::tensor::Device;

use super::{InputPredictor, checks};
use crate::operator::{Weight, with_weights};
use crate::train::{Checkpoint, Header, Method, Model, RunFolder};
use crate::{Checksum, Field, Grid, Result};

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
        Self::from_checkpoint(run.best()?, device)
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

    /// A checksum of all that predictions depend on besides their input.
    pub fn checksum(&self) -> Checksum {
        self.checksum
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
    weights.iter().fold(Checksum::default(), |sum, weight| {
        let values = weight.values.iter();
        let bytes: Vec<u8> = values.flat_map(|value| value.to_le_bytes()).collect();
        sum.bytes(weight.name.as_bytes()).bytes(&bytes)
    })
}
