//! A two-layer perceptron over channels, the same at every point.

use burn::module::Module;
use burn::nn::Linear;
use burn::tensor::Tensor;
use burn::tensor::activation::gelu;

use crate::operator::initial_values::InitialValues;

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
        self.output.forward(gelu(self.hidden.forward(x)))
    }
}
