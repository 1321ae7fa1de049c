//! The linear part of the velocity: FiLM(L[w]), linear in w for a given condition.

use burn::module::{Module, Param};
use burn::nn::Linear;
use burn::tensor::Tensor;
use burn::tensor::module::linear;
use floral_kernels::{FourierBasis, Layer, Modulation, spectral_convolution};

use crate::operator::film::Film;
use crate::operator::initial_values::InitialValues;
use crate::operator::kernel_layer::kernel_layer;
use crate::operator::spectral_conv::SpectralConv;

/// L[w] = SpectralConv(w) + W w + bias, modulated by the raw condition channels.
#[derive(Module, Debug)]
pub struct LinearOperator {
    pub spectral: SpectralConv,
    pub pointwise: Linear,
    pub film: Film,
    /// Index of the zero frequency among those along z and y.
    #[module(skip)]
    zero: usize,
}

impl LinearOperator {
    pub fn new(
        inputs: usize,
        outputs: usize,
        n_modes: [usize; 3],
        film: Film,
        values: &mut InitialValues,
    ) -> Self {
        Self {
            spectral: SpectralConv::new(inputs, outputs, n_modes, values),
            pointwise: values.linear(inputs, outputs, true),
            film,
            zero: n_modes[0] / 2 * n_modes[1] + n_modes[1] / 2,
        }
    }

    /// w: [batch, row, x, channel], time: [batch, channel] if the network has it
    /// -> [batch, row, x, out].
    ///
    /// Time is constant over the grid, so that its convolution is a product with the weights of the
    /// zero frequency.
    pub fn forward(
        &self,
        w: Tensor<4>,
        time: Option<Tensor<2>>,
        basis: &FourierBasis,
        modulation: &Modulation,
    ) -> Tensor<4> {
        let channels = w.dims()[3];
        let Layer { weight, bias } = kernel_layer(&self.pointwise);
        let [re, im] = [&self.spectral.weight_re, &self.spectral.weight_im].map(Param::val);
        let of_w = [re.clone(), im].map(|part| part.narrow(2, 0, channels));
        let local = linear(w.clone(), weight.clone().narrow(0, 0, channels), None);
        let mut constant: Tensor<4> = (bias + self.spectral.bias.val()).unsqueeze();
        if let Some(time) = time {
            let zero: Tensor<2> = re
                .slice([self.zero..self.zero + 1, 0..1])
                .squeeze_dims(&[0, 1]);
            let of_time = (zero + weight).narrow(0, channels, time.dims()[1]);
            let of_time: Tensor<4> = time.matmul(of_time).unsqueeze_dims(&[1, 2]);
            constant = constant + of_time;
        }
        modulation.apply(spectral_convolution(w, of_w, basis) + local + constant)
    }
}
