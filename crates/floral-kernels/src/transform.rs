//! Truncated Fourier transforms of many channels as products with small real matrices.
//!
//! A field [y, x, channel] becomes *lines* (its rows transformed along x), then *modes* (the lines
//! transformed along y), and goes back the same way. Complex numbers are pairs of rows, real and
//! imaginary, so that every step is a real product whose inner loop runs over channels:
//!
//! - lines, as the way in writes them: [y, 2, kx, channel] of each sample;
//! - modes, way in: [kx, ky, 2, channel] of each sample;
//! - modes, way out: [kx, ky, 2, sample, channel], where a matrix per mode mixes all samples;
//! - lines, way out: [kx, y, 2, channel] of each sample.
//!
//! Each unit of work of a step writes one contiguous part of these arrays.

use faer::MatRef;
use rayon::prelude::*;

use crate::product::{multiply, multiply_add, rows};

/// A real matrix, row by row.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    pub rows: usize,
    pub columns: usize,
    pub values: Vec<f32>,
}

impl Matrix {
    /// Computed in double precision: rounding comes last.
    pub fn new(rows: usize, columns: usize, value: impl Fn(usize, usize) -> f64) -> Self {
        let values = (0..rows * columns).map(|i| value(i / columns, i % columns) as f32);
        Self {
            rows,
            columns,
            values: values.collect(),
        }
    }

    fn view(&self) -> MatRef<'_, f32> {
        MatRef::from_row_major_slice(&self.values, self.rows, self.columns)
    }

    fn transposed(&self) -> Self {
        Self::new(self.columns, self.rows, |i, j| {
            f64::from(self.values[j * self.columns + i])
        })
    }

    fn is_identity(&self) -> bool {
        let entry = |i: usize| f32::from(u8::from(i / self.columns == i % self.columns));
        self.rows == self.columns && self.values.iter().enumerate().all(|(i, &v)| v == entry(i))
    }
}

/// The four matrices of the way from a grid to its modes and back.
#[derive(Debug, Clone, PartialEq)]
pub struct Transform {
    /// Points x to (2, kx).
    to_lines: Matrix,
    /// (y, 2) to (ky, 2).
    to_modes: Matrix,
    /// (ky, 2) to (y, 2).
    from_modes: Matrix,
    /// (kx, 2) to points x.
    from_lines: Matrix,
    /// Whether there is but one row and one frequency along y.
    line: bool,
}

impl Transform {
    pub fn new(to_lines: Matrix, to_modes: Matrix, from_modes: Matrix, from_lines: Matrix) -> Self {
        let line = to_modes.is_identity() && to_modes.rows == 2;
        Self {
            to_lines,
            to_modes,
            from_modes,
            from_lines,
            line,
        }
    }

    /// The transform whose way in is the transpose of this one's way out, and the reverse.
    ///
    /// Gradients take this way: that of a convolution is a convolution with the adjoint weights.
    pub fn adjoint(&self) -> Self {
        let [kx, nx] = [self.kx(), self.nx()];
        // Real and imaginary rows change between the orders (2, kx) and (kx, 2).
        let to_lines = Matrix::new(2 * kx, nx, |row, x| {
            f64::from(self.from_lines.values[x * 2 * kx + 2 * (row % kx) + row / kx])
        });
        let from_lines = Matrix::new(nx, 2 * kx, |x, column| {
            f64::from(self.to_lines.values[((column % 2) * kx + column / 2) * nx + x])
        });
        Self::new(
            to_lines,
            self.from_modes.transposed(),
            self.to_modes.transposed(),
            from_lines,
        )
    }

    /// Points along x.
    pub fn nx(&self) -> usize {
        self.to_lines.columns
    }

    /// Points along y.
    pub fn ny(&self) -> usize {
        self.to_modes.columns / 2
    }

    /// Frequencies along x.
    pub fn kx(&self) -> usize {
        self.to_lines.rows / 2
    }

    /// Frequencies along y.
    pub fn ky(&self) -> usize {
        self.to_modes.rows / 2
    }

    /// Real numbers per channel in the lines of a sample.
    pub fn line_size(&self) -> usize {
        2 * self.kx() * self.ny()
    }

    /// Real numbers per channel in the modes of a sample.
    pub fn mode_size(&self) -> usize {
        2 * self.kx() * self.ky()
    }

    /// x: [sample, y, x, channel] -> lines, way in.
    pub fn lines(&self, x: &[f32], channels: usize) -> Vec<f32> {
        let samples = x.len() / (self.ny() * self.nx() * channels).max(1);
        let mut lines = vec![0.0; samples * self.line_size() * channels];
        lines
            .par_chunks_mut(2 * self.kx() * channels)
            .zip(x.par_chunks(self.nx() * channels))
            .for_each(|(line, x)| multiply(line, self.to_lines.view(), rows(x, channels)));
        lines
    }

    /// Lines, way in -> modes, way in.
    pub fn modes(&self, lines: &[f32], channels: usize) -> Vec<f32> {
        let (kx, width) = (self.kx(), self.kx() * channels);
        let samples = lines.len() / (self.line_size() * channels).max(1);
        let mut modes = vec![0.0; samples * self.mode_size() * channels];
        let columns = modes.par_chunks_mut(2 * self.ky() * channels);
        columns.enumerate().for_each(|(i, column)| {
            let sample = &lines[i / kx * self.line_size() * channels..];
            let sample = &sample[..self.line_size() * channels];
            let first = i % kx * channels;
            if self.line {
                for (part, row) in column.chunks_exact_mut(channels).zip(sample.chunks(width)) {
                    part.copy_from_slice(&row[first..first + channels]);
                }
            } else {
                let lines = rows(sample, width).subcols(first, channels);
                multiply(column, self.to_modes.view(), lines);
            }
        });
        modes
    }

    /// Modes, way out -> lines, way out.
    pub fn lines_of_modes(&self, modes: &[f32], channels: usize) -> Vec<f32> {
        let (kx, ky) = (self.kx(), self.ky());
        let samples = modes.len() / (self.mode_size() * channels).max(1);
        let mut lines = vec![0.0; samples * self.line_size() * channels];
        let columns = lines.par_chunks_mut(2 * self.ny() * channels);
        columns.enumerate().for_each(|(i, column)| {
            let size = 2 * ky * samples * channels;
            let modes = rows(&modes[i % kx * size..][..size], samples * channels);
            let modes = modes.subcols(i / kx * channels, channels);
            if self.line {
                for (row, part) in column.chunks_exact_mut(channels).enumerate() {
                    let source = modes.row(row).iter();
                    part.iter_mut().zip(source).for_each(|(a, &b)| *a = b);
                }
            } else {
                multiply(column, self.from_modes.view(), modes);
            }
        });
        lines
    }

    /// Adds what a sample's lines, way out, stand for at some of its points, the first of them
    /// `first`. points: [point, channel].
    ///
    /// `scratch` holds one row of lines.
    pub fn add_points(
        &self,
        lines: &[f32],
        first: usize,
        points: &mut [f32],
        scratch: &mut Vec<f32>,
    ) {
        let (nx, ny) = (self.nx(), self.ny());
        let channels = lines.len() / self.line_size();
        let mut rest = points;
        let mut first = first;
        while !rest.is_empty() {
            let (y, x) = (first / nx, first % nx);
            let count = (nx - x).min(rest.len() / channels);
            scratch.clear();
            for column in lines.chunks_exact(2 * ny * channels) {
                scratch.extend_from_slice(&column[2 * y * channels..][..2 * channels]);
            }
            let (row, after) = rest.split_at_mut(count * channels);
            let waves = self.from_lines.view().subrows(x, count);
            multiply_add(row, waves, rows(scratch, channels));
            rest = after;
            first += count;
        }
    }
}
