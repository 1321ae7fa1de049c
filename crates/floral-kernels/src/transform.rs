//! Truncated Fourier transforms of many channels as products with small real matrices.
//!
//! The forward transform turns a field [row, x, channel] into *lines* (its rows transformed along
//! x), then into *modes* (the lines transformed across rows); the inverse transform takes the same
//! steps back. The rows of a plane lie along y, those of a block along z and y; a line has one row.
//! Complex numbers are pairs, real and imaginary, and every inner loop runs over channels. The
//! layouts are:
//!
//! - lines, forward: [row, 2, kx, channel] of each sample;
//! - modes, forward: [kx, kz, ky, 2, channel] of each sample;
//! - modes, inverse: [kx, kz, ky, 2, sample, channel], where a matrix per mode mixes all samples;
//! - lines, inverse: [kx, row, 2, channel] of each sample.
//!
//! Each unit of work of a step writes one contiguous part of these arrays.

use std::ops::Range;

use rayon::prelude::*;

use crate::across::{Across, Modes, Room};
use crate::buffer::Buffer;
use crate::fold::{Points, ToFrequencies, ToPoints};

/// The transform from a grid to its modes and back.
#[derive(Debug, Clone, PartialEq)]
pub struct Transform {
    nx: usize,
    /// Present on a block only.
    along_z: Option<Across>,
    along_y: Across,
    to_lines: ToFrequencies,
    from_lines: ToPoints,
}

/// The weights of frequencies in the forward and in the inverse transform.
struct Weights<A, B> {
    analysis: A,
    synthesis: B,
}

impl Transform {
    /// Transforms real fields on [nz, ny, nx] points to the frequencies 0 .. kx along x and to the
    /// given ones along z and y, scaled by 1 / (nx ny nz), and back.
    pub fn new(grid: [usize; 3], kx: usize, across: [Range<i32>; 2]) -> Self {
        let nx = grid[2];
        // A real signal's negative frequencies mirror the positive ones; zero and the Nyquist
        // frequency are their own mirror images.
        let mirrored = move |k: usize| if k == 0 || 2 * k == nx { 1.0 } else { 2.0 };
        let x = Weights {
            analysis: move |_| 1.0 / nx as f64,
            synthesis: mirrored,
        };
        Self::weighted(grid, kx, across, x, |n| [1.0 / n as f64, 1.0])
    }

    /// The transform whose forward direction is the transpose of this one's inverse, and vice
    /// versa.
    ///
    /// Gradients use it: the gradient of a convolution is a convolution with the adjoint weights.
    /// Transposing waves leaves waves; only their weights are exchanged.
    pub fn adjoint(grid: [usize; 3], kx: usize, across: [Range<i32>; 2]) -> Self {
        let nx = grid[2];
        let mirrored = move |k: usize| if k == 0 || 2 * k == nx { 1.0 } else { 2.0 };
        let x = Weights {
            analysis: mirrored,
            synthesis: move |_| 1.0 / nx as f64,
        };
        Self::weighted(grid, kx, across, x, |n| [1.0, 1.0 / n as f64])
    }

    fn weighted(
        [nz, ny, nx]: [usize; 3],
        kx: usize,
        [z, y]: [Range<i32>; 2],
        x: Weights<impl Fn(usize) -> f64, impl Fn(usize) -> f64>,
        across: impl Fn(usize) -> [f64; 2],
    ) -> Self {
        Self {
            nx,
            along_z: (nz > 1 || z.len() > 1).then(|| Across::new(nz, z, across(nz))),
            along_y: Across::new(ny, y, across(ny)),
            to_lines: ToFrequencies::new(nx, kx, x.analysis),
            from_lines: ToPoints::new(nx, kx, x.synthesis),
        }
    }

    /// Points along x.
    pub fn nx(&self) -> usize {
        self.nx
    }

    /// Product of the numbers of points along z and y.
    pub fn rows(&self) -> usize {
        let layers = self.along_z.as_ref().map_or(1, Across::points);
        layers * self.along_y.points()
    }

    /// Number of frequencies along x.
    pub fn kx(&self) -> usize {
        self.to_lines.count()
    }

    /// Product of the numbers of frequencies along z and y.
    pub fn row_modes(&self) -> usize {
        self.along_z.as_ref().map_or(1, Across::count) * self.along_y.count()
    }

    /// Real numbers per channel in the lines of a sample.
    pub fn line_size(&self) -> usize {
        2 * self.kx() * self.rows()
    }

    /// Real numbers per channel in the modes of a sample.
    pub fn mode_size(&self) -> usize {
        2 * self.kx() * self.row_modes()
    }

    /// x: [sample, row, x, channel] -> lines in forward layout.
    pub fn lines(&self, x: &[f32], channels: usize) -> Buffer {
        let samples = x.len() / (self.rows() * self.nx * channels).max(1);
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

    /// Lines in forward layout -> modes in forward layout.
    pub fn modes(&self, lines: &[f32], channels: usize) -> Buffer {
        let (kx, size) = (self.kx(), self.line_size() * channels);
        let samples = lines.len() / size.max(1);
        let mut modes = Buffer::new(samples * self.mode_size() * channels);
        let columns = modes.par_chunks_mut(2 * self.row_modes() * channels);
        columns.enumerate().for_each_init(
            || (Vec::new(), Room::default()),
            |(layers, room), (i, column)| {
                let values = &lines[i / kx * size..][i % kx * channels..size];
                self.modes_of_column(values, channels, column, layers, room);
            },
        );
        modes
    }

    /// One frequency along x: its lines in forward layout, starting at its first value -> [kz, ky,
    /// 2, channel].
    fn modes_of_column(
        &self,
        lines: &[f32],
        channels: usize,
        column: &mut [f32],
        layers: &mut Vec<f32>,
        room: &mut Room,
    ) {
        let stride = 2 * self.kx() * channels;
        let layer = |z: usize| Points {
            values: &lines[z * self.along_y.points() * stride..],
            stride,
            part_stride: self.kx() * channels,
            parts: 2,
            length: channels,
        };
        let Some(along_z) = &self.along_z else {
            return self.along_y.analyse(layer(0), channels, column, room);
        };
        let width = 2 * self.along_y.count() * channels;
        layers.resize(along_z.points() * width, 0.0);
        for (z, modes) in layers.chunks_exact_mut(width).enumerate() {
            self.along_y.analyse(layer(z), channels, modes, room);
        }
        let layers = Points {
            values: layers,
            stride: width,
            part_stride: 0,
            parts: 1,
            length: width,
        };
        along_z.analyse(layers, channels, column, room);
    }

    /// Modes in inverse layout -> lines in inverse layout.
    pub fn lines_of_modes(&self, modes: &[f32], channels: usize) -> Buffer {
        let kx = self.kx();
        let samples = modes.len() / (self.mode_size() * channels).max(1);
        let mut lines = Buffer::new(samples * self.line_size() * channels);
        let columns = lines.par_chunks_mut(2 * self.rows() * channels);
        columns.enumerate().for_each_init(
            || (Vec::new(), Room::default()),
            |(layers, room), (i, column)| {
                let size = 2 * self.row_modes() * samples * channels;
                let modes = Modes {
                    values: &modes[i % kx * size..][i / kx * channels..size],
                    stride: samples * channels,
                    pairs: 1,
                    channels,
                };
                column.fill(0.0);
                self.add_column(modes, column, layers, room);
            },
        );
        lines
    }

    /// One frequency along x: adds the synthesis of its modes to the rows, [row, 2, channel].
    fn add_column(
        &self,
        modes: Modes<'_>,
        column: &mut [f32],
        layers: &mut Vec<f32>,
        room: &mut Room,
    ) {
        let Some(along_z) = &self.along_z else {
            return self.along_y.add(modes, column, room);
        };
        let channels = modes.channels;
        let pairs = self.along_y.count();
        let width = 2 * pairs * channels;
        layers.clear();
        layers.resize(along_z.points() * width, 0.0);
        along_z.add(Modes { pairs, ..modes }, layers, room);
        let rows = column.chunks_exact_mut(2 * self.along_y.points() * channels);
        for (rows, values) in rows.zip(layers.chunks_exact(width)) {
            let layer = Modes {
                values,
                stride: channels,
                ..modes
            };
            self.along_y.add(layer, rows, room);
        }
    }

    /// Adds the synthesis of some rows of a sample's lines (inverse layout). rows: [row, x,
    /// channel], starting at row `first`.
    pub fn add_rows(
        &self,
        lines: &[f32],
        first: usize,
        rows: &mut [f32],
        [waves, scratch]: &mut Room,
    ) {
        let channels = lines.len() / self.line_size();
        let part = self.kx() * channels;
        waves.resize(2 * part, 0.0);
        for (y, row) in (first..).zip(rows.chunks_exact_mut(self.nx * channels)) {
            let (re, im) = waves.split_at_mut(part);
            let parts = re
                .chunks_exact_mut(channels)
                .zip(im.chunks_exact_mut(channels));
            for ((re, im), column) in parts.zip(lines.chunks_exact(2 * self.rows() * channels)) {
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
