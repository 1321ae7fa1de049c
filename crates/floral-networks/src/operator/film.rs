//! Feature-wise linear modulation: a condition scales and shifts features, point by point.

use burn::module::Module;
use burn::nn::Linear;
use burn::tensor::Tensor;
use floral_kernels::{Activation, Modulation, pointwise_mlp};

use crate::operator::initial_values::InitialValues;
use crate::operator::kernel_layer::kernel_layer;

const HIDDEN_LAYERS: usize = 3;

/// FiLM(x; c) = x (1 + g) + b with (g, b) = MLP(c).
///
/// Perez et al. (2018), "FiLM: visual reasoning with a general conditioning layer".
#[derive(Module, Debug)]
pub struct Film {
    pub layers: Vec<Linear>,
}

impl Film {
    /// `width` is the width of the hidden layers, `features` the number of modulated channels.
    pub fn new(
        condition: usize,
        width: usize,
        features: usize,
        values: &mut InitialValues,
    ) -> Self {
        let mut widths = vec![condition];
        widths.extend([width; HIDDEN_LAYERS]);
        widths.push(2 * features);
        let layers = widths.windows(2).map(|w| values.linear(w[0], w[1], true));
        Self {
            layers: layers.collect(),
        }
    }

    /// condition: [row, y, x, channel] -> the modulation of each row.
    pub fn modulation(&self, condition: Tensor<4>) -> Modulation {
        let layers: Vec<_> = self.layers.iter().map(kernel_layer).collect();
        Modulation::new(pointwise_mlp(condition, &layers, Activation::Silu))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn::module::{ModuleMapper, Param};
    use burn::tensor::Device;

    struct Zero;

    impl ModuleMapper for Zero {
        fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
            param.map(|tensor| tensor.zeros_like())
        }
    }

    #[test]
    fn zero_film_is_the_identity() {
        let device = Device::flex();
        let values = &mut InitialValues::new(1, &device);
        let film = Film::new(2, 5, 3, values).map(&mut Zero);
        let x = values.normal([2, 4, 5, 3], 1.0).val();
        let condition = values.normal([2, 4, 5, 2], 1.0).val();
        let y = film.modulation(condition).apply(x.clone());
        y.into_data().assert_eq(&x.into_data(), true);
    }
}
