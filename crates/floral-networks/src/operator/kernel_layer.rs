//! The parameters of one of Burn's linear layers, in the form that the fused perceptron takes.

use burn::nn::Linear;
use burn::tensor::Tensor;
use floral_kernels::Layer;

/// Weight and bias; an absent bias is zero.
pub fn kernel_layer(linear: &Linear) -> Layer {
    let weight = linear.weight.val();
    let bias = match &linear.bias {
        Some(bias) => bias.val(),
        None => Tensor::zeros([weight.dims()[1]], &weight.device()),
    };
    Layer { weight, bias }
}
