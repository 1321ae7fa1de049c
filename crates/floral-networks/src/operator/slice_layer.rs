//! One layer of the network of points: attention over slices, a perceptron, modulation.

use burn::module::{Module, Param};
use burn::tensor::Tensor;
use floral_kernels::Modulation;

use crate::operator::channel_mlp::ChannelMlp;
use crate::operator::film::Film;
use crate::operator::initial_values::InitialValues;
use crate::operator::slice_attention::SliceAttention;
use floral_flow::network::SlicesConfig;

/// Keeps the normalisation of a zero vector from dividing by zero.
const LEAST_SQUARE: f64 = 1e-6;

/// y = x + Attention(norm x), z = y + MLP(norm y), FiLM(z).
#[derive(Module, Debug)]
pub struct SliceLayer {
    pub before_attention: Param<Tensor<1>>,
    pub attention: SliceAttention,
    pub before_mlp: Param<Tensor<1>>,
    pub mlp: ChannelMlp,
    pub film: Film,
}

impl SliceLayer {
    pub fn new(sizes: &SlicesConfig, values: &mut InitialValues) -> Self {
        let channels = sizes.hidden_channels;
        Self {
            before_attention: values.ones([channels]),
            attention: SliceAttention::new(channels, sizes.heads, sizes.slices, values),
            before_mlp: values.ones([channels]),
            mlp: ChannelMlp::new(channels, 2 * channels, channels, values),
            film: Film::new(channels, sizes.film_channels, channels, values),
        }
    }

    /// x: [batch, 1, point, channel], weights: [1, 1, point, 1] -> same shape as x.
    pub fn forward(&self, x: Tensor<4>, weights: &Tensor<4>, film: &Modulation) -> Tensor<4> {
        let normed = norm(x.clone(), &self.before_attention);
        let y = x + self.attention.forward(normed, weights);
        let z = y.clone() + self.mlp.forward(norm(y, &self.before_mlp));
        film.apply(z)
    }
}

/// x / sqrt(mean x^2) times a gain for each channel, point by point.
///
/// Zhang & Sennrich (2019), "Root mean square layer normalization".
fn norm(x: Tensor<4>, gain: &Param<Tensor<1>>) -> Tensor<4> {
    let square = x.clone().square().mean_dim(3) + LEAST_SQUARE;
    x / square.sqrt() * gain.val().unsqueeze()
}
