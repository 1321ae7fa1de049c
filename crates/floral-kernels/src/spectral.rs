//! Convolution by multiplication in Fourier space, without a full-size spectrum.

use burn::backend::autodiff::checkpoint::{base::Checkpointer, strategy::CheckpointStrategy};
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::flex::FlexTensor;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Backend, Dispatch, Flex, backend_extension};
use burn::tensor::Tensor;

use crate::buffer::{Buffer, zeros};
use crate::convolution::{Convolution, add_fields};
use crate::flex;
use crate::fourier_basis::FourierBasis;
use crate::mixing::Mixing;

/// The inverse transform of R(k) times the transform of x at k, over the kept frequencies k.
///
/// x: [batch, row, x, in], weight: (re, im) of R, [row of modes, modes x, in, out] -> [batch, row,
/// x, out]. Rows, of points and of modes, lie along y, and on a grid of three axes along z and y.
///
/// # Panics
/// If channels, grid and modes do not match, like a matrix product.
pub fn spectral_convolution(
    x: Tensor<4>,
    weight: [Tensor<4>; 2],
    basis: &FourierBasis,
) -> Tensor<4> {
    let Some(plan) = Convolution::new(&x, &weight, basis) else {
        return composed(x, weight, basis);
    };
    let [re, im] = weight.map(Tensor::into_dispatch);
    Tensor::from_dispatch(<Dispatch as SpectralKernel>::convolve(
        x.into_dispatch(),
        re,
        im,
        plan,
    ))
}

/// The same, composed of Burn's operations.
pub(crate) fn composed(x: Tensor<4>, weight: [Tensor<4>; 2], basis: &FourierBasis) -> Tensor<4> {
    let weight = weight.map(|part| restrict(part, basis));
    basis.synthesise(mix(basis.analyse(x), weight))
}

/// The weights of the frequencies that a grid resolves: all of them, unless it is too coarse.
fn restrict(weight: Tensor<4>, basis: &FourierBasis) -> Tensor<4> {
    let [rows, modes_x, inputs, outputs] = weight.dims();
    let [z, y, x] = basis.kept();
    let kept = z.len() * y.len();
    if [kept, x.len()] == [rows, modes_x] {
        return weight;
    }
    let modes_z = basis.modes_z();
    let count = x.len();
    weight
        .reshape([modes_z, rows / modes_z, modes_x, inputs * outputs])
        .slice([z, y, x])
        .reshape([kept, count, inputs, outputs])
}

/// spectrum: [2, row, kx, batch, in] -> [2, row, kx, batch, out], a matrix product per frequency.
fn mix(spectrum: Tensor<5>, weight: [Tensor<4>; 2]) -> Tensor<5> {
    let [_, ky, kx, batch, inputs] = spectrum.dims();
    let outputs = weight[0].dims()[3];
    let modes = ky * kx;

    // Real and imaginary rows together take one product with each part of the weight.
    let rows = spectrum
        .permute([1, 2, 0, 3, 4])
        .reshape([modes, 2 * batch, inputs]);
    let [by_re, by_im] = weight.map(|part| {
        let product = rows.clone().matmul(part.reshape([modes, inputs, outputs]));
        [
            product.clone().narrow(1, 0, batch),
            product.narrow(1, batch, batch),
        ]
    });
    let [re_re, im_re] = by_re;
    let [re_im, im_im] = by_im;
    let mixed = Tensor::stack::<4>(vec![re_re - im_im, im_re + re_im], 0);
    mixed.reshape([2, ky, kx, batch, outputs])
}

#[backend_extension(Flex, Autodiff)]
pub(crate) trait SpectralKernel: Backend {
    fn convolve(
        x: FloatTensor<Self>,
        re: FloatTensor<Self>,
        im: FloatTensor<Self>,
        plan: Convolution,
    ) -> FloatTensor<Self>;
}

impl SpectralKernel for Flex {
    fn convolve(x: FlexTensor, re: FlexTensor, im: FlexTensor, plan: Convolution) -> FlexTensor {
        let [x, re, im] = [x, re, im].map(flex::contiguous);
        forward(&x, &re, &im, &plan).0
    }
}

/// The result and the spectrum before mixing; all tensors contiguous.
fn forward(
    x: &FlexTensor,
    re: &FlexTensor,
    im: &FlexTensor,
    plan: &Convolution,
) -> (FlexTensor, Buffer) {
    let outputs = plan.mixing.outputs;
    let spectra = plan.spectra(x.storage(), [re.storage(), im.storage()]);
    let transform = &plan.transforms[0];
    let lines = transform.lines_of_modes(&spectra.after, outputs);
    let mut shape = x.layout().shape().to_vec();
    shape[3] = outputs;
    let mut fields = zeros(shape.iter().product());
    add_fields(transform, &lines, outputs, &mut fields);
    (flex::tensor(fields, shape), spectra.before)
}

impl<C: CheckpointStrategy> SpectralKernel for Autodiff<Flex, C> {
    fn convolve(
        x: FloatTensor<Self>,
        re: FloatTensor<Self>,
        im: FloatTensor<Self>,
        plan: Convolution,
    ) -> FloatTensor<Self> {
        let nodes = [x.node(), re.node(), im.node()];
        let [x, re, im] = [x, re, im].map(|t| flex::contiguous(t.into_primitive()));
        let step = SpectralBackward(plan.clone());
        match step.prepare::<C>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(prep) => {
                let (y, before) = forward(&x, &re, &im, &plan);
                let size = vec![before.len()];
                prep.finish((flex::tensor(before.into_vec(), size), re, im), y)
            }
            OpsKind::UnTracked(prep) => prep.finish(Flex::convolve(x, re, im, plan)),
        }
    }
}

#[derive(Debug)]
struct SpectralBackward(Convolution);

impl Backward<Flex, 3> for SpectralBackward {
    /// The spectrum before mixing, and the weights.
    type State = (FlexTensor, FlexTensor, FlexTensor);

    fn backward(self, ops: Ops<Self::State, 3>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let gradient = flex::contiguous(gradients.consume::<Flex>(&ops.node));
        let [x_node, re_node, im_node] = ops.parents;
        let (before, re, im) = ops.state;
        let Mixing {
            inputs, outputs, ..
        } = self.0.mixing;
        let adjoint = &self.0.transforms[1];
        let lines = adjoint.lines(gradient.storage(), outputs);
        let weights = [re.storage(), im.storage()];
        let (lines, [of_re, of_im]) = self.0.backward(&lines, before.storage(), weights);
        if let Some(node) = x_node {
            let mut shape = gradient.layout().shape().to_vec();
            shape[3] = inputs;
            let mut of_x = zeros(shape.iter().product());
            add_fields(adjoint, &lines, inputs, &mut of_x);
            gradients.register::<Flex>(node.id, flex::tensor(of_x, shape));
        }
        for (node, values, like) in [(re_node, of_re, &re), (im_node, of_im, &im)] {
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
    use burn::tensor::{Device, TensorData};
    use std::f64::consts::TAU;

    fn device() -> Device {
        Device::flex()
    }

    /// Real and imaginary parts that differ.
    fn weights(shape: [usize; 4], device: &Device) -> [Tensor<4>; 2] {
        let both = tensor([2, shape.iter().product()], 1.0, device);
        [0, 1].map(|part| both.clone().narrow(0, part, 1).reshape(shape))
    }

    /// Two channels of waves below frequency 4, [1, ny, nx, 2].
    fn band_limited([ny, nx]: [usize; 2]) -> Tensor<4> {
        let value = |y: f64, x: f64, c: f64| {
            (TAU * (3.0 * x + c)).sin() + (TAU * (2.0 * y - x)).cos() * (1.0 + c) - 0.5
        };
        let values: Vec<f32> = (0..ny * nx * 2)
            .map(|i| (i / 2 / nx, i / 2 % nx, i % 2))
            .map(|(y, x, c)| value(y as f64 / ny as f64, x as f64 / nx as f64, c as f64) as f32)
            .collect();
        Tensor::from_data(TensorData::new(values, [1, ny, nx, 2]), &device())
    }

    fn convolve(x: Tensor<4>, weight: [Tensor<4>; 2], n_modes: [usize; 2]) -> Tensor<4> {
        let [_, ny, nx, _] = x.dims();
        spectral_convolution(x, weight, &FourierBasis::new([ny, nx], n_modes, &device()))
    }

    /// Waves of one block below frequency 3 along each axis, [1, nz ny, nx, 1].
    fn block([nz, ny, nx]: [usize; 3]) -> Tensor<4> {
        let value = |i: usize| {
            let share = |i: usize, n: usize| i as f64 / n as f64;
            let [z, y, x] = [
                share(i / (ny * nx), nz),
                share(i / nx % ny, ny),
                share(i % nx, nx),
            ];
            (TAU * (z + 2.0 * y - x)).sin() + (TAU * (2.0 * z - y)).cos() * (TAU * x).sin() + 0.3
        };
        let values: Vec<f32> = (0..nz * ny * nx).map(|i| value(i) as f32).collect();
        Tensor::from_data(TensorData::new(values, [1, nz * ny, nx, 1]), &device())
    }

    #[test]
    fn on_three_axes_identity_weights_keep_a_band_limited_field() {
        let one = Tensor::ones([6 * 6, 4, 1, 1], &device());
        let weight = [one.clone(), one.zeros_like()];
        for grid in [[6, 7, 8], [9, 6, 7], [12, 8, 6]] {
            let basis = FourierBasis::new(grid, [6, 6, 6], &device());
            let x = block(grid);
            let y = spectral_convolution(x.clone(), weight.clone(), &basis);
            assert_close(&values(y), &values(x.clone()), 1e-5);
            let y = composed(x.clone(), weight.clone(), &basis);
            assert_close(&values(y), &values(x), 1e-5);
        }
    }

    /// A wave along one axis is multiplied by the weight of its frequency; an imaginary weight
    /// shifts it by a quarter of a period.
    #[test]
    fn on_three_axes_every_frequency_has_the_weight_of_its_place() {
        let (grid, modes) = ([8, 6, 10], [4, 4, 6]);
        let wave = |k: [i64; 3], sine: bool| -> Vec<f32> {
            let [nz, ny, nx] = grid;
            let turns = |i: usize| {
                let place = [i / (ny * nx), i / nx % ny, i % nx];
                let along = |a: usize| k[a] as f64 * place[a] as f64 / grid[a] as f64;
                TAU * (0..3).map(along).sum::<f64>()
            };
            let value = |i: usize| if sine { turns(i).sin() } else { turns(i).cos() };
            (0..nz * ny * nx).map(|i| value(i) as f32).collect()
        };
        let basis = FourierBasis::new(grid, modes, &device());
        for k in [[1, 0, 1], [-2, 1, 2], [0, -2, 1], [-1, -1, 3], [1, 1, 2]] {
            let row = ((k[0] + 2) * 4 + k[1] + 2) as usize;
            let at = row * 4 + k[2] as usize;
            let weight = |value: f32| {
                let mut all = vec![0.0; 16 * 4];
                all[at] = value;
                Tensor::from_data(TensorData::new(all, [16, 4, 1, 1]), &device())
            };
            let x = TensorData::new(wave(k, false), [1, 48, 10, 1]);
            let y = spectral_convolution(
                Tensor::from_data(x, &device()),
                [weight(3.0), weight(2.0)],
                &basis,
            );
            // Re((3 + 2i) e^(i a)) = 3 cos a - 2 sin a.
            let pairs = wave(k, false).into_iter().zip(wave(k, true));
            let expected: Vec<f32> = pairs.map(|(cos, sin)| 3.0 * cos - 2.0 * sin).collect();
            assert_close(&values(y), &expected, 1e-5);
        }
    }

    /// Result and gradients on a block, by the kernel or composed.
    fn differentiate_block(
        convolve: Convolve,
        [batch, nz, ny, nx]: [usize; 4],
        channels: [usize; 2],
        n_modes: [usize; 3],
    ) -> Vec<Vec<f32>> {
        let device = Device::flex().autodiff();
        let [inputs, outputs] = channels;
        let x = tensor([batch, nz * ny, nx, inputs], 1.0, &device).require_grad();
        let modes = [n_modes[0] * n_modes[1], n_modes[2] / 2 + 1, inputs, outputs];
        let weight = weights(modes, &device).map(Tensor::require_grad);
        let basis = FourierBasis::new([nz, ny, nx], n_modes, &Device::flex());
        let y = convolve(x.clone(), weight.clone(), &basis);
        let gradients = y.clone().square().sum().backward();
        let [re, im] = weight.map(|part| values(part.grad(&gradients).unwrap()));
        vec![values(y), values(x.grad(&gradients).unwrap()), re, im]
    }

    #[test]
    fn blocks_of_every_size_agree_with_the_composed_operation() {
        let cases = [
            ([1, 2, 3, 4], [1, 1], [2, 2, 2]),
            ([2, 5, 4, 6], [3, 2], [3, 4, 6]),
            ([3, 4, 7, 5], [2, 3], [8, 4, 8]),
            ([2, 3, 1, 8], [2, 2], [2, 2, 4]),
            ([1, 1, 6, 8], [2, 2], [4, 4, 4]),
        ];
        for (shape, channels, n_modes) in cases {
            let found = differentiate_block(spectral_convolution, shape, channels, n_modes);
            let expected = differentiate_block(composed, shape, channels, n_modes);
            for (found, expected) in found.iter().zip(&expected) {
                assert_close(found, expected, 2e-5);
            }
        }
    }

    #[test]
    fn identity_weights_leave_a_band_limited_field_unchanged() {
        let identity = Tensor::<2>::eye(2, &device())
            .reshape([1, 1, 2, 2])
            .expand([8, 5, 2, 2]);
        let zero = identity.zeros_like();
        for grid in [[16, 16], [9, 15], [8, 12], [33, 10]] {
            let x = band_limited(grid);
            let y = convolve(x.clone(), [identity.clone(), zero.clone()], [8, 8]);
            assert_close(&values(y), &values(x), 1e-5);
        }
    }

    #[test]
    fn a_finer_grid_gives_the_same_values_at_shared_points() {
        let weight = weights([8, 5, 2, 3], &device());
        let coarse = convolve(band_limited([10, 16]), weight.clone(), [8, 8]);
        let fine = convolve(band_limited([30, 32]), weight, [8, 8]);
        let shared = fine
            .reshape([10, 3, 16, 2, 3])
            .narrow(1, 0, 1)
            .narrow(3, 0, 1);
        assert_close(&values(shared.reshape([10, 16, 3])), &values(coarse), 1e-5);
    }

    #[test]
    fn grids_of_any_size_agree_with_the_sum_that_defines_the_transform() {
        let cases = [
            ([1, 9], [1, 6]),
            ([1, 8], [1, 8]),
            ([7, 5], [4, 4]),
            ([6, 9], [3, 5]),
            ([8, 6], [4, 6]),
            ([3, 4], [8, 8]),
            ([4, 3], [8, 10]),
        ];
        for (grid, n_modes) in cases {
            let shape = [n_modes[0], n_modes[1] / 2 + 1, 2, 3];
            let x = tensor([2, grid[0], grid[1], 2], 1.0, &device());
            let weight = weights(shape, &device());
            let expected = defining_sum(&x, &weight, n_modes);
            assert_close(&values(convolve(x, weight, n_modes)), &expected, 1e-5);
        }
    }

    /// Sum over kept modes k of R(k) x^(k) e^(i k x), negative kx by symmetry.
    fn defining_sum(x: &Tensor<4>, weight: &[Tensor<4>; 2], n_modes: [usize; 2]) -> Vec<f32> {
        let [batch, ny, nx, inputs] = x.dims();
        let [my, mx, _, outputs] = weight[0].dims();
        let (signal, re, im) = (
            values(x.clone()),
            values(weight[0].clone()),
            values(weight[1].clone()),
        );
        let mut sum = vec![0.0f64; batch * ny * nx * outputs];
        for (row, kx) in (0..my).flat_map(|row| (0..mx).map(move |kx| (row, kx))) {
            let ky = row as i64 - (n_modes[0] / 2) as i64;
            if 2 * ky < -(ny as i64) || 2 * ky >= ny as i64 || 2 * kx > nx {
                continue;
            }
            let phase = |y: usize, x: usize| {
                TAU * (ky as f64 * y as f64 / ny as f64 + (kx * x) as f64 / nx as f64)
            };
            let mirrored = if kx == 0 || 2 * kx == nx { 1.0 } else { 2.0 };
            for (b, o) in (0..batch).flat_map(|b| (0..outputs).map(move |o| (b, o))) {
                let (mut mode_re, mut mode_im) = (0.0, 0.0);
                for i in 0..inputs {
                    let w = ((row * mx + kx) * inputs + i) * outputs + o;
                    let (w_re, w_im) = (re[w] as f64, im[w] as f64);
                    for p in 0..ny * nx {
                        let (sin, cos) = phase(p / nx, p % nx).sin_cos();
                        let s = signal[(b * ny * nx + p) * inputs + i] as f64;
                        mode_re += s * (cos * w_re + sin * w_im) / (ny * nx) as f64;
                        mode_im += s * (cos * w_im - sin * w_re) / (ny * nx) as f64;
                    }
                }
                for p in 0..ny * nx {
                    let (sin, cos) = phase(p / nx, p % nx).sin_cos();
                    let value = mirrored * (mode_re * cos - mode_im * sin);
                    sum[(b * ny * nx + p) * outputs + o] += value;
                }
            }
        }
        sum.into_iter().map(|value| value as f32).collect()
    }

    type Convolve = fn(Tensor<4>, [Tensor<4>; 2], &FourierBasis) -> Tensor<4>;

    /// Result, and the gradients of x and of both parts of the weights.
    fn differentiate(
        convolve: Convolve,
        shape: [usize; 4],
        outputs: usize,
        n_modes: [usize; 2],
    ) -> Vec<Vec<f32>> {
        let device = Device::flex().autodiff();
        let [_, ny, nx, inputs] = shape;
        let x = tensor(shape, 1.0, &device).require_grad();
        let weight = weights([n_modes[0], n_modes[1] / 2 + 1, inputs, outputs], &device)
            .map(Tensor::require_grad);
        let basis = FourierBasis::new([ny, nx], n_modes, &Device::flex());
        let y = convolve(x.clone(), weight.clone(), &basis);
        let gradients = y.clone().square().sum().backward();
        let [re, im] = weight.map(|part| values(part.grad(&gradients).unwrap()));
        vec![values(y), values(x.grad(&gradients).unwrap()), re, im]
    }

    #[test]
    fn every_size_agrees_with_the_composed_operation() {
        let cases = [
            ([1, 1, 1, 1], 1, [1, 2]),
            ([3, 1, 9, 2], 3, [1, 6]),
            ([2, 1, 128, 16], 16, [1, 64]),
            ([2, 7, 5, 3], 1, [4, 4]),
            ([5, 8, 6, 11], 1, [4, 6]),
            ([2, 3, 4, 2], 2, [8, 8]),
            ([1, 16, 24, 8], 8, [8, 12]),
        ];
        for (shape, outputs, n_modes) in cases {
            let found = differentiate(spectral_convolution, shape, outputs, n_modes);
            let expected = differentiate(composed, shape, outputs, n_modes);
            for (found, expected) in found.iter().zip(&expected) {
                assert_close(found, expected, 2e-5);
            }
        }
    }

    #[test]
    fn the_number_of_threads_does_not_change_a_bit() {
        let run = || differentiate(spectral_convolution, [3, 12, 10, 5], 4, [6, 6]).concat();
        assert_eq!(bits_on(1, run), bits_on(2, run));
    }

    #[test]
    fn views_are_served() {
        let basis = FourierBasis::new([6, 5], [4, 4], &device());
        let x = tensor([3, 5, 6, 2], 1.0, &device()).permute([3, 2, 1, 0]);
        let weight = weights([4, 3, 3, 2], &device());
        let found = spectral_convolution(x.clone(), weight.clone(), &basis);
        assert_close(&values(found), &values(composed(x, weight, &basis)), 1e-5);
    }
}
