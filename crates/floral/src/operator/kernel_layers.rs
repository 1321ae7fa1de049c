//! The parameters of Burn's linear layers, as the fused perceptron takes them.

use burn::nn::Linear;
use burn::tensor::Tensor;
use floral_kernels::Layer;

/// Weights and biases in order; an absent bias is zero.
pub fn kernel_layers(layers: &[&Linear]) -> Vec<Layer> {
    let layer = |linear: &&Linear| {
        let weight = linear.weight.val();
        let bias = match &linear.bias {
            Some(bias) => bias.val(),
            None => Tensor::zeros([weight.dims()[1]], &weight.device()),
        };
        Layer { weight, bias }
    };
    layers.iter().map(layer).collect()
}
