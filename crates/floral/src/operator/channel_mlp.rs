//! A two-layer perceptron over channels, the same at every point.

use burn::module::Module;
use burn::nn::Linear;
use burn::tensor::Tensor;
use floral_kernels::{Activation, pointwise_mlp};

use crate::operator::initial_values::InitialValues;
use crate::operator::kernel_layers::kernel_layers;

/// in -> hidden -> out with a GELU between.
#[derive(Module, Debug)]
pub struct ChannelMlp {
    pub hidden: Linear,
    pub output: Linear,
}

impl ChannelMlp {
    pub fn new(inputs: usize, hidden: usize, outputs: usize, values: &mut InitialValues) -> Self {
        Self {
            hidden: values.linear(inputs, hidden, true),
            output: values.linear(hidden, outputs, true),
        }
    }

    /// x: [batch, y, x, in] -> [batch, y, x, out].
    pub fn forward(&self, x: Tensor<4>) -> Tensor<4> {
        let layers = kernel_layers(&[&self.hidden, &self.output]);
        pointwise_mlp(x, &layers, Activation::Gelu)
    }
}
