//! Velocities of a batch whose context is prepared: the repeated work of an integrator.

use burn::tensor::{Tensor, TensorData};

use super::MeasuredNetwork;
use floral::Result;
use floral::device::read;
use floral::operator::Context;
use floral::train::Model;
use floral::train::model::fields;

/// A batch of states of one input.
pub struct VelocityBatch {
    model: Model,
    context: Context,
    states: Tensor<4>,
    times: Tensor<1>,
}

impl VelocityBatch {
    /// Draws weights, condition and states.
    pub fn new(case: &MeasuredNetwork) -> Result<Self> {
        let device = &case.device;
        let model = case.model(device)?;
        let channels = model.condition_channels();
        let condition = fields(case.values(channels, 0), channels, &case.grid, device);
        let times = TensorData::new(case.times(), [case.batch]);
        Ok(Self {
            context: model.network.condition(condition, &case.grid)?,
            states: fields(case.values(case.batch, 1), 1, &case.grid, device),
            times: Tensor::from_data(times, device),
            model,
        })
    }

    /// The velocity of every state, [batch, channel, y, x].
    pub fn run(&self) -> Result<Vec<f32>> {
        let (states, times) = (self.states.clone(), self.times.clone());
        let velocity = self.model.network.velocity(states, times, &self.context)?;
        read(velocity)
    }

    /// The network that is evaluated.
    pub fn model(&self) -> &Model {
        &self.model
    }
}
