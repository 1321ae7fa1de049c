//! Convolution by multiplication in Fourier space: one complex matrix per kept frequency.

use burn::module::{Module, Param};
use burn::tensor::Tensor;

use crate::operator::fourier_basis::FourierBasis;
use crate::operator::initial_values::InitialValues;

/// v(x) = F^-1[ R(k) F[x](k) ] + bias, over the kept frequencies k.
///
/// Li et al. (2021), "Fourier neural operator for parametric partial differential equations".
#[derive(Module, Debug)]
pub struct SpectralConv {
    /// Real and imaginary part of R: [modes y, modes x, in, out], frequencies along y ascending
    /// from -n/2.
    pub weight_re: Param<Tensor<4>>,
    pub weight_im: Param<Tensor<4>>,
    pub bias: Param<Tensor<1>>,
}

impl SpectralConv {
    pub fn new(
        inputs: usize,
        outputs: usize,
        n_modes: [usize; 2],
        values: &mut InitialValues,
    ) -> Self {
        let shape = [n_modes[0], n_modes[1] / 2 + 1, inputs, outputs];
        let variance = 2.0 / (inputs + outputs) as f64;
        Self {
            weight_re: values.normal(shape, variance / 2.0),
            weight_im: values.normal(shape, variance / 2.0),
            bias: values.normal([outputs], variance),
        }
    }

    /// x: [batch, y, x, in] -> [batch, y, x, out].
    pub fn forward(&self, x: Tensor<4>, basis: &FourierBasis) -> Tensor<4> {
        let weight = [self.weight_re.val(), self.weight_im.val()];
        spectral_convolution(x, weight, basis) + self.bias.val().unsqueeze()
    }
}

/// x: [batch, y, x, in], weight: (re, im) of [modes y, modes x, in, out] -> [batch, y, x, out].
///
/// Composed of operations every backend has and differentiates. A fused kernel takes its place
/// here.
pub fn spectral_convolution(
    x: Tensor<4>,
    weight: [Tensor<4>; 2],
    basis: &FourierBasis,
) -> Tensor<4> {
    let kept = basis.kept();
    let weight = weight.map(|part| restrict(part, &kept));
    basis.synthesise(mix(basis.analyse(x), weight))
}

/// The weights of the frequencies a grid holds: all of them, unless it is too coarse.
fn restrict(weight: Tensor<4>, kept: &[std::ops::Range<usize>; 2]) -> Tensor<4> {
    let [modes_y, modes_x, ..] = weight.dims();
    if [kept[0].len(), kept[1].len()] == [modes_y, modes_x] {
        return weight;
    }
    weight.slice([kept[0].clone(), kept[1].clone()])
}

/// spectrum: [2, ky, kx, batch, in] -> [2, ky, kx, batch, out], a matrix product per frequency.
fn mix(spectrum: Tensor<5>, weight: [Tensor<4>; 2]) -> Tensor<5> {
    let [_, ky, kx, batch, inputs] = spectrum.dims();
    let outputs = weight[0].dims()[3];
    let modes = ky * kx;

    // Real and imaginary rows side by side share one product with each part of the weight.
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

#[cfg(test)]
mod tests {
    use super::*;
    use burn::tensor::{Device, TensorData};
    use std::f64::consts::TAU;

    fn device() -> Device {
        Device::flex()
    }

    fn values<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
        tensor.into_data().try_into_vec().unwrap()
    }

    fn assert_close(found: &[f32], expected: &[f32]) {
        let largest = found
            .iter()
            .zip(expected)
            .map(|(a, b)| (a - b).abs())
            .fold(0.0, f32::max);
        assert!(
            found.len() == expected.len() && largest < 2e-5,
            "error {largest}"
        );
    }

    fn random<const D: usize>(seed: u64, shape: [usize; D]) -> Tensor<D> {
        InitialValues::new(seed, &device()).normal(shape, 1.0).val()
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

    #[test]
    fn identity_weights_leave_a_band_limited_field_unchanged() {
        let identity = Tensor::<2>::eye(2, &device())
            .reshape([1, 1, 2, 2])
            .expand([8, 5, 2, 2]);
        let zero = identity.zeros_like();
        for grid in [[16, 16], [9, 15], [8, 12], [33, 10]] {
            let x = band_limited(grid);
            let y = convolve(x.clone(), [identity.clone(), zero.clone()], [8, 8]);
            assert_close(&values(y), &values(x));
        }
    }

    #[test]
    fn a_finer_grid_gives_the_same_values_at_shared_points() {
        let weight = [1, 2].map(|seed| random(seed, [8, 5, 2, 3]));
        let coarse = convolve(band_limited([10, 16]), weight.clone(), [8, 8]);
        let fine = convolve(band_limited([30, 32]), weight, [8, 8]);
        let shared = fine
            .reshape([10, 3, 16, 2, 3])
            .narrow(1, 0, 1)
            .narrow(3, 0, 1);
        assert_close(&values(shared.reshape([10, 16, 3])), &values(coarse));
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
            let x = random(3, [2, grid[0], grid[1], 2]);
            let weight = [1, 2].map(|seed| random(seed, shape));
            let expected = defining_sum(&x, &weight, n_modes);
            assert_close(&values(convolve(x, weight, n_modes)), &expected);
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
}
