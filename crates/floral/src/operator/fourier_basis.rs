//! The truncated Fourier transform of a grid, as real matrices.

use std::f64::consts::TAU;
use std::ops::Range;

use burn::tensor::{Device, Tensor, TensorData};

/// Matrices to the kept frequencies of a grid and back; a line is a grid of one row.
///
/// Complex numbers are a leading pair (real, imaginary), so that every product is a real one.
#[derive(Debug, Clone)]
pub struct FourierBasis {
    /// Columns x to frequencies: [1, 1, 2 kx, nx].
    analyse_x: Tensor<4>,
    /// Rows y to frequencies and back, [1, 2 ky, 2 ny] and [1, 2 ny, 2 ky]; absent on a line,
    /// where both are the identity.
    along_y: Option<[Tensor<3>; 2]>,
    /// Frequencies to columns x: [1, 1, nx, 2 kx].
    synthesise_x: Tensor<4>,
    kept: [Range<usize>; 2],
}

impl FourierBasis {
    /// The basis of a grid [ny, nx] for a network of `n_modes` [along y, along x].
    ///
    /// Along x the frequencies 0 ..= n/2 are kept, along y -n/2 .. n/2; a grid too coarse
    /// for them keeps those it can hold.
    pub fn new([ny, nx]: [usize; 2], n_modes: [usize; 2], device: &Device) -> Self {
        let x = 0..(n_modes[1] / 2 + 1).min(nx / 2 + 1) as i32;
        let y = intersection(centred(n_modes[0]), centred(ny));
        let offset = (n_modes[0] / 2) as i32;

        let along_y = (ny > 1 || y.len() > 1).then(|| {
            let [analyse, synthesise] = complex_pair(&y, ny);
            [
                analyse.tensor(device).unsqueeze(),
                synthesise.tensor(device).unsqueeze(),
            ]
        });
        let [analyse, synthesise] = real_pair(&x, nx);
        Self {
            analyse_x: analyse.tensor(device).unsqueeze(),
            along_y,
            synthesise_x: synthesise.tensor(device).unsqueeze(),
            kept: [y.start + offset..y.end + offset, x].map(|r| r.start as usize..r.end as usize),
        }
    }

    /// The kept frequencies as positions among all `n_modes`, along y and x.
    pub fn kept(&self) -> [Range<usize>; 2] {
        self.kept.clone()
    }

    /// x: [batch, y, x, channel] -> spectrum [2, ky, kx, batch, channel], scaled by 1/(ny nx).
    pub fn analyse(&self, x: Tensor<4>) -> Tensor<5> {
        let [batch, ny, _, channels] = x.dims();
        let [ky, kx] = self.kept().map(|range| range.len());
        let lines = self.analyse_x.clone().matmul(x);
        let lines = lines.reshape([batch, ny, 2, kx, channels]).swap_dims(1, 2);
        let modes = match &self.along_y {
            None => lines,
            Some([analyse, _]) => analyse
                .clone()
                .matmul(lines.reshape([batch, 2 * ny, kx * channels]))
                .reshape([batch, 2, ky, kx, channels]),
        };
        modes.permute([1, 2, 3, 0, 4])
    }

    /// spectrum: [2, ky, kx, batch, channel] -> [batch, y, x, channel].
    pub fn synthesise(&self, spectrum: Tensor<5>) -> Tensor<4> {
        let [_, ky, kx, batch, channels] = spectrum.dims();
        let modes = spectrum.permute([3, 0, 1, 2, 4]);
        let lines = match &self.along_y {
            None => modes,
            Some([_, synthesise]) => {
                let lines =
                    synthesise
                        .clone()
                        .matmul(modes.reshape([batch, 2 * ky, kx * channels]));
                let ny = lines.dims()[1] / 2;
                lines.reshape([batch, 2, ny, kx, channels])
            }
        };
        let ny = lines.dims()[2];
        let lines = lines.swap_dims(1, 2).reshape([batch, ny, 2 * kx, channels]);
        self.synthesise_x.clone().matmul(lines)
    }
}

/// The n frequencies -n/2 .. around zero.
fn centred(n: usize) -> Range<i32> {
    let half = (n / 2) as i32;
    -half..n as i32 - half
}

fn intersection(a: Range<i32>, b: Range<i32>) -> Range<i32> {
    a.start.max(b.start)..a.end.min(b.end)
}

/// Real samples to frequencies [2 k, n], and back [n, 2 k].
fn real_pair(frequencies: &Range<i32>, n: usize) -> [Matrix; 2] {
    let count = frequencies.len();
    let analyse = Matrix::new(2 * count, n, |row, j| {
        let (sin, cos) = angle(frequencies.start + (row % count) as i32, j, n).sin_cos();
        if row < count { cos } else { -sin }
    });
    let synthesise = Matrix::new(n, 2 * count, |j, column| {
        let frequency = frequencies.start + (column % count) as i32;
        let (sin, cos) = angle(frequency, j, n).sin_cos();
        // A real signal's negative frequencies mirror the positive ones; the zero and the
        // Nyquist frequency mirror themselves.
        let mirrored = frequency == 0 || 2 * frequency == n as i32;
        let weight = if mirrored { 1.0 } else { 2.0 };
        weight * if column < count { cos } else { -sin }
    });
    [analyse.scaled(1.0 / n as f64), synthesise]
}

/// Complex samples to frequencies [2 k, 2 n], and back [2 n, 2 k].
fn complex_pair(frequencies: &Range<i32>, n: usize) -> [Matrix; 2] {
    let count = frequencies.len();
    // (re, im) of e^(i sign angle) times (re, im), as the 2x2 block matrix [cos, -sin; sin, cos].
    let block = |row_im: bool, column_im: bool, sign: f64, frequency: usize, j: usize| {
        let (sin, cos) = angle(frequencies.start + frequency as i32, j, n).sin_cos();
        match (row_im, column_im) {
            (false, true) => -sign * sin,
            (true, false) => sign * sin,
            _ => cos,
        }
    };
    let analyse = Matrix::new(2 * count, 2 * n, |row, column| {
        block(row >= count, column >= n, -1.0, row % count, column % n)
    });
    let synthesise = Matrix::new(2 * n, 2 * count, |row, column| {
        block(row >= n, column >= count, 1.0, column % count, row % n)
    });
    [analyse.scaled(1.0 / n as f64), synthesise]
}

/// 2 pi k j / n, reduced to one turn in integers: large products lose digits in the sine.
fn angle(frequency: i32, j: usize, n: usize) -> f64 {
    let n = n as i64;
    TAU * (frequency as i64 * j as i64).rem_euclid(n) as f64 / n as f64
}

struct Matrix {
    shape: [usize; 2],
    values: Vec<f64>,
}

impl Matrix {
    fn new(rows: usize, columns: usize, value: impl Fn(usize, usize) -> f64) -> Self {
        let values = (0..rows * columns)
            .map(|i| value(i / columns, i % columns))
            .collect();
        Self {
            shape: [rows, columns],
            values,
        }
    }

    fn scaled(mut self, factor: f64) -> Self {
        self.values.iter_mut().for_each(|value| *value *= factor);
        self
    }

    fn tensor(&self, device: &Device) -> Tensor<2> {
        let values: Vec<f32> = self.values.iter().map(|&value| value as f32).collect();
        Tensor::from_data(TensorData::new(values, self.shape), device)
    }
}
