//! One Fourier layer: global mixing in Fourier space, local mixing of channels, modulation.

use burn::module::{Module, Param};
use burn::nn::Linear;
use burn::tensor::Tensor;
use floral_kernels::{FourierBasis, Modulation};

use crate::operator::channel_mlp::ChannelMlp;
use crate::operator::film::Film;
use crate::operator::initial_values::InitialValues;
use crate::operator::spectral_conv::SpectralConv;

/// s = gelu(SpectralConv(x) + W x), y = gelu(MLP(s) + gate x), FiLM(y); no GELU in the last layer.
#[derive(Module, Debug)]
pub struct FourierLayer {
    pub spectral: SpectralConv,
    pub skip: Linear,
    pub mlp: ChannelMlp,
    pub gate: Param<Tensor<1>>,
    pub film: Film,
    #[module(skip)]
    last: bool,
}

impl FourierLayer {
    pub fn new(
        channels: usize,
        n_modes: [usize; 3],
        film_width: usize,
        last: bool,
        values: &mut InitialValues,
    ) -> Self {
        // Ties to even: Python's rounding, which determines the widths of the reference
        // implementation.
        let narrow = (channels as f64 / 2.0).round_ties_even().max(1.0) as usize;
        Self {
            spectral: SpectralConv::new(channels, channels, n_modes, values),
            skip: values.linear(channels, channels, false),
            mlp: ChannelMlp::new(channels, narrow, channels, values),
            gate: values.ones([channels]),
            film: Film::new(channels, film_width, channels, values),
            last,
        }
    }

    /// x: [batch, row, x, channel] -> same shape.
    pub fn forward(&self, x: Tensor<4>, basis: &FourierBasis, film: &Modulation) -> Tensor<4> {
        let [inner, outer] = self.mlp.kernel_layers();
        let layer = floral_kernels::FourierLayer {
            spectral: [self.spectral.weight_re.val(), self.spectral.weight_im.val()],
            bias: self.spectral.bias.val(),
            skip: self.skip.weight.val(),
            mlp: [inner, outer],
            gate: self.gate.val(),
            activated: !self.last,
        };
        layer.forward(x, basis, film)
    }
}
