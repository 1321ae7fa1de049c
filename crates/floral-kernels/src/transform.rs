//! Truncated Fourier transforms of many channels as products with small real matrices.
//!
//! A field [y, x, channel] becomes *lines* (its rows transformed along x), then *modes* (the lines
//! transformed along y), and goes back the same way. Complex numbers are pairs, real and imaginary,
//! and every inner loop runs over channels:
//!
//! - lines, way in: [y, 2, kx, channel] of each sample;
//! - modes, way in: [kx, ky, 2, channel] of each sample;
//! - modes, way out: [kx, ky, 2, sample, channel], where a matrix per mode mixes all samples;
//! - lines, way out: [kx, y, 2, channel] of each sample.
//!
//! Each unit of work of a step writes one contiguous part of these arrays.

use std::ops::Range;

use rayon::prelude::*;

use crate::buffer::Buffer;
use crate::fold::{Points, ToFrequencies, ToPoints};

/// The way from a grid to its modes and back.
#[derive(Debug, Clone, PartialEq)]
pub struct Transform {
    nx: usize,
    ny: usize,
    /// Frequencies along y; those along x start at zero.
    y: Range<i32>,
    to_lines: ToFrequencies,
    to_modes: ToFrequencies,
    from_modes: ToPoints,
    from_lines: ToPoints,
}

/// The weights of frequencies, on the way in and on the way out.
struct Weights<A, B> {
    analysis: A,
    synthesis: B,
}

impl Transform {
    /// Real fields to the frequencies 0 .. kx along x and `y` along y, scaled by 1 / (nx ny), and
    /// back.
    pub fn new([ny, nx]: [usize; 2], kx: usize, y: Range<i32>) -> Self {
        // A real signal's negative frequencies mirror the positive ones; the zero and the Nyquist
        // frequency mirror themselves.
        let mirrored = move |k: usize| if k == 0 || 2 * k == nx { 1.0 } else { 2.0 };
        let x = Weights {
            analysis: move |_| 1.0 / nx as f64,
            synthesis: mirrored,
        };
        Self::weighted([ny, nx], kx, y, x, [1.0 / ny as f64, 1.0])
    }

    /// The transform whose way in is the transpose of this one's way out, and the reverse.
    ///
    /// Gradients take this way: that of a convolution is a convolution with the adjoint weights.
    /// Transposing waves leaves waves; only their weights change places.
    pub fn adjoint([ny, nx]: [usize; 2], kx: usize, y: Range<i32>) -> Self {
        let mirrored = move |k: usize| if k == 0 || 2 * k == nx { 1.0 } else { 2.0 };
        let x = Weights {
            analysis: mirrored,
            synthesis: move |_| 1.0 / nx as f64,
        };
        Self::weighted([ny, nx], kx, y, x, [1.0, 1.0 / ny as f64])
    }

    fn weighted(
        [ny, nx]: [usize; 2],
        kx: usize,
        y: Range<i32>,
        x: Weights<impl Fn(usize) -> f64, impl Fn(usize) -> f64>,
        [analysis_y, synthesis_y]: [f64; 2],
    ) -> Self {
        // Frequencies along y and their negatives share waves.
        let sizes = y.clone().map(|k| k.unsigned_abs() as usize + 1);
        let magnitudes = sizes.max().unwrap_or(0);
        Self {
            nx,
            ny,
            y,
            to_lines: ToFrequencies::new(nx, kx, x.analysis),
            to_modes: ToFrequencies::new(ny, magnitudes, |_| analysis_y),
            from_modes: ToPoints::new(ny, magnitudes, |_| synthesis_y),
            from_lines: ToPoints::new(nx, kx, x.synthesis),
        }
    }

    /// Points along x.
    pub fn nx(&self) -> usize {
        self.nx
    }

    /// Points along y.
    pub fn ny(&self) -> usize {
        self.ny
    }

    /// Frequencies along x.
    pub fn kx(&self) -> usize {
        self.to_lines.count()
    }

    /// Frequencies along y.
    pub fn ky(&self) -> usize {
        self.y.len()
    }

    /// Real numbers per channel in the lines of a sample.
    pub fn line_size(&self) -> usize {
        2 * self.kx() * self.ny
    }

    /// Real numbers per channel in the modes of a sample.
    pub fn mode_size(&self) -> usize {
        2 * self.kx() * self.ky()
    }

    /// x: [sample, y, x, channel] -> lines, way in.
    pub fn lines(&self, x: &[f32], channels: usize) -> Buffer {
        let samples = x.len() / (self.ny * self.nx * channels).max(1);
        let mut lines = Buffer::new(samples * self.line_size() * channels);
        lines
            .par_chunks_mut(2 * self.kx() * channels)
            .zip(x.par_chunks(self.nx * channels))
            .for_each_init(Vec::new, |scratch, (line, x)| {
                let points = Points {
                    values: x,
                    stride: channels,
                    part_stride: 0,
                    parts: 1,
                    length: channels,
                };
                self.to_lines.sums(points, line, scratch);
                // e^(-i a) = cos a - i sin a.
                negate(&mut line[self.kx() * channels..]);
            });
        lines
    }

    /// Lines, way in -> modes, way in.
    pub fn modes(&self, lines: &[f32], channels: usize) -> Buffer {
        let (kx, size) = (self.kx(), self.line_size() * channels);
        let samples = lines.len() / size.max(1);
        let mut modes = Buffer::new(samples * self.mode_size() * channels);
        let columns = modes.par_chunks_mut(2 * self.ky() * channels);
        columns.enumerate().for_each_init(
            || (Vec::new(), Vec::new()),
            |(sums, scratch), (i, column)| {
                let points = Points {
                    values: &lines[i / kx * size..][i % kx * channels..size],
                    stride: 2 * kx * channels,
                    part_stride: kx * channels,
                    parts: 2,
                    length: channels,
                };
                self.modes_of_column(points, column, sums, scratch);
            },
        );
        modes
    }

    /// One frequency along x: (re, im) at the points y -> [ky, 2, channel].
    fn modes_of_column(
        &self,
        points: Points<'_>,
        column: &mut [f32],
        sums: &mut Vec<f32>,
        scratch: &mut Vec<f32>,
    ) {
        let channels = points.length;
        let width = 2 * channels;
        sums.resize(2 * self.to_modes.count() * width, 0.0);
        self.to_modes.sums(points, sums, scratch);
        let (cosines, sines) = sums.split_at(self.to_modes.count() * width);
        for (k, mode) in self.y.clone().zip(column.chunks_exact_mut(width)) {
            let at = k.unsigned_abs() as usize * width;
            let (a_re, a_im) = cosines[at..at + width].split_at(channels);
            let (b_re, b_im) = sines[at..at + width].split_at(channels);
            // A - i B for positive frequencies, A + i B for negative ones.
            let sign = if k < 0 { -1.0 } else { 1.0 };
            let (re, im) = mode.split_at_mut(channels);
            for ((re, a), b) in re.iter_mut().zip(a_re).zip(b_im) {
                *re = a + sign * b;
            }
            for ((im, a), b) in im.iter_mut().zip(a_im).zip(b_re) {
                *im = a - sign * b;
            }
        }
    }

    /// Modes, way out -> lines, way out.
    pub fn lines_of_modes(&self, modes: &[f32], channels: usize) -> Buffer {
        let kx = self.kx();
        let samples = modes.len() / (self.mode_size() * channels).max(1);
        let mut lines = Buffer::new(samples * self.line_size() * channels);
        let columns = lines.par_chunks_mut(2 * self.ny * channels);
        columns.enumerate().for_each_init(
            || (Vec::new(), Vec::new()),
            |(waves, scratch), (i, column)| {
                let size = 2 * self.ky() * samples * channels;
                let modes = &modes[i % kx * size..][i / kx * channels..size];
                self.waves_of_modes(modes, samples * channels, channels, waves);
                column.fill(0.0);
                let width = 2 * channels;
                self.from_modes.add_values(waves, width, column, scratch);
            },
        );
        lines
    }

    /// One frequency along x: its modes as waves of cosines and sines, [2, frequency, 2, channel].
    ///
    /// Real and imaginary parts of `modes` lie `stride` apart.
    fn waves_of_modes(&self, modes: &[f32], stride: usize, channels: usize, waves: &mut Vec<f32>) {
        let width = 2 * channels;
        waves.clear();
        waves.resize(2 * self.from_modes.count() * width, 0.0);
        let (cosines, sines) = waves.split_at_mut(self.from_modes.count() * width);
        for (i, k) in self.y.clone().enumerate() {
            let re = &modes[2 * i * stride..][..channels];
            let im = &modes[(2 * i + 1) * stride..][..channels];
            let at = k.unsigned_abs() as usize * width;
            // m e^(i k y) = m cos + i m sin, and the sine of a negative frequency is negative.
            let sign = k.signum() as f32;
            let (cos_re, cos_im) = cosines[at..at + width].split_at_mut(channels);
            let (sin_re, sin_im) = sines[at..at + width].split_at_mut(channels);
            let real = cos_re.iter_mut().zip(sin_im).zip(re);
            for ((cos, sin), re) in real {
                *cos += re;
                *sin += sign * re;
            }
            let imaginary = cos_im.iter_mut().zip(sin_re).zip(im);
            for ((cos, sin), im) in imaginary {
                *cos += im;
                *sin -= sign * im;
            }
        }
    }

    /// Adds what some rows of a sample's lines, way out, stand for. rows: [y, x, channel], from
    /// `first` on.
    pub fn add_rows(
        &self,
        lines: &[f32],
        first: usize,
        rows: &mut [f32],
        [waves, scratch]: &mut [Vec<f32>; 2],
    ) {
        let channels = lines.len() / self.line_size();
        let part = self.kx() * channels;
        waves.resize(2 * part, 0.0);
        for (y, row) in (first..).zip(rows.chunks_exact_mut(self.nx * channels)) {
            let (re, im) = waves.split_at_mut(part);
            let parts = re
                .chunks_exact_mut(channels)
                .zip(im.chunks_exact_mut(channels));
            for ((re, im), column) in parts.zip(lines.chunks_exact(2 * self.ny * channels)) {
                let (line_re, line_im) =
                    column[2 * y * channels..][..2 * channels].split_at(channels);
                re.copy_from_slice(line_re);
                // re(l e^(i a)) = l_re cos a - l_im sin a.
                im.iter_mut()
                    .zip(line_im)
                    .for_each(|(im, line)| *im = -line);
            }
            self.from_lines.add_values(waves, channels, row, scratch);
        }
    }
}

fn negate(values: &mut [f32]) {
    values.iter_mut().for_each(|value| *value = -*value);
}
