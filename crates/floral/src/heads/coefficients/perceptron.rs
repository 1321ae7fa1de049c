//! The perceptron: the velocity of a point of the flow at an angle, given components of the input.

use std::f64::consts::FRAC_PI_2;

use burn::module::{Module, Param};
use burn::nn::Linear;
use burn::tensor::{Device, Tensor, TensorData};
use floral_kernels::{Activation, Layer, pointwise_mlp};
use rand::RngExt;

use super::march::Dense;
use crate::random::{Purpose, Stream, stream};

/// Width of the hidden layers.
const HIDDEN: usize = 64;

/// Hidden layers.
const LAYERS: usize = 3;

/// Numbers that tell the angle.
pub(super) const ANGLES: usize = 4;

/// An angle between 0, where points are normal, and pi/2, where they are data.
pub(super) fn embedded(angle: f64) -> [f32; ANGLES] {
    let turn = 2.0 * angle;
    let fine = 4.0 * angle;
    [turn.cos(), turn.sin(), fine.cos(), fine.sin()].map(|v| v as f32)
}

/// The angle at this share of the way.
pub(super) fn angle(share: f64) -> f64 {
    FRAC_PI_2 * share
}

/// Layers with SiLU between. The last starts at zero, and the flow that stands still is Gaussian.
#[derive(Module, Debug)]
pub(super) struct Perceptron {
    layers: Vec<Linear>,
}

impl Perceptron {
    /// From point, angle and components to the velocity of the point.
    pub(super) fn new(dimension: usize, components: usize, seed: u64, device: &Device) -> Self {
        let mut widths = vec![dimension + ANGLES + components];
        widths.extend([HIDDEN; LAYERS]);
        widths.push(dimension);
        let rng = &mut stream(seed, Purpose::InitialValues, 0, 1);
        let last = widths.len() - 2;
        let layer = |(i, pair): (usize, &[usize])| {
            let bound = if i == last {
                0.0
            } else {
                (pair[0] as f64).sqrt().recip()
            };
            linear([pair[0], pair[1]], bound, rng, device)
        };
        Self {
            layers: widths.windows(2).enumerate().map(layer).collect(),
        }
    }

    /// x: [row, input] -> velocities, [row, dimension].
    pub(super) fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        let layer = |linear: &Linear| {
            let bias = linear
                .bias
                .as_ref()
                .expect("every layer is made with a bias");
            Layer {
                weight: linear.weight.val(),
                bias: bias.val(),
            }
        };
        let layers: Vec<Layer> = self.layers.iter().map(layer).collect();
        pointwise_mlp(x, &layers, Activation::Silu)
    }

    /// The layers as plain arrays.
    pub(super) fn dense(&self) -> Vec<Dense> {
        let values = |data: TensorData| data.iter::<f32>().collect();
        let layer = |linear: &Linear| Dense {
            weight: values(linear.weight.val().into_data()),
            bias: linear
                .bias
                .iter()
                .flat_map(|b| values(b.val().into_data()))
                .collect(),
        };
        self.layers.iter().map(layer).collect()
    }
}

fn linear([inputs, outputs]: [usize; 2], bound: f64, rng: &mut Stream, device: &Device) -> Linear {
    let mut draw = |count: usize| -> Vec<f32> {
        let value = |_| bound * rng.random_range(-1.0..1.0);
        (0..count).map(value).map(|v| v as f32).collect()
    };
    let weight = TensorData::new(draw(inputs * outputs), [inputs, outputs]);
    let bias = TensorData::new(draw(outputs), [outputs]);
    Linear {
        weight: Param::from_data(weight, device),
        bias: Some(Param::from_data(bias, device)),
    }
}
