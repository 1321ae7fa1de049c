//! The useful arithmetic of the network: floating-point operations that cannot be avoided.
//!
//! A multiplication and an addition count as two. The count includes products with weights (channel
//! perceptrons, skip connections, mode mixing) and the truncated Fourier transforms. It excludes
//! operations hidden behind a product and those that take a few operations per value: FiLM's scale
//! and shift, activations, biases, gates, the time channels (constant over the grid, so a vector
//! per sample), the norm of the gradient and the optimiser.
//!
//! With N = ny nx points, h hidden channels, m solution channels, c condition channels, d
//! dimensions, ky x kx kept modes (of the half spectrum) and f the width of FiLM:
//!
//! | part | operations per sample |
//! |---|---|
//! | lifting | 2 N ((in + d) 4h + 4h h) |
//! | skip and perceptron of a layer | 2 N (h h + 2 h h/2) |
//! | transform and its inverse | 2 (2 N kx + 4 ny ky kx) channels |
//! | mixing of modes | 8 ky kx in out |
//! | projection | 2 N (h 4h + 4h m) |
//!
//! The transforms are counted as products with real matrices after the even and odd parts of a row
//! have been separated, which halves them: columns first, real to complex, then rows. On three axes
//! ky x kx modes become kz x ky x kx, and 4 ny ky becomes 4 (nz ny ky + nz kz ky).

use crate::network::{FilmFnoConfig, box_shape};

/// Cost of the backward pass relative to the forward pass: one product for the gradient of the
/// input and one for the gradient of the weight.
const BACKWARD: f64 = 2.0;

/// Hidden layers of each FiLM.
const FILM_LAYERS: f64 = 3.0;

/// The sizes of a network on a grid, as real numbers.
#[doc(hidden)]
pub struct Sizes {
    pub points: f64,
    pub hidden: f64,
    pub narrow: f64,
    pub film: f64,
    pub layers: f64,
    /// Input channels that vary over the grid, unlike those of the time.
    pub input: f64,
    pub output: f64,
    pub condition: f64,
    pub dimensions: f64,
    /// Numbers of kept modes: along z and y together, and along x.
    pub modes: [f64; 2],
    /// Operations of the transforms along y and z, per mode along x and per channel.
    across: f64,
}

impl Sizes {
    pub fn new(network: &FilmFnoConfig, grid: &[usize]) -> Self {
        let real = |n: usize| n as f64;
        let [nz, ny, nx] = box_shape(grid);
        let [modes_z, modes_y, modes_x] = network.mode_shape();
        let kx = real((modes_x / 2 + 1).min(nx / 2 + 1));
        let [kz, ky] = [modes_z.min(nz), modes_y.min(ny)].map(real);
        let [nz, ny, nx] = [nz, ny, nx].map(real);
        // A line needs no transform along y, a plane none along z.
        let along_y = if nz * ny > 1.0 { nz * ny * ky } else { 0.0 };
        let along_z = if nz > 1.0 { nz * kz * ky } else { 0.0 };
        Self {
            points: nz * ny * nx,
            hidden: real(network.hidden_channels),
            narrow: (real(network.hidden_channels) / 2.0)
                .round_ties_even()
                .max(1.0),
            film: real(network.film_channels),
            layers: real(network.layers),
            input: real(network.input_channels),
            output: real(network.output_channels),
            condition: real(network.condition_channels),
            dimensions: real(network.n_modes.len()),
            modes: [kz * ky, kx],
            across: 4.0 * (along_y + along_z),
        }
    }

    fn perceptron(&self, inputs: f64, hidden: f64, outputs: f64) -> f64 {
        2.0 * self.points * (inputs * hidden + hidden * outputs)
    }

    /// Operations of one transform, forward or inverse.
    fn transform(&self, channels: f64) -> f64 {
        let [_, kx] = self.modes;
        (2.0 * self.points + self.across) * kx * channels
    }

    fn convolution(&self, inputs: f64, outputs: f64) -> f64 {
        let [row_modes, kx] = self.modes;
        let mixing = 8.0 * row_modes * kx * inputs * outputs;
        self.transform(inputs) + mixing + self.transform(outputs)
    }

    fn film(&self, condition: f64, features: f64) -> f64 {
        let inner = (FILM_LAYERS - 1.0) * self.film * self.film;
        2.0 * self.points * (condition * self.film + inner + self.film * 2.0 * features)
    }
}

/// Operations to evaluate the velocity of one sample, given its context.
pub fn velocity_flops(network: &FilmFnoConfig, grid: &[usize]) -> f64 {
    let s = Sizes::new(network, grid);
    let h = s.hidden;
    let skip = 2.0 * s.points * h * h;
    let layer = s.convolution(h, h) + skip + s.perceptron(h, s.narrow, h);
    let linear = s.convolution(s.input, s.output) + 2.0 * s.points * s.input * s.output;
    s.perceptron(s.input + s.dimensions, 4.0 * h, h)
        + s.layers * layer
        + s.perceptron(h, 4.0 * h, s.output)
        + linear
}

/// Operations to compute the context of one input: the lifted condition and the coefficients of
/// every FiLM.
pub fn condition_flops(network: &FilmFnoConfig, grid: &[usize]) -> f64 {
    let s = Sizes::new(network, grid);
    let h = s.hidden;
    s.perceptron(s.condition + s.dimensions, 4.0 * h, h)
        + (s.layers + 1.0) * s.film(h, h)
        + s.film(s.condition, s.output)
}

/// Operations of a training step, forward and backward, for a batch with this number of distinct
/// inputs.
pub fn training_flops(network: &FilmFnoConfig, grid: &[usize], batch: usize, inputs: usize) -> f64 {
    let velocities = batch as f64 * velocity_flops(network, grid);
    let contexts = inputs.min(batch) as f64 * condition_flops(network, grid);
    (1.0 + BACKWARD) * (velocities + contexts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(n: usize) -> FilmFnoConfig {
        FilmFnoConfig::new(1, 1, 2, vec![n / 2, n / 2])
    }

    #[test]
    fn the_papers_network_takes_less_than_a_gigaflop_at_64_and_four_times_that_at_128() {
        let at_64 = velocity_flops(&square(64), &[64, 64]) / 1e9;
        let at_128 = velocity_flops(&square(128), &[128, 128]) / 1e9;
        assert!((0.7..0.85).contains(&at_64), "{at_64}");
        assert!((3.0..3.7).contains(&at_128), "{at_128}");
    }

    /// All products counted by hand for a tiny network.
    #[test]
    fn a_tiny_line_agrees_with_a_count_by_hand() {
        let network = FilmFnoConfig::new(1, 1, 1, vec![4])
            .with_hidden_channels(2)
            .with_layers(1)
            .with_film_channels(3);
        // 8 points, 3 modes: lifting, layer (transform, mixing, inverse; skip; perceptron),
        // projection.
        let lifting = 2 * 8 * (2 * 8 + 8 * 2);
        let layer = 2 * 8 * 3 * 2 + 8 * 3 * 2 * 2 + 2 * 8 * 3 * 2;
        let pointwise = 2 * 8 * 2 * 2 + 2 * 8 * (2 + 2);
        let projection = 2 * 8 * (2 * 8 + 8);
        let linear = 2 * 8 * 3 + 8 * 3 + 2 * 8 * 3 + 2 * 8;
        let all = lifting + layer + pointwise + projection + linear;
        assert_eq!(velocity_flops(&network, &[8]), f64::from(all));
        // The lifted condition, two FiLMs with two features, one FiLM with one.
        let film = |c: i32, features: i32| 2 * 8 * (c * 3 + 2 * 9 + 3 * 2 * features);
        let context = 2 * 8 * (2 * 8 + 8 * 2) + 2 * film(2, 2) + film(1, 1);
        assert_eq!(condition_flops(&network, &[8]), f64::from(context));
    }

    #[test]
    fn pointwise_work_is_linear_in_points_and_only_kept_modes_are_transformed() {
        let network = FilmFnoConfig::new(1, 1, 2, vec![8, 8]);
        let flops = |n: usize| velocity_flops(&network, &[n, n]);
        let ratio = flops(512) / flops(256);
        assert!((3.9..4.0).contains(&ratio), "{ratio}");
        // A grid too coarse for all modes keeps those that it resolves.
        let finer = FilmFnoConfig::new(1, 1, 2, vec![64, 64]);
        assert!(velocity_flops(&finer, &[8, 8]) < 8.0 * flops(8));
    }

    #[test]
    fn a_training_step_is_three_passes_and_shares_the_contexts_of_its_inputs() {
        let (network, grid) = (square(64), [64, 64]);
        let forward = 32.0 * velocity_flops(&network, &grid);
        let context = condition_flops(&network, &grid);
        let step = training_flops(&network, &grid, 32, 10);
        assert_eq!(step, 3.0 * (forward + 10.0 * context));
        assert_eq!(
            training_flops(&network, &grid, 1, 10),
            training_flops(&network, &grid, 1, 1)
        );
    }
}
