//! The network as a velocity field for blocks with a fixed number of rows.

use burn::tensor::{Device, Tensor, TensorData};

use crate::Result;
use crate::device::read;
use crate::operator::Context;
use crate::sample::Velocity;
use crate::train::Model;
use crate::train::model::fields;

/// A network and the context of one input, shared by all rows.
pub(super) struct NetworkVelocity<'a> {
    pub model: &'a Model,
    pub context: &'a Context,
    pub shape: &'a [usize],
    /// Rows per block.
    pub rows: usize,
    pub device: &'a Device,
}

impl NetworkVelocity<'_> {
    fn points(&self) -> usize {
        self.shape.iter().product()
    }
}

impl Velocity<f32> for NetworkVelocity<'_> {
    fn rows(&self) -> usize {
        self.rows
    }

    fn row_len(&self) -> usize {
        self.model.shapes.solution_channels * self.points()
    }

    fn evaluate(&self, times: &[f32], states: &[f32], out: &mut [f32]) -> Result<()> {
        let channels = self.model.shapes.solution_channels;
        let w = fields(states.to_vec(), channels, self.shape, self.device);
        let tau = TensorData::new(times.to_vec(), [times.len()]);
        let tau = Tensor::from_data(tau, self.device);
        let velocity = self.model.network.velocity(w, tau, self.context)?;
        for (out, value) in out.iter_mut().zip(read(velocity)?) {
            *out = value;
        }
        Ok(())
    }
}
