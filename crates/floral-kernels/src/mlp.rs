//! A perceptron over channels, the same at every point, that never stores its wide layers.

use burn::backend::autodiff::checkpoint::{base::Checkpointer, strategy::CheckpointStrategy};
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::flex::FlexTensor;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Backend, Dispatch, Flex, backend_extension};
use burn::tensor::Tensor;
use burn::tensor::module::linear;
use rayon::prelude::*;

use crate::activation::Activation;
use crate::buffer::zeros;
use crate::flex;
use crate::mlp_tile::{Perceptron, Scratch, TILE};

/// An affine map of channels, x W + b.
#[derive(Debug, Clone)]
pub struct Layer {
    /// W: [in, out].
    pub weight: Tensor<2>,
    /// b: \[out\].
    pub bias: Tensor<1>,
}

/// Layers with activations in between. x: [.., in] -> [.., out].
///
/// The forward pass keeps only x; the backward pass recomputes the hidden layers.
///
/// # Panics
/// If the channels of x and the layers do not match, like a matrix product.
pub fn pointwise_mlp<const D: usize>(
    x: Tensor<D>,
    layers: &[Layer],
    activation: Activation,
) -> Tensor<D> {
    let Some(perceptron) = Perceptron::new(&x, layers, activation) else {
        return composed(x, layers, activation);
    };
    // All points belong to one sample, whose shift is zero.
    let shift = Tensor::zeros([1, perceptron.first_width()], &x.device().inner());
    fused(x, layers, shift, perceptron)
}

/// The same with an additional bias of the first layer for each sample. An input that is constant
/// over a sample's grid acts as such a bias, and need not be stored at every point.
///
/// x: [batch, .., in], shift: [batch, width of the first layer] -> [batch, .., out].
///
/// # Panics
/// If the channels of x, the shift and the layers do not match, like a matrix product.
pub fn shifted_mlp<const D: usize>(
    x: Tensor<D>,
    shift: Tensor<2>,
    layers: &[Layer],
    activation: Activation,
) -> Tensor<D> {
    match Perceptron::new(&x, layers, activation) {
        Some(perceptron)
            if shift.dims() == [x.dims()[0], perceptron.first_width()] && x.dims()[0] > 0 =>
        {
            fused(x, layers, shift, perceptron)
        }
        _ => composed_shifted(x, shift, layers, activation),
    }
}

fn fused<const D: usize>(
    x: Tensor<D>,
    layers: &[Layer],
    shift: Tensor<2>,
    perceptron: Perceptron,
) -> Tensor<D> {
    let parameters = layers.iter().flat_map(|layer| {
        let weight: Tensor<1> = layer.weight.clone().flatten(0, 1);
        [weight, layer.bias.clone()]
    });
    let parameters = Tensor::cat(parameters.collect(), 0);
    Tensor::from_dispatch(<Dispatch as MlpKernel>::mlp(
        x.into_dispatch(),
        parameters.into_dispatch(),
        shift.into_dispatch(),
        perceptron,
    ))
}

impl Perceptron {
    /// The perceptron; none if the kernel does not apply: another backend or type, or sizes that do
    /// not match.
    fn new<const D: usize>(
        x: &Tensor<D>,
        layers: &[Layer],
        activation: Activation,
    ) -> Option<Self> {
        let mut widths = vec![layers.first()?.weight.dims()[0]];
        widths.extend(layers.iter().map(|layer| layer.weight.dims()[1]));
        let fits = x.dims()[D - 1] == widths[0]
            && layers
                .windows(2)
                .all(|pair| pair[0].weight.dims()[1] == pair[1].weight.dims()[0])
            && layers
                .iter()
                .all(|layer| layer.bias.dims() == [layer.weight.dims()[1]]);
        if !fits || widths.contains(&0) || !flex::takes(x) {
            return None;
        }
        Some(Self { widths, activation })
    }
}

/// [`shifted_mlp`], composed of Burn's operations.
fn composed_shifted<const D: usize>(
    x: Tensor<D>,
    shift: Tensor<2>,
    layers: &[Layer],
    activation: Activation,
) -> Tensor<D> {
    let Some((first, rest)) = layers.split_first() else {
        return x;
    };
    let mut shape = [1; D];
    shape[0] = x.dims()[0];
    shape[D - 1] = shift.dims()[1];
    let shifted = composed(x, std::slice::from_ref(first), activation) + shift.reshape(shape);
    if rest.is_empty() {
        return shifted;
    }
    composed(activation.composed(shifted), rest, activation)
}

/// The same, composed of Burn's operations.
pub(crate) fn composed<const D: usize>(
    x: Tensor<D>,
    layers: &[Layer],
    activation: Activation,
) -> Tensor<D> {
    let apply = |x, layer: &Layer| linear(x, layer.weight.clone(), Some(layer.bias.clone()));
    let Some((first, rest)) = layers.split_first() else {
        return x;
    };
    rest.iter().fold(apply(x, first), |x, layer| {
        apply(activation.composed(x), layer)
    })
}

#[backend_extension(Flex, Autodiff)]
pub(crate) trait MlpKernel: Backend {
    /// shift: [sample, width of the first layer]; every sample has an equal share of the points.
    fn mlp(
        x: FloatTensor<Self>,
        parameters: FloatTensor<Self>,
        shift: FloatTensor<Self>,
        perceptron: Perceptron,
    ) -> FloatTensor<Self>;
}

impl MlpKernel for Flex {
    fn mlp(
        x: FlexTensor,
        parameters: FlexTensor,
        shift: FlexTensor,
        perceptron: Perceptron,
    ) -> FlexTensor {
        let [x, parameters, shift] = [x, parameters, shift].map(flex::contiguous);
        let mut shape = x.layout().shape().to_vec();
        if let Some(channels) = shape.last_mut() {
            *channels = perceptron.outputs();
        }
        let (inputs, outputs) = (perceptron.inputs(), perceptron.outputs());
        let (source, parameters) = (x.storage::<f32>(), parameters.storage());
        let shifts = shift
            .storage::<f32>()
            .chunks_exact(perceptron.first_width());
        let points = source.len() / inputs / shifts.len();

        let mut values = zeros(shape.iter().product());
        let samples = values
            .chunks_mut((points * outputs).max(1))
            .zip(source.chunks((points * inputs).max(1)));
        let tiles: Vec<_> = samples
            .zip(shifts)
            .flat_map(|((y, x), shift)| {
                let tiles = y.chunks_mut(TILE * outputs).zip(x.chunks(TILE * inputs));
                tiles.map(move |(y, x)| (shift, x, y))
            })
            .collect();
        tiles
            .into_par_iter()
            .for_each_init(Scratch::default, |scratch, (shift, x, y)| {
                perceptron.forward(parameters, shift, x, y, scratch);
            });
        flex::tensor(values, shape)
    }
}

impl<C: CheckpointStrategy> MlpKernel for Autodiff<Flex, C> {
    fn mlp(
        x: FloatTensor<Self>,
        parameters: FloatTensor<Self>,
        shift: FloatTensor<Self>,
        perceptron: Perceptron,
    ) -> FloatTensor<Self> {
        let step = MlpBackward(perceptron.clone());
        let all = [x, parameters, shift];
        let nodes = all.each_ref().map(|tensor| tensor.node());
        let [x, parameters, shift] = all.map(|tensor| flex::contiguous(tensor.into_primitive()));
        match step.prepare::<C>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(prep) => {
                let y = Flex::mlp(x.clone(), parameters.clone(), shift.clone(), perceptron);
                prep.finish([x, parameters, shift], y)
            }
            OpsKind::UnTracked(prep) => prep.finish(Flex::mlp(x, parameters, shift, perceptron)),
        }
    }
}

#[derive(Debug)]
struct MlpBackward(Perceptron);

impl Backward<Flex, 3> for MlpBackward {
    /// The input, the parameters and the shift, contiguous.
    type State = [FlexTensor; 3];

    fn backward(self, ops: Ops<Self::State, 3>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let gradient = flex::contiguous(gradients.consume::<Flex>(&ops.node));
        let [x, parameters, shift] = &ops.state;
        let wanted = ops.parents[0].is_some();
        let mut of_x = zeros(if wanted { x.storage::<f32>().len() } else { 0 });
        let (of_parameters, of_shift) = self.0.gradients(
            [x, parameters, shift].map(|tensor| tensor.storage()),
            gradient.storage(),
            &mut of_x,
        );
        let computed = [of_x, of_parameters, of_shift];
        for ((node, values), like) in ops.parents.into_iter().zip(computed).zip(&ops.state) {
            if let Some(node) = node {
                gradients.register::<Flex>(node.id, flex::tensor_like(values, like));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_close, bits_on, tensor, values};
    use burn::tensor::Device;

    fn layers(widths: &[usize], device: &Device) -> Vec<Layer> {
        let layer = |w: &[usize]| Layer {
            weight: tensor([w[0], w[1]], 1.0, device).require_grad(),
            bias: tensor([w[1]], 0.7, device).require_grad(),
        };
        widths.windows(2).map(layer).collect()
    }

    type Apply = fn(Tensor<3>, &[Layer], Activation) -> Tensor<3>;

    /// Output, gradient of x and gradients of all parameters, for the sum of the squared output.
    fn differentiate(apply: Apply, shape: [usize; 3], widths: &[usize]) -> Vec<Vec<f32>> {
        let device = Device::flex().autodiff();
        let x = tensor(shape, 1.0, &device).require_grad();
        let layers = layers(widths, &device);
        let y = apply(x.clone(), &layers, Activation::Gelu);
        let gradients = y.clone().square().sum().backward();
        let mut all = vec![values(y), values(x.grad(&gradients).unwrap())];
        for layer in layers {
            all.push(values(layer.weight.grad(&gradients).unwrap()));
            all.push(values(layer.bias.grad(&gradients).unwrap()));
        }
        all
    }

    #[test]
    fn every_size_agrees_with_the_composed_operation() {
        let cases: [([usize; 3], &[usize]); 6] = [
            ([1, 1, 1], &[1, 1]),
            ([1, 1, 2], &[2, 3, 1]),
            ([3, 43, 5], &[5, 17, 2]),
            ([2, 128, 13], &[13, 64, 16]),
            ([1, 129, 4], &[4, 9, 9, 9, 6]),
            ([5, 1000, 3], &[3, 33, 2]),
        ];
        for (shape, widths) in cases {
            let found = differentiate(pointwise_mlp, shape, widths);
            let expected = differentiate(composed, shape, widths);
            for (found, expected) in found.iter().zip(&expected) {
                assert_close(found, expected, 2e-5);
            }
        }
    }

    #[test]
    fn a_gradient_is_the_limit_of_differences() {
        let device = Device::flex().autodiff();
        let layers = layers(&[3, 8, 8, 2], &device);
        let loss = |x| {
            let y: Tensor<1> = pointwise_mlp(x, &layers, Activation::Silu);
            y.square().sum()
        };
        let at = crate::testing::numbers(3, 1.0);
        let x = Tensor::<1>::from_floats(at.as_slice(), &device).require_grad();
        let gradient = values(x.grad(&loss(x.clone()).backward()).unwrap());
        for (i, expected) in gradient.iter().enumerate() {
            let beside = |step: f32| {
                let mut at = at.clone();
                at[i] += step;
                values(loss(Tensor::from_floats(at.as_slice(), &device)))[0]
            };
            let difference = (beside(1e-2) - beside(-1e-2)) / 2e-2;
            let error = (difference - expected).abs();
            assert!(
                error < 5e-3 * expected.abs().max(1.0),
                "{difference} for {expected}"
            );
        }
    }

    #[test]
    fn a_shift_of_each_sample_agrees_with_the_composed_operation() {
        type Shifted = fn(Tensor<3>, Tensor<2>, &[Layer], Activation) -> Tensor<3>;
        let device = Device::flex().autodiff();
        for widths in [&[3, 8, 4][..], &[3, 5], &[3, 6, 7, 2]] {
            let all = |apply: Shifted| {
                let layers = layers(widths, &device);
                let x = tensor([5, 200, 3], 1.0, &device).require_grad();
                let shift = tensor([5, widths[1]], 0.9, &device).require_grad();
                let y = apply(x.clone(), shift.clone(), &layers, Activation::Gelu);
                let gradients = y.clone().square().sum().backward();
                [
                    values(y),
                    values(x.grad(&gradients).unwrap()),
                    values(shift.grad(&gradients).unwrap()),
                    values(layers[0].bias.grad(&gradients).unwrap()),
                    values(layers[0].weight.grad(&gradients).unwrap()),
                ]
            };
            for (found, expected) in all(shifted_mlp).iter().zip(&all(composed_shifted)) {
                assert_close(found, expected, 2e-5);
            }
        }
    }

    #[test]
    fn views_and_constant_inputs_are_served() {
        let device = Device::flex().autodiff();
        let layers = layers(&[4, 6, 2], &device);
        let x = tensor([4, 7, 3], 1.0, &Device::flex()).permute([2, 1, 0]);
        let gradient = |apply: Apply| {
            let y = apply(x.clone(), &layers, Activation::Silu);
            let gradients = y.square().sum().backward();
            values(layers[0].weight.grad(&gradients).unwrap())
        };
        assert_close(&gradient(pointwise_mlp), &gradient(composed), 1e-5);
    }

    #[test]
    fn the_number_of_threads_does_not_change_a_bit() {
        let run = || differentiate(pointwise_mlp, [7, 777, 6], &[6, 40, 5]).concat();
        assert_eq!(bits_on(1, run), bits_on(2, run));
    }

    #[test]
    fn no_points_give_no_values_and_zero_gradients() {
        let all = differentiate(pointwise_mlp, [2, 0, 3], &[3, 4, 2]);
        assert!(all[0].is_empty() && all[1].is_empty());
        assert!(all[2..].iter().flatten().all(|&g| g == 0.0));
    }

    #[test]
    fn no_layers_are_the_identity() {
        let x = tensor([2, 3], 1.0, &Device::flex());
        let y = pointwise_mlp(x.clone(), &[], Activation::Gelu);
        assert_eq!(values(y), values(x));
    }
}
