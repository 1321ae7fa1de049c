//! The truncated Fourier transform of a grid, as real matrices.

use std::ops::Range;
use std::sync::Arc;

use burn::tensor::{Device, Tensor, TensorData};

use crate::fold::{Matrix, sin_cos};
use crate::transform::Transform;

/// Matrices from a grid to its kept frequencies and back; a line is a grid of one row.
///
/// Complex numbers are a leading pair (real, imaginary), so that every product is a real one.
#[derive(Debug, Clone)]
pub struct FourierBasis {
    /// Columns x to frequencies: [1, 1, 2 kx, nx].
    analyse_x: Tensor<4>,
    /// Rows y to frequencies and back, [1, 2 ky, 2 ny] and [1, 2 ny, 2 ky]; absent on a line, where
    /// both are the identity.
    along_y: Option<[Tensor<3>; 2]>,
    /// The same for layers z; present on a grid of three axes only.
    along_z: Option<[Tensor<3>; 2]>,
    /// Frequencies to columns x: [1, 1, nx, 2 kx].
    synthesise_x: Tensor<4>,
    kept: [Range<usize>; 3],
    /// Number of the network's frequencies along z.
    modes_z: usize,
    /// Points along z.
    nz: usize,
    /// The transform for the fused kernels, and its adjoint for gradients.
    transforms: Arc<[Transform; 2]>,
}

impl FourierBasis {
    /// The basis of a grid of [nz, ny, nx], [ny, nx] or \[nx\] points, for a network with this
    /// number of modes along each axis.
    ///
    /// The kept frequencies are 0 ..= n/2 along x and -n/2 .. n/2 along y and z; a coarse grid
    /// keeps those that it resolves.
    pub fn new<const D: usize>(grid: [usize; D], n_modes: [usize; D], device: &Device) -> Self {
        let [nz, ny, nx] = filled(grid);
        let n_modes = filled(n_modes);
        let x = 0..(n_modes[2] / 2 + 1).min(nx / 2 + 1) as i32;
        let [z, y] = [(n_modes[0], nz), (n_modes[1], ny)]
            .map(|(modes, n)| intersection(centred(modes), centred(n)));

        let along_x = Wave::new(&x, nx);
        let across = |frequencies: &Range<i32>, n: usize| {
            let wave = Wave::new(frequencies, n);
            [wave.analyse_complex(), wave.synthesise_complex()]
                .map(|matrix| tensor(&matrix, device).unsqueeze())
        };
        let (has_z, has_y) = (nz > 1 || z.len() > 1, ny > 1 || y.len() > 1);
        let transforms = [
            Transform::new([nz, ny, nx], x.len(), [z.clone(), y.clone()]),
            Transform::adjoint([nz, ny, nx], x.len(), [z.clone(), y.clone()]),
        ];
        let place = |frequencies: &Range<i32>, modes: usize| {
            let offset = (modes / 2) as i32;
            (frequencies.start + offset) as usize..(frequencies.end + offset) as usize
        };
        Self {
            analyse_x: tensor(&along_x.analyse_real(), device).unsqueeze(),
            along_y: (has_y || has_z).then(|| across(&y, ny)),
            along_z: has_z.then(|| across(&z, nz)),
            synthesise_x: tensor(&along_x.synthesise_real(), device).unsqueeze(),
            kept: [place(&z, n_modes[0]), place(&y, n_modes[1]), place(&x, 0)],
            modes_z: n_modes[0],
            nz,
            transforms: Arc::new(transforms),
        }
    }

    /// The transform for the fused kernels, and its adjoint.
    pub(crate) fn transforms(&self) -> &Arc<[Transform; 2]> {
        &self.transforms
    }

    /// Ranges of the kept frequencies among all `n_modes`, along z, y and x.
    pub fn kept(&self) -> [Range<usize>; 3] {
        self.kept.clone()
    }

    /// Number of the network's frequencies along z; 1 on lines and planes.
    pub(crate) fn modes_z(&self) -> usize {
        self.modes_z
    }

    /// x: [batch, row, x, channel] -> spectrum [2, row, kx, batch, channel], scaled by 1 / points.
    pub fn analyse(&self, x: Tensor<4>) -> Tensor<5> {
        let [batch, rows, _, channels] = x.dims();
        let kx = self.kept[2].len();
        let lines = self.analyse_x.clone().matmul(x);
        let lines = lines.reshape([batch, rows, 2, kx, channels]);
        let modes = match (&self.along_z, &self.along_y) {
            (Some([layers, _]), Some([analyse, _])) => {
                // [batch, z, y, 2, ..] -> [batch, z, 2, ky, ..] -> [batch, 2, kz, ky, ..].
                let (nz, ny, width) = (self.nz, rows / self.nz, kx * channels);
                let lines = lines.reshape([batch, nz, ny, 2, width]).swap_dims(2, 3);
                let lines = lines.reshape([batch * nz, 2 * ny, width]);
                let modes = analyse.clone().matmul(lines);
                let ky = modes.dims()[1] / 2;
                let modes = modes.reshape([batch, nz, 2, ky * width]).swap_dims(1, 2);
                let modes = layers
                    .clone()
                    .matmul(modes.reshape([batch, 2 * nz, ky * width]));
                let kz = modes.dims()[1] / 2;
                modes.reshape([batch, 2, kz * ky, kx, channels])
            }
            (_, Some([analyse, _])) => {
                let lines = lines.swap_dims(1, 2);
                let modes = lines.reshape([batch, 2 * rows, kx * channels]);
                let modes = analyse.clone().matmul(modes);
                let ky = modes.dims()[1] / 2;
                modes.reshape([batch, 2, ky, kx, channels])
            }
            _ => lines.swap_dims(1, 2),
        };
        modes.permute([1, 2, 3, 0, 4])
    }

    /// spectrum: [2, row, kx, batch, channel] -> [batch, row, x, channel].
    pub fn synthesise(&self, spectrum: Tensor<5>) -> Tensor<4> {
        let [_, rows, kx, batch, channels] = spectrum.dims();
        let modes = spectrum.permute([3, 0, 1, 2, 4]);
        let lines = match (&self.along_z, &self.along_y) {
            (Some([_, layers]), Some([_, synthesise])) => {
                let (nz, ky, width) = (self.nz, self.kept[1].len(), kx * channels);
                let modes = modes.reshape([batch, 2 * (rows / ky), ky * width]);
                let modes = layers.clone().matmul(modes);
                let modes = modes.reshape([batch, 2, nz, ky * width]).swap_dims(1, 2);
                let lines = synthesise
                    .clone()
                    .matmul(modes.reshape([batch * nz, 2 * ky, width]));
                let ny = lines.dims()[1] / 2;
                let lines = lines.reshape([batch, nz, 2, ny, width]).swap_dims(2, 3);
                lines.reshape([batch, nz * ny, 2 * kx, channels])
            }
            (_, Some([_, synthesise])) => {
                let lines =
                    synthesise
                        .clone()
                        .matmul(modes.reshape([batch, 2 * rows, kx * channels]));
                let ny = lines.dims()[1] / 2;
                let lines = lines.reshape([batch, 2, ny, kx, channels]).swap_dims(1, 2);
                lines.reshape([batch, ny, 2 * kx, channels])
            }
            _ => modes
                .swap_dims(1, 2)
                .reshape([batch, rows, 2 * kx, channels]),
        };
        self.synthesise_x.clone().matmul(lines)
    }
}

/// Lengths along z, y and x; missing leading axes have one point.
fn filled<const D: usize>(lengths: [usize; D]) -> [usize; 3] {
    const { assert!(D <= 3, "grids have at most three axes") };
    std::array::from_fn(|axis| (axis + D).checked_sub(3).map_or(1, |i| lengths[i]))
}

/// The n frequencies around zero, from -n/2 on.
fn centred(n: usize) -> Range<i32> {
    let half = (n / 2) as i32;
    -half..n as i32 - half
}

fn intersection(a: Range<i32>, b: Range<i32>) -> Range<i32> {
    a.start.max(b.start)..a.end.min(b.end)
}

/// Waves of consecutive frequencies on n points.
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

    /// Coefficient of real sample j in part (real 0, imaginary 1) of frequency k.
    fn analysis(&self, part: usize, k: usize, j: usize) -> f64 {
        let (sin, cos) = self.sin_cos(k, j);
        [cos, -sin][part] / self.n as f64
    }

    /// Coefficient of this part of frequency k in real sample j.
    fn synthesis(&self, part: usize, k: usize, j: usize) -> f64 {
        // A real signal's negative frequencies mirror the positive ones; zero and the Nyquist
        // frequency are their own mirror images.
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
