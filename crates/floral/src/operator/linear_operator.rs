//! The linear part of the velocity: FiLM(L[w]), linear in w for a given condition.

use burn::module::Module;
use burn::nn::Linear;
use burn::tensor::Tensor;

use crate::operator::film::{Film, Modulation};
use crate::operator::fourier_basis::FourierBasis;
use crate::operator::initial_values::InitialValues;
use crate::operator::spectral_conv::SpectralConv;

/// L[w] = SpectralConv(w) + W w + bias, modulated by the raw condition channels.
#[derive(Module, Debug)]
pub struct LinearOperator {
    pub spectral: SpectralConv,
    pub pointwise: Linear,
    pub film: Film,
}

impl LinearOperator {
    pub fn new(
        inputs: usize,
        outputs: usize,
        n_modes: [usize; 2],
        film: Film,
        values: &mut InitialValues,
    ) -> Self {
        Self {
            spectral: SpectralConv::new(inputs, outputs, n_modes, values),
            pointwise: values.linear(inputs, outputs, true),
            film,
        }
    }

    /// w: [batch, y, x, in] -> [batch, y, x, out].
    pub fn forward(
        &self,
        w: Tensor<4>,
        basis: &FourierBasis,
        modulation: &Modulation,
    ) -> Tensor<4> {
        let linear = self.spectral.forward(w.clone(), basis) + self.pointwise.forward(w);
        modulation.apply(linear)
    }
}
