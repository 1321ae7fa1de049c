//! Compares the network on odd, prime, coarse and fine grids with a plain implementation in double
//! precision.
#![allow(clippy::unwrap_used)] // A test may panic.

mod plain_network;

use burn::tensor::{Device, Tensor, TensorData};
use floral::network::box_shape;
use floral::operator::{FilmFno, FilmFnoConfig, Weight, gradients, weights};
use plain_network::{Channels, PlainNetwork};

const TAU: f32 = 0.3;

/// Values without symmetry.
fn wave(channels: usize, points: usize, pitch: f64) -> Channels {
    let value = |i: usize| (pitch * (i * i + 3 * i) as f64).sin();
    let channel = |c: usize| (0..points).map(|i| value(c * points + i)).collect();
    (0..channels).map(channel).collect()
}

fn tensor(field: &Channels, [nz, ny, nx]: [usize; 3]) -> Tensor<4> {
    let values: Vec<f32> = field.iter().flatten().map(|v| *v as f32).collect();
    let shape = [1, field.len(), nz * ny, nx];
    Tensor::from_data(TensorData::new(values, shape), &Device::flex())
}

struct Case {
    network: FilmFno,
    plain: PlainNetwork,
    weights: Vec<Weight>,
    w: Channels,
    condition: Channels,
    /// Points per axis.
    shape: Vec<usize>,
    /// Points along z, y and x.
    grid: [usize; 3],
}

impl Case {
    fn new(config: &FilmFnoConfig, shape: &[usize]) -> Self {
        let network = FilmFno::new(config, 5, &Device::flex().autodiff()).unwrap();
        let weights = weights(&network).unwrap();
        let points = shape.iter().product();
        Self {
            plain: PlainNetwork::new(config.clone(), &weights),
            w: wave(config.input_channels, points, 0.7),
            condition: wave(config.condition_channels, points, 0.31),
            network,
            weights,
            shape: shape.to_vec(),
            grid: box_shape(shape),
        }
    }

    fn velocity(&self) -> Tensor<4> {
        let condition = tensor(&self.condition, self.grid);
        let context = self.network.condition(condition, &self.shape);
        let tau = Tensor::<1>::full([1], TAU, &Device::flex());
        let w = tensor(&self.w, self.grid);
        self.network.velocity(w, tau, &context.unwrap()).unwrap()
    }

    fn plain_velocity(&self, plain: &PlainNetwork) -> Channels {
        plain.velocity(&self.w, f64::from(TAU), &self.condition, self.grid)
    }

    fn assert_velocity(&self) {
        let found: Vec<f32> = self.velocity().into_data().try_into_vec().unwrap();
        let expected = self.plain_velocity(&self.plain).concat();
        let scale = expected.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        for (found, expected) in found.iter().zip(&expected) {
            let error = (f64::from(*found) - expected).abs() / scale;
            assert!(error < 1e-5, "{:?}: {found} {expected}", self.grid);
        }
    }

    /// Compares the derivative of sum(r v) along a direction in each array with finite differences.
    fn assert_gradients(&self) {
        let r = wave(self.w.len(), self.shape.iter().product(), 0.13);
        let loss = (self.velocity() * tensor(&r, self.grid)).sum();
        let gradients = gradients(&self.network, loss.backward()).unwrap();
        let plain_loss = |plain: &PlainNetwork| -> f64 {
            let v = self.plain_velocity(plain).concat();
            v.iter().zip(r.concat()).map(|(v, r)| v * r).sum()
        };
        for (weight, gradient) in self.weights.iter().zip(&gradients) {
            let direction = wave(1, weight.values.len(), 0.57).concat();
            let at = |step: f64| plain_loss(&self.plain.moved(&weight.name, &direction, step));
            let expected = (at(1e-5) - at(-1e-5)) / 2e-5;
            let along = gradient.values.iter().zip(&direction);
            let found: f64 = along.clone().map(|(g, d)| f64::from(*g) * d).sum();
            let scale: f64 = along.map(|(g, d)| (f64::from(*g) * d).abs()).sum();
            let error = (found - expected).abs() / scale.max(1e-6);
            assert!(
                error < 1e-4,
                "{} on {:?}: {found} {expected}",
                weight.name,
                self.grid
            );
        }
    }
}

fn plane() -> FilmFnoConfig {
    FilmFnoConfig::new(2, 2, 3, vec![4, 6])
        .with_hidden_channels(7)
        .with_layers(3)
        .with_film_channels(9)
}

fn line() -> FilmFnoConfig {
    FilmFnoConfig::new(1, 1, 2, vec![12]).with_hidden_channels(5)
}

fn block() -> FilmFnoConfig {
    FilmFnoConfig::new(1, 1, 2, vec![3, 4, 6])
        .with_hidden_channels(4)
        .with_layers(2)
        .with_film_channels(5)
}

#[test]
fn a_block_of_any_size_is_the_sum_of_its_waves() {
    let shapes = [
        [4, 5, 6],
        [5, 4, 7],
        [2, 7, 3],
        [3, 1, 8],
        [1, 4, 6],
        [6, 3, 2],
    ];
    for shape in shapes {
        Case::new(&block(), &shape).assert_velocity();
    }
}

#[test]
fn a_plane_of_any_size_is_the_sum_of_its_waves() {
    for shape in [[9, 10], [7, 11], [13, 6], [3, 5], [12, 25], [1, 8]] {
        Case::new(&plane(), &shape).assert_velocity();
    }
}

#[test]
fn a_line_of_any_size_is_the_sum_of_its_waves() {
    for nx in [2, 7, 9, 12, 13, 31, 40] {
        Case::new(&line(), &[nx]).assert_velocity();
    }
}

#[test]
fn gradients_on_odd_and_prime_grids_are_those_of_the_sums() {
    Case::new(&plane(), &[7, 11]).assert_gradients();
    Case::new(&plane(), &[9, 10]).assert_gradients();
    Case::new(&line(), &[13]).assert_gradients();
    Case::new(&line(), &[9]).assert_gradients();
    Case::new(&block(), &[4, 3, 5]).assert_gradients();
}
