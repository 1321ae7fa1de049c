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
use crate::flex;
use crate::mlp_tile::{Perceptron, Scratch, TILE};

/// One affine map of channels, x W + b.
#[derive(Debug, Clone)]
pub struct Layer {
    /// W: [in, out].
    pub weight: Tensor<2>,
    /// b: \[out\].
    pub bias: Tensor<1>,
}

/// Layers with an activation between each two. x: [.., in] -> [.., out].
///
/// The backward pass computes the hidden layers anew: of the whole operation only x is kept.
///
/// # Panics
/// As a matrix product does, if the channels of x and the layers do not match.
pub fn pointwise_mlp<const D: usize>(
    x: Tensor<D>,
    layers: &[Layer],
    activation: Activation,
) -> Tensor<D> {
    let Some(first) = layers.first() else {
        return x;
    };
    let mut widths = vec![first.weight.dims()[0]];
    widths.extend(layers.iter().map(|layer| layer.weight.dims()[1]));
    let fits = x.dims()[D - 1] == widths[0]
        && layers
            .windows(2)
            .all(|pair| pair[0].weight.dims()[1] == pair[1].weight.dims()[0])
        && layers
            .iter()
            .all(|layer| layer.bias.dims() == [layer.weight.dims()[1]]);
    if !fits || widths.contains(&0) || !flex::takes(&x) {
        return composed(x, layers, activation);
    }
    let parameters = layers.iter().flat_map(|layer| {
        let weight: Tensor<1> = layer.weight.clone().flatten(0, 1);
        [weight, layer.bias.clone()]
    });
    let parameters = Tensor::cat(parameters.collect(), 0);
    let perceptron = Perceptron { widths, activation };
    Tensor::from_dispatch(<Dispatch as MlpKernel>::mlp(
        x.into_dispatch(),
        parameters.into_dispatch(),
        perceptron,
    ))
}

/// The same of Burn's own operations.
fn composed<const D: usize>(x: Tensor<D>, layers: &[Layer], activation: Activation) -> Tensor<D> {
    let apply = |x, layer: &Layer| linear(x, layer.weight.clone(), Some(layer.bias.clone()));
    let Some((first, rest)) = layers.split_first() else {
        return x;
    };
    rest.iter().fold(apply(x, first), |x, layer| {
        apply(activation.composed(x), layer)
    })
}

/// Parts of the sum over points that is the parameters' gradient: enough for many threads, few
/// enough to add up.
const PARTS: usize = 16;

#[backend_extension(Flex, Autodiff)]
pub(crate) trait MlpKernel: Backend {
    fn mlp(
        x: FloatTensor<Self>,
        parameters: FloatTensor<Self>,
        perceptron: Perceptron,
    ) -> FloatTensor<Self>;
}

impl MlpKernel for Flex {
    fn mlp(x: FlexTensor, parameters: FlexTensor, perceptron: Perceptron) -> FlexTensor {
        let (x, parameters) = (flex::contiguous(x), flex::contiguous(parameters));
        let mut shape = x.layout().shape().to_vec();
        if let Some(channels) = shape.last_mut() {
            *channels = perceptron.outputs();
        }
        let parameters = parameters.storage::<f32>();
        let mut values = vec![0.0; shape.iter().product()];
        let tiles = values
            .par_chunks_mut(TILE * perceptron.outputs())
            .zip(x.storage::<f32>().par_chunks(TILE * perceptron.inputs()));
        tiles.for_each_init(Scratch::default, |scratch, (y, x)| {
            perceptron.forward(parameters, x, y, scratch);
        });
        flex::tensor(values, shape)
    }
}

impl<C: CheckpointStrategy> MlpKernel for Autodiff<Flex, C> {
    fn mlp(
        x: FloatTensor<Self>,
        parameters: FloatTensor<Self>,
        perceptron: Perceptron,
    ) -> FloatTensor<Self> {
        let step = MlpBackward(perceptron.clone());
        let nodes = [x.node(), parameters.node()];
        let (x, parameters) = (x.into_primitive(), parameters.into_primitive());
        match step.prepare::<C>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(prep) => {
                let x = flex::contiguous(x);
                let y = Flex::mlp(x.clone(), parameters.clone(), perceptron);
                prep.finish((x, parameters), y)
            }
            OpsKind::UnTracked(prep) => prep.finish(Flex::mlp(x, parameters, perceptron)),
        }
    }
}

#[derive(Debug)]
struct MlpBackward(Perceptron);

impl Backward<Flex, 2> for MlpBackward {
    /// The input and the parameters, contiguous.
    type State = (FlexTensor, FlexTensor);

    fn backward(self, ops: Ops<Self::State, 2>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let gradient = flex::contiguous(gradients.consume::<Flex>(&ops.node));
        let [x_node, parameters_node] = ops.parents;
        let (x, parameters) = ops.state;
        let mut of_x = vec![
            0.0;
            if x_node.is_some() {
                x.storage::<f32>().len()
            } else {
                0
            }
        ];
        let of_parameters = self.0.gradients(
            parameters.storage(),
            x.storage(),
            gradient.storage(),
            &mut of_x,
        );
        if let Some(node) = x_node {
            gradients.register::<Flex>(node.id, flex::tensor_like(of_x, &x));
        }
        if let Some(node) = parameters_node {
            gradients.register::<Flex>(node.id, flex::tensor_like(of_parameters, &parameters));
        }
    }
}

impl Perceptron {
    /// The gradient of the parameters; that of x is written unless there is no room for it.
    fn gradients(
        &self,
        parameters: &[f32],
        x: &[f32],
        gradient: &[f32],
        of_x: &mut [f32],
    ) -> Vec<f32> {
        let tiles = (x.len() / self.inputs()).div_ceil(TILE);
        let points = TILE * tiles.div_ceil(PARTS).max(1);
        let wanted = !of_x.is_empty();
        let mut of_x = of_x.chunks_mut(points * self.inputs());
        let parts: Vec<_> = x
            .chunks(points * self.inputs())
            .zip(gradient.chunks(points * self.outputs()))
            .map(|(x, gradient)| (x, gradient, if wanted { of_x.next() } else { None }))
            .collect();
        let sums: Vec<Vec<f32>> = parts
            .into_par_iter()
            .map_init(Scratch::default, |scratch, (x, gradient, of_x)| {
                self.part(parameters, x, gradient, of_x, scratch)
            })
            .collect();
        // In order, so that rounding does not depend on which part was ready first.
        sums.into_iter()
            .reduce(|mut sum, part| {
                sum.iter_mut().zip(part).for_each(|(a, b)| *a += b);
                sum
            })
            .unwrap_or_else(|| vec![0.0; self.size()])
    }

    /// The sum over the tiles of one part.
    fn part(
        &self,
        parameters: &[f32],
        x: &[f32],
        gradient: &[f32],
        of_x: Option<&mut [f32]>,
        scratch: &mut Scratch,
    ) -> Vec<f32> {
        let mut sums = vec![0.0; self.size()];
        let mut of_x = of_x.map(|values| values.chunks_mut(TILE * self.inputs()));
        let tiles = x
            .chunks(TILE * self.inputs())
            .zip(gradient.chunks(TILE * self.outputs()));
        for (x, gradient) in tiles {
            let of_x = of_x.as_mut().and_then(Iterator::next);
            self.backward(parameters, x, gradient, of_x, &mut sums, scratch);
        }
        sums
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

    /// Output, gradient of x, gradients of all parameters, of the sum of the squared output.
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
