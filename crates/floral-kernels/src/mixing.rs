//! One complex matrix per mode, applied to the channels of all samples at once.

use faer::MatRef;
use rayon::prelude::*;

use crate::buffer::{Buffer, zeros};
use crate::product::{multiply, multiply_add, multiply_subtract, rows};

/// Positions of a grid's modes among those of a network, and the numbers of channels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mixing {
    /// Numbers of frequencies of the grid along z, y and x.
    pub modes: [usize; 3],
    /// Numbers of frequencies of the network along z, y and x.
    pub all_modes: [usize; 3],
    /// Positions among the network's frequencies, along z and y, of the grid's first ones.
    pub first: [usize; 2],
    pub inputs: usize,
    pub outputs: usize,
}

/// Real and imaginary parts: [modes z, modes y, modes x, in, out] each.
pub type Weights<'a> = [&'a [f32]; 2];

impl Mixing {
    /// spectrum: [sample, kx, row, 2, in] -> [kx, row, 2, sample, out], y = x R, where rows are
    /// frequencies along z and y.
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

    /// The gradient of the spectrum from the gradient of the result, with the layouts of the
    /// forward pass: [sample, kx, row, 2, out] -> [kx, row, 2, sample, in].
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

    /// The gradients of the real and imaginary weights, in their shape.
    pub fn weight_gradients(&self, spectrum: &[f32], gradient: &[f32]) -> [Vec<f32>; 2] {
        let [all_z, all_y, all_x] = self.all_modes;
        let size = self.inputs * self.outputs;
        let [mut of_re, mut of_im] = [(); 2].map(|()| zeros(all_z * all_y * all_x * size));
        of_re
            .par_chunks_mut(size)
            .zip(of_im.par_chunks_mut(size))
            .enumerate()
            .for_each(|(i, (re, im))| {
                let Some(row) = self
                    .row_of_grid(i / all_x)
                    .filter(|_| i % all_x < self.modes[2])
                else {
                    return;
                };
                let mode = [row, i % all_x];
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

    /// Values [kx, row, 2, part]; `write` writes the real and imaginary part of each mode.
    fn for_each_mode(
        &self,
        part: usize,
        write: impl Fn([usize; 2], [&mut [f32]; 2]) + Sync,
    ) -> Buffer {
        let (rows, kx) = (self.rows(), self.modes[2]);
        let mut values = Buffer::new(kx * rows * 2 * part);
        values
            .par_chunks_mut((2 * part).max(1))
            .enumerate()
            .for_each(|(i, mode)| {
                let (re, im) = mode.split_at_mut(part);
                write([i % rows, i / rows], [re, im]);
            });
        values
    }

    fn samples(&self, spectrum: &[f32], channels: usize) -> usize {
        spectrum.len() / (2 * self.rows() * self.modes[2] * channels).max(1)
    }

    /// Number of frequencies of the grid along z and y together.
    fn rows(&self) -> usize {
        self.modes[0] * self.modes[1]
    }

    /// Position of a row of the grid's frequencies among those of the network.
    fn row_of_network(&self, row: usize) -> usize {
        let [_, ky, _] = self.modes;
        (row / ky + self.first[0]) * self.all_modes[1] + row % ky + self.first[1]
    }

    /// The inverse; none if the grid does not have these frequencies.
    fn row_of_grid(&self, row: usize) -> Option<usize> {
        let [kz, ky, _] = self.modes;
        let z = (row / self.all_modes[1]).checked_sub(self.first[0])?;
        let y = (row % self.all_modes[1]).checked_sub(self.first[1])?;
        (z < kz && y < ky).then_some(z * ky + y)
    }

    /// Real and imaginary part of one mode [row, kx] of all samples, [sample, channel] each.
    fn mode<'a>(
        &self,
        spectrum: &'a [f32],
        [row, x]: [usize; 2],
        channels: usize,
    ) -> [MatRef<'a, f32>; 2] {
        let (rows, kx) = (self.rows(), self.modes[2]);
        let samples = self.samples(spectrum, channels);
        [0, 1].map(|part| {
            let start = ((x * rows + row) * 2 + part) * channels;
            let stride = 2 * kx * rows * channels;
            MatRef::from_row_major_slice_with_stride(&spectrum[start..], samples, channels, stride)
        })
    }

    /// R of one mode [row, kx].
    fn matrix<'a>(&self, weights: Weights<'a>, [row, x]: [usize; 2]) -> [MatRef<'a, f32>; 2] {
        let size = self.inputs * self.outputs;
        let start = (self.row_of_network(row) * self.all_modes[2] + x) * size;
        weights.map(|w| rows(&w[start..start + size], self.outputs))
    }
}
