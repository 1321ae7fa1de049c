//! Convolution by multiplication in Fourier space: one complex matrix per kept frequency.

use burn::module::{Module, Param};
use burn::tensor::Tensor;

use crate::operator::initial_values::InitialValues;

/// v(x) = F^-1[ R(k) F[x](k) ] + bias, over the kept frequencies k.
///
/// Li et al. (2021), "Fourier neural operator for parametric partial differential equations".
#[derive(Module, Debug)]
pub struct SpectralConv {
    /// Real and imaginary part of R: [modes z times modes y, modes x, in, out]; frequencies along z
    /// and y ascend from -n/2.
    pub weight_re: Param<Tensor<4>>,
    pub weight_im: Param<Tensor<4>>,
    pub bias: Param<Tensor<1>>,
}

impl SpectralConv {
    pub fn new(
        inputs: usize,
        outputs: usize,
        [modes_z, modes_y, modes_x]: [usize; 3],
        values: &mut InitialValues,
    ) -> Self {
        let shape = [modes_z * modes_y, modes_x / 2 + 1, inputs, outputs];
        let variance = 2.0 / (inputs + outputs) as f64;
        Self {
            weight_re: values.normal(shape, variance / 2.0),
            weight_im: values.normal(shape, variance / 2.0),
            bias: values.normal([outputs], variance),
        }
    }
}
