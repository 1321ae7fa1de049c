//! Attention over learned slices: points gather into a few tokens, which attend to each other.

use burn::module::Module;
use burn::nn::Linear;
use burn::tensor::Tensor;
use burn::tensor::activation::softmax;
use burn::tensor::module::linear;

use crate::operator::initial_values::InitialValues;

/// Added to the share of each slice, so that an empty slice does not cause a division by zero.
const LEAST_SHARE: f64 = 1e-6;

/// For each head, points i with quadrature weights omega_i (of sum one) and slices m:
///
/// s_im = softmax_m(A x_i),  z_m = sum_i omega_i s_im V x_i / sum_i omega_i s_im,
/// z' = softmax(Q z (K z)^T / sqrt(d)) U z,  y_i = W sum_m s_im z'_m.
///
/// Sums over points are quadratures: the order of points does not matter, and a point may be
/// replaced by two copies with half its weight. Wu, Luo, Wang, Wang & Long (2024), "Transolver: a
/// fast transformer solver for PDEs on general geometries", equations 2 to 4; there omega is one
/// and A includes a projection per head.
#[derive(Module, Debug)]
pub struct SliceAttention {
    pub assign: Linear,
    pub value: Linear,
    pub query: Linear,
    pub key: Linear,
    pub mix: Linear,
    pub output: Linear,
    #[module(skip)]
    heads: usize,
    #[module(skip)]
    slices: usize,
}

impl SliceAttention {
    pub fn new(channels: usize, heads: usize, slices: usize, values: &mut InitialValues) -> Self {
        let head = channels / heads;
        Self {
            assign: values.linear(channels, heads * slices, true),
            value: values.linear(channels, channels, true),
            query: values.linear(head, head, false),
            key: values.linear(head, head, false),
            mix: values.linear(head, head, false),
            output: values.linear(channels, channels, true),
            heads,
            slices,
        }
    }

    /// x: [batch, 1, point, channel], weights: [1, 1, point, 1] of sum one -> same shape as x.
    pub fn forward(&self, x: Tensor<4>, weights: &Tensor<4>) -> Tensor<4> {
        let [batch, _, points, channels] = x.dims();
        let head = channels / self.heads;
        let by_head = |y: Tensor<4>, width: usize| {
            y.reshape([batch, points, self.heads, width])
                .permute([0, 2, 1, 3])
        };
        let assigned = by_head(through(&self.assign, x.clone()), self.slices);
        let share = softmax(assigned, 3);
        let value = by_head(through(&self.value, x), head);
        let measure = (share.clone() * weights.clone()).permute([0, 1, 3, 2]);
        // [batch, head, slice, channel of a head]
        let size = measure.clone().sum_dim(3) + LEAST_SHARE;
        let token = measure.matmul(value) / size;
        let query = through(&self.query, token.clone());
        let key = through(&self.key, token.clone()).permute([0, 1, 3, 2]);
        let attention = softmax(query.matmul(key) / (head as f64).sqrt(), 3);
        let token = attention.matmul(through(&self.mix, token));
        let spread = share.matmul(token).permute([0, 2, 1, 3]);
        through(&self.output, spread.reshape([batch, 1, points, channels]))
    }
}

/// x W + b over the last dimension.
fn through(layer: &Linear, x: Tensor<4>) -> Tensor<4> {
    let bias = layer.bias.as_ref().map(|bias| bias.val());
    linear(x, layer.weight.val(), bias)
}
