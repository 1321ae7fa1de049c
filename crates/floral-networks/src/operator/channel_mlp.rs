//! A two-layer perceptron over channels, the same at every point.

use burn::module::Module;
use burn::nn::Linear;
use burn::tensor::Tensor;
use floral_kernels::{Activation, Layer, pointwise_mlp, shifted_mlp};

use crate::operator::initial_values::InitialValues;
use crate::operator::kernel_layer::kernel_layer;

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
        pointwise_mlp(x, &self.kernel_layers(), Activation::Gelu)
    }

    /// The same with some inputs constant over the grid, which act as a bias.
    ///
    /// x: [batch, y, x, channel], constant: [batch, channel], inserted after the first `position`
    /// channels of x -> [batch, y, x, out].
    pub fn forward_with(&self, x: Tensor<4>, constant: Tensor<2>, position: usize) -> Tensor<4> {
        let [first, second] = self.kernel_layers();
        let [inputs, _] = first.weight.dims();
        let after = position + constant.dims()[1];
        let rows = |start, end: usize| first.weight.clone().narrow(0, start, end - start);
        let shift = constant.matmul(rows(position, after));
        let first = Layer {
            weight: Tensor::cat(vec![rows(0, position), rows(after, inputs)], 0),
            bias: first.bias.clone(),
        };
        shifted_mlp(x, shift, &[first, second], Activation::Gelu)
    }

    /// The parameters in the form that the kernels take.
    pub fn kernel_layers(&self) -> [Layer; 2] {
        [&self.hidden, &self.output].map(kernel_layer)
    }
}
