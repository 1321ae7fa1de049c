//! The truncated Fourier transform of a grid, as real matrices.

use std::ops::Range;
use std::sync::Arc;

use burn::tensor::{Device, Tensor, TensorData};

use crate::fold::{Matrix, sin_cos};
use crate::transform::Transform;

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
    /// The same for the fused kernels: there, and the way of gradients.
    transforms: Arc<[Transform; 2]>,
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

        let [along_x, along_y] = [Wave::new(&x, nx), Wave::new(&y, ny)];
        let transforms = [
            Transform::new([ny, nx], x.len(), y.clone()),
            Transform::adjoint([ny, nx], x.len(), y.clone()),
        ];
        Self {
            analyse_x: tensor(&along_x.analyse_real(), device).unsqueeze(),
            along_y: (ny > 1 || y.len() > 1).then(|| {
                [along_y.analyse_complex(), along_y.synthesise_complex()]
                    .map(|matrix| tensor(&matrix, device).unsqueeze())
            }),
            synthesise_x: tensor(&along_x.synthesise_real(), device).unsqueeze(),
            kept: [y.start + offset..y.end + offset, x].map(|r| r.start as usize..r.end as usize),
            transforms: Arc::new(transforms),
        }
    }

    /// The transform as the fused kernels take it, and its adjoint.
    pub(crate) fn transforms(&self) -> &Arc<[Transform; 2]> {
        &self.transforms
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

/// Waves of some frequencies on n points.
struct Wave {
    first: i32,
    count: usize,
    n: usize,
}

impl Wave {
    fn new(frequencies: &Range<i32>, n: usize) -> Self {
        Self {
            first: frequencies.start,
            count: frequencies.len(),
            n,
        }
    }

    fn sin_cos(&self, k: usize, j: usize) -> (f64, f64) {
        sin_cos(i64::from(self.first) + k as i64, j, self.n)
    }

    /// Real samples to part (real 0, imaginary 1) of frequency k.
    fn analysis(&self, part: usize, k: usize, j: usize) -> f64 {
        let (sin, cos) = self.sin_cos(k, j);
        [cos, -sin][part] / self.n as f64
    }

    /// Part of frequency k to real samples.
    fn synthesis(&self, part: usize, k: usize, j: usize) -> f64 {
        // A real signal's negative frequencies mirror the positive ones; the zero and the
        // Nyquist frequency mirror themselves.
        let frequency = self.first + k as i32;
        let mirrored = frequency == 0 || 2 * frequency == self.n as i32;
        let weight = if mirrored { 1.0 } else { 2.0 };
        let (sin, cos) = self.sin_cos(k, j);
        weight * [cos, -sin][part]
    }

    /// Entry of e^(i sign angle) as the matrix [cos, -sin; sin, cos] of real and imaginary parts.
    fn rotation(&self, sign: f64, parts: [usize; 2], k: usize, j: usize) -> f64 {
        let (sin, cos) = self.sin_cos(k, j);
        match parts {
            [0, 1] => -sign * sin,
            [1, 0] => sign * sin,
            _ => cos,
        }
    }

    /// [(part, k), j].
    fn analyse_real(&self) -> Matrix {
        Matrix::new(2 * self.count, self.n, |row, j| {
            self.analysis(row / self.count, row % self.count, j)
        })
    }

    /// [j, (part, k)].
    fn synthesise_real(&self) -> Matrix {
        Matrix::new(self.n, 2 * self.count, |j, column| {
            self.synthesis(column / self.count, column % self.count, j)
        })
    }

    /// [(part, k), (part, j)].
    fn analyse_complex(&self) -> Matrix {
        Matrix::new(2 * self.count, 2 * self.n, |row, column| {
            let parts = [row / self.count, column / self.n];
            self.rotation(-1.0, parts, row % self.count, column % self.n) / self.n as f64
        })
    }

    /// [(part, j), (part, k)].
    fn synthesise_complex(&self) -> Matrix {
        Matrix::new(2 * self.n, 2 * self.count, |row, column| {
            let parts = [row / self.n, column / self.count];
            self.rotation(1.0, parts, column % self.count, row % self.n)
        })
    }
}

fn tensor(matrix: &Matrix, device: &Device) -> Tensor<2> {
    let shape = [matrix.rows, matrix.columns];
    Tensor::from_data(TensorData::new(matrix.values.clone(), shape), device)
}
