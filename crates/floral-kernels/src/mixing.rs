//! One complex matrix per mode, applied to the channels of all samples at once.

use faer::MatRef;
use rayon::prelude::*;

use crate::buffer::{Buffer, zeros};
use crate::product::{multiply, multiply_add, multiply_subtract, rows};

/// Where the modes of a grid lie among those of a network, and how many channels they have.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mixing {
    /// Frequencies of the grid along y and x.
    pub modes: [usize; 2],
    /// Frequencies of the network along y and x.
    pub all_modes: [usize; 2],
    /// The network's first frequency along y that the grid has.
    pub first: usize,
    pub inputs: usize,
    pub outputs: usize,
}

/// Real and imaginary parts: [modes y, modes x, in, out] each.
pub type Weights<'a> = [&'a [f32]; 2];

impl Mixing {
    /// spectrum: [sample, kx, ky, 2, in] -> [kx, ky, 2, sample, out], y = x R.
    pub fn forward(&self, spectrum: &[f32], weights: Weights<'_>) -> Buffer {
        let samples = self.samples(spectrum, self.inputs);
        self.for_each_mode(samples * self.outputs, |mode, [re, im]| {
            let [x_re, x_im] = self.mode(spectrum, mode, self.inputs);
            let [r_re, r_im] = self.matrix(weights, mode);
            multiply(re, x_re, r_re);
            multiply_subtract(re, x_im, r_im);
            multiply(im, x_re, r_im);
            multiply_add(im, x_im, r_re);
        })
    }

    /// The gradient of the spectrum from that of the result, laid out as if the other way round:
    /// [sample, kx, ky, 2, out] -> [kx, ky, 2, sample, in].
    pub fn backward(&self, gradient: &[f32], weights: Weights<'_>) -> Buffer {
        let samples = self.samples(gradient, self.outputs);
        self.for_each_mode(samples * self.inputs, |mode, [re, im]| {
            let [g_re, g_im] = self.mode(gradient, mode, self.outputs);
            let [r_re, r_im] = self.matrix(weights, mode).map(|r| r.transpose());
            multiply(re, g_re, r_re);
            multiply_add(re, g_im, r_im);
            multiply(im, g_im, r_re);
            multiply_subtract(im, g_re, r_im);
        })
    }

    /// The gradient of real and imaginary weights: [modes y, modes x, in, out] each.
    pub fn weight_gradients(&self, spectrum: &[f32], gradient: &[f32]) -> [Vec<f32>; 2] {
        let [all_y, all_x] = self.all_modes;
        let size = self.inputs * self.outputs;
        let [mut of_re, mut of_im] = [(); 2].map(|()| zeros(all_y * all_x * size));
        of_re
            .par_chunks_mut(size)
            .zip(of_im.par_chunks_mut(size))
            .enumerate()
            .for_each(|(i, (re, im))| {
                let [y, x] = [i / all_x, i % all_x];
                if y < self.first || y - self.first >= self.modes[0] || x >= self.modes[1] {
                    return;
                }
                let mode = [y - self.first, x];
                let [x_re, x_im] = self
                    .mode(spectrum, mode, self.inputs)
                    .map(|x| x.transpose());
                let [g_re, g_im] = self.mode(gradient, mode, self.outputs);
                multiply(re, x_re, g_re);
                multiply_add(re, x_im, g_im);
                multiply(im, x_re, g_im);
                multiply_subtract(im, x_im, g_re);
            });
        [of_re, of_im]
    }

    /// [kx, ky, 2, part], each mode's real and imaginary part written by `write`.
    fn for_each_mode(
        &self,
        part: usize,
        write: impl Fn([usize; 2], [&mut [f32]; 2]) + Sync,
    ) -> Buffer {
        let [ky, kx] = self.modes;
        let mut values = Buffer::new(kx * ky * 2 * part);
        values
            .par_chunks_mut((2 * part).max(1))
            .enumerate()
            .for_each(|(i, mode)| {
                let (re, im) = mode.split_at_mut(part);
                write([i % ky, i / ky], [re, im]);
            });
        values
    }

    fn samples(&self, spectrum: &[f32], channels: usize) -> usize {
        spectrum.len() / (2 * self.modes[0] * self.modes[1] * channels).max(1)
    }

    /// Real and imaginary part of one mode [ky, kx] of all samples, [sample, channel] each.
    fn mode<'a>(
        &self,
        spectrum: &'a [f32],
        [y, x]: [usize; 2],
        channels: usize,
    ) -> [MatRef<'a, f32>; 2] {
        let [ky, kx] = self.modes;
        let samples = self.samples(spectrum, channels);
        [0, 1].map(|part| {
            let start = ((x * ky + y) * 2 + part) * channels;
            let stride = 2 * kx * ky * channels;
            MatRef::from_row_major_slice_with_stride(&spectrum[start..], samples, channels, stride)
        })
    }

    /// R of one mode [ky, kx].
    fn matrix<'a>(&self, weights: Weights<'a>, [y, x]: [usize; 2]) -> [MatRef<'a, f32>; 2] {
        let size = self.inputs * self.outputs;
        let start = ((y + self.first) * self.all_modes[1] + x) * size;
        weights.map(|w| rows(&w[start..start + size], self.outputs))
    }
}
