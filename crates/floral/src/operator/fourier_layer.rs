//! One Fourier layer: global mixing in Fourier space, local mixing of channels, modulation.

use burn::module::{Module, Param};
use burn::nn::Linear;
use burn::tensor::Tensor;
use floral_kernels::gelu;

use crate::operator::channel_mlp::ChannelMlp;
use crate::operator::film::{Film, Modulation};
use crate::operator::fourier_basis::FourierBasis;
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
        n_modes: [usize; 2],
        film_width: usize,
        last: bool,
        values: &mut InitialValues,
    ) -> Self {
        // Python's rounding, which the reference's widths went through.
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

    /// x: [batch, y, x, channel] -> same shape.
    pub fn forward(
        &self,
        x: Tensor<4>,
        basis: &FourierBasis,
        modulation: &Modulation,
    ) -> Tensor<4> {
        let mixed = self.spectral.forward(x.clone(), basis) + self.skip.forward(x.clone());
        let mixed = self.activate(mixed);
        let y = self.mlp.forward(mixed) + x * self.gate.val().unsqueeze();
        modulation.apply(self.activate(y))
    }

    fn activate(&self, x: Tensor<4>) -> Tensor<4> {
        if self.last { x } else { gelu(x) }
    }
}
