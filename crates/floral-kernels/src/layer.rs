//! A whole Fourier layer: convolution, skip, perceptron, gate and modulation in one operation.

use burn::backend::autodiff::checkpoint::{base::Checkpointer, strategy::CheckpointStrategy};
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::flex::FlexTensor;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Backend, Dispatch, Flex, backend_extension};
use burn::tensor::Tensor;
use burn::tensor::module::linear;

use crate::activation::Activation;
use crate::convolution::{Convolution, Spectra};
use crate::film::Modulation;
use crate::flex;
use crate::fourier_basis::FourierBasis;
use crate::layer_plan::LayerPlan;
use crate::layer_tile::LayerSizes;
use crate::mlp::{self, Layer};
use crate::spectral;

/// The parameters of a Fourier layer.
#[derive(Debug, Clone)]
pub struct FourierLayer {
    /// Real and imaginary part of the spectral weights: [modes y, modes x, channel, channel].
    pub spectral: [Tensor<4>; 2],
    /// The convolution's bias: \[channel\].
    pub bias: Tensor<1>,
    /// W: [in, out].
    pub skip: Tensor<2>,
    /// channel -> narrow -> channel.
    pub mlp: [Layer; 2],
    /// \[channel\].
    pub gate: Tensor<1>,
    /// Whether f is the GELU; otherwise it is the identity.
    pub activated: bool,
}

impl FourierLayer {
    /// s = f(SpectralConv(x) + bias + x W), y = f(MLP(s) + gate x), FiLM(y).
    ///
    /// x: [batch, y, x, channel] -> same shape. The forward pass keeps only x and the spectra; the
    /// backward pass recomputes the rest.
    ///
    /// # Panics
    /// If channels, grid and modes do not match, like a matrix product.
    pub fn forward(&self, x: Tensor<4>, basis: &FourierBasis, film: &Modulation) -> Tensor<4> {
        let Some(plan) = self.plan(&x, basis, film) else {
            return self.composed(x, basis, film);
        };
        let [re, im] = self.spectral.clone().map(Tensor::into_dispatch);
        Tensor::from_dispatch(<Dispatch as LayerKernel>::layer(
            x.into_dispatch(),
            re,
            im,
            self.pointwise().into_dispatch(),
            film.coefficients.clone().into_dispatch(),
            plan,
        ))
    }

    /// The same, composed of Burn's operations.
    fn composed(&self, x: Tensor<4>, basis: &FourierBasis, film: &Modulation) -> Tensor<4> {
        let activate = |x| {
            if self.activated {
                Activation::Gelu.composed(x)
            } else {
                x
            }
        };
        let mixed = spectral::composed(x.clone(), self.spectral.clone(), basis)
            + self.bias.clone().unsqueeze()
            + linear(x.clone(), self.skip.clone(), None);
        let y = mlp::composed(activate(mixed), &self.mlp, Activation::Gelu);
        film.composed(activate(y + x * self.gate.clone().unsqueeze()))
    }

    /// The plan; none if the kernel does not apply: another backend or type, or sizes that do not
    /// match.
    fn plan(&self, x: &Tensor<4>, basis: &FourierBasis, film: &Modulation) -> Option<LayerPlan> {
        let channels = x.dims()[3];
        let narrow = self.mlp[0].weight.dims()[1];
        let fits = self.bias.dims() == [channels]
            && self.skip.dims() == [channels, channels]
            && self.mlp[0].weight.dims() == [channels, narrow]
            && self.mlp[0].bias.dims() == [narrow]
            && self.mlp[1].weight.dims() == [narrow, channels]
            && self.mlp[1].bias.dims() == [channels]
            && self.gate.dims() == [channels]
            && self.spectral[0].dims()[3] == channels
            && narrow > 0
            && film.fits(x.dims());
        if !fits {
            return None;
        }
        Some(LayerPlan {
            convolution: Convolution::new(x, &self.spectral, basis)?,
            sizes: LayerSizes {
                channels,
                narrow,
                activated: self.activated,
            },
            rows: film.rows_of(x.dims()[0]),
        })
    }

    /// The parameters of the pointwise part, concatenated in the order of [`LayerSizes`].
    fn pointwise(&self) -> Tensor<1> {
        let [inner, outer] = &self.mlp;
        let flat = |weight: &Tensor<2>| weight.clone().flatten::<1>(0, 1);
        let parts = vec![
            self.bias.clone(),
            flat(&self.skip),
            flat(&inner.weight),
            inner.bias.clone(),
            flat(&outer.weight),
            outer.bias.clone(),
            self.gate.clone(),
        ];
        Tensor::cat(parts, 0)
    }
}

#[backend_extension(Flex, Autodiff)]
pub(crate) trait LayerKernel: Backend {
    fn layer(
        x: FloatTensor<Self>,
        re: FloatTensor<Self>,
        im: FloatTensor<Self>,
        pointwise: FloatTensor<Self>,
        film: FloatTensor<Self>,
        plan: LayerPlan,
    ) -> FloatTensor<Self>;
}

impl LayerKernel for Flex {
    fn layer(
        x: FlexTensor,
        re: FlexTensor,
        im: FlexTensor,
        pointwise: FlexTensor,
        film: FlexTensor,
        plan: LayerPlan,
    ) -> FlexTensor {
        let [mut x, re, im, pointwise, film] = [x, re, im, pointwise, film].map(flex::contiguous);
        plan.forward(&mut x, [&re, &im], &pointwise, &film);
        x
    }
}

impl<C: CheckpointStrategy> LayerKernel for Autodiff<Flex, C> {
    fn layer(
        x: FloatTensor<Self>,
        re: FloatTensor<Self>,
        im: FloatTensor<Self>,
        pointwise: FloatTensor<Self>,
        film: FloatTensor<Self>,
        plan: LayerPlan,
    ) -> FloatTensor<Self> {
        let all = [x, re, im, pointwise, film];
        let nodes = all.each_ref().map(|tensor| tensor.node());
        let [x, re, im, pointwise, film] =
            all.map(|tensor| flex::contiguous(tensor.into_primitive()));
        let step = LayerBackward(plan.clone());
        match step.prepare::<C>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(prep) => {
                let mut y = x.clone();
                let Spectra { before, after } = plan.forward(&mut y, [&re, &im], &pointwise, &film);
                let [before, after] = [before, after].map(|values| {
                    let size = vec![values.len()];
                    flex::tensor(values.into_vec(), size)
                });
                prep.finish([x, re, im, pointwise, film, before, after], y)
            }
            OpsKind::UnTracked(prep) => prep.finish(Flex::layer(x, re, im, pointwise, film, plan)),
        }
    }
}

#[derive(Debug)]
struct LayerBackward(LayerPlan);

impl Backward<Flex, 5> for LayerBackward {
    /// The five inputs, and the spectra before and after mixing.
    type State = [FlexTensor; 7];

    fn backward(self, ops: Ops<Self::State, 5>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let gradient = flex::contiguous(gradients.consume::<Flex>(&ops.node));
        let shapes = ops.state.each_ref().map(|t| t.layout().shape().to_vec());
        let computed = self.0.backward(gradient, &ops.state);
        for ((node, values), shape) in ops.parents.into_iter().zip(computed).zip(shapes) {
            if let Some(node) = node {
                gradients.register::<Flex>(node.id, flex::tensor(values, shape));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_close, bits_on, numbers, tensor, values};
    use burn::tensor::{Device, TensorData};

    /// Parameters drawn from one sequence, so that no two are equal.
    struct Draw {
        numbers: std::vec::IntoIter<f32>,
        device: Device,
    }

    impl Draw {
        fn tensor<const D: usize>(&mut self, shape: [usize; D]) -> Tensor<D> {
            let size = shape.iter().product();
            let values: Vec<f32> = self.numbers.by_ref().take(size).collect();
            Tensor::from_data(TensorData::new(values, shape), &self.device).require_grad()
        }
    }

    fn layer(channels: usize, n_modes: [usize; 2], activated: bool) -> FourierLayer {
        let draw = &mut Draw {
            numbers: numbers(200_000, 0.8).into_iter(),
            device: Device::flex().autodiff(),
        };
        let narrow = channels.div_ceil(2);
        let modes = [n_modes[0], n_modes[1] / 2 + 1, channels, channels];
        FourierLayer {
            spectral: [draw.tensor(modes), draw.tensor(modes)],
            bias: draw.tensor([channels]),
            skip: draw.tensor([channels, channels]),
            mlp: [[channels, narrow], [narrow, channels]].map(|[a, b]| Layer {
                weight: draw.tensor([a, b]),
                bias: draw.tensor([b]),
            }),
            gate: draw.tensor([channels]),
            activated,
        }
    }

    type Apply = fn(&FourierLayer, Tensor<4>, &FourierBasis, &Modulation) -> Tensor<4>;

    /// The result and all gradients of the sum of its squares.
    fn differentiate(
        apply: Apply,
        [batch, ny, nx, channels]: [usize; 4],
        n_modes: [usize; 2],
        rows: &[usize],
        activated: bool,
    ) -> Vec<Vec<f32>> {
        let device = Device::flex().autodiff();
        let layer = layer(channels, n_modes, activated);
        let x = tensor([batch, ny, nx, channels], 1.0, &device).require_grad();
        let count = rows.iter().max().unwrap() + 1;
        let film = Modulation {
            coefficients: tensor([count, ny, nx, 2 * channels], 0.5, &device).require_grad(),
            rows: rows.into(),
        };
        let basis = FourierBasis::new([ny, nx], n_modes, &Device::flex());
        let y = apply(&layer, x.clone(), &basis, &film);
        let gradients = y.clone().square().sum().backward();
        let [inner, outer] = &layer.mlp;
        vec![
            values(y),
            values(x.grad(&gradients).unwrap()),
            values(layer.spectral[0].grad(&gradients).unwrap()),
            values(layer.spectral[1].grad(&gradients).unwrap()),
            values(layer.bias.grad(&gradients).unwrap()),
            values(layer.skip.grad(&gradients).unwrap()),
            values(inner.weight.grad(&gradients).unwrap()),
            values(inner.bias.grad(&gradients).unwrap()),
            values(outer.weight.grad(&gradients).unwrap()),
            values(outer.bias.grad(&gradients).unwrap()),
            values(layer.gate.grad(&gradients).unwrap()),
            values(film.coefficients.grad(&gradients).unwrap()),
        ]
    }

    #[test]
    fn every_size_agrees_with_the_composed_operation() {
        type Case<'a> = ([usize; 4], [usize; 2], &'a [usize], bool);
        let cases: [Case<'_>; 7] = [
            ([1, 1, 1, 1], [1, 2], &[0], true),
            ([3, 1, 40, 4], [1, 8], &[0, 1, 0], true),
            ([2, 1, 300, 5], [1, 16], &[0], false),
            ([3, 12, 11, 6], [4, 6], &[1, 1, 0], true),
            ([2, 20, 24, 3], [8, 6], &[0, 1], false),
            ([4, 3, 130, 2], [2, 8], &[2, 0, 2, 2], true),
            ([2, 4, 3, 7], [8, 8], &[0], true),
        ];
        for (shape, n_modes, rows, activated) in cases {
            let fused = differentiate(FourierLayer::forward, shape, n_modes, rows, activated);
            let composed = differentiate(FourierLayer::composed, shape, n_modes, rows, activated);
            for (found, expected) in fused.iter().zip(&composed) {
                assert_close(found, expected, 3e-5);
            }
        }
    }

    /// The result overwrites x if and only if nothing else refers to x.
    #[test]
    fn a_tensor_in_use_elsewhere_is_not_changed() {
        let device = Device::flex();
        let layer = layer(3, [2, 4], true);
        let layer = FourierLayer {
            spectral: layer.spectral.map(Tensor::inner),
            bias: layer.bias.inner(),
            skip: layer.skip.inner(),
            mlp: layer.mlp.map(|Layer { weight, bias }| Layer {
                weight: weight.inner(),
                bias: bias.inner(),
            }),
            gate: layer.gate.inner(),
            activated: true,
        };
        let basis = FourierBasis::new([4, 5], [2, 4], &device);
        let film = Modulation::new(tensor([1, 4, 5, 6], 0.5, &device));
        let x = tensor([2, 4, 5, 3], 1.0, &device);
        let before = values(x.clone());
        let shared = values(layer.forward(x.clone(), &basis, &film));
        assert_eq!(values(x.clone()), before);
        assert_ne!(shared, before);
        assert_eq!(values(layer.forward(x, &basis, &film)), shared);
    }

    #[test]
    fn the_number_of_threads_does_not_change_a_bit() {
        let run = || {
            let apply = FourierLayer::forward;
            differentiate(apply, [4, 9, 20, 6], [4, 8], &[1, 0, 1, 1], true).concat()
        };
        assert_eq!(bits_on(1, run), bits_on(2, run));
    }

    #[test]
    fn a_gradient_is_the_limit_of_differences() {
        let device = Device::flex().autodiff();
        let layer = layer(3, [2, 4], true);
        let basis = FourierBasis::new([4, 5], [2, 4], &Device::flex());
        let film = Modulation::new(tensor([1, 4, 5, 6], 0.5, &device));
        let loss = |values: &[f32]| {
            let data = TensorData::new(values.to_vec(), [1, 4, 5, 3]);
            let x = Tensor::<4>::from_data(data, &device).require_grad();
            (x.clone(), layer.forward(x, &basis, &film).square().mean())
        };
        let at = numbers(60, 1.0);
        let (x, value) = loss(&at);
        let gradient = values(x.grad(&value.backward()).unwrap());
        for i in [0, 17, 31, 59] {
            let beside = |step: f32| {
                let mut at = at.clone();
                at[i] += step;
                values(loss(&at).1)[0]
            };
            let difference = (beside(1e-2) - beside(-1e-2)) / 2e-2;
            let error = (difference - gradient[i]).abs();
            assert!(error < 2e-3, "{difference} for {}", gradient[i]);
        }
    }
}
