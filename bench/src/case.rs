//! The measured network: on a grid, with random weights and data.

use rand_distr::{Distribution, StandardNormal};

use floral::operator::time_embedding::{TIME_CHANNELS, frequencies};
use floral::operator::{Device, FilmFnoConfig, Weight, weights, with_weights};
use floral::random::{Purpose, stream};
use floral::train::config::NetworkConfig;
use floral::train::model::{Shapes, initial, network_config};
use floral::train::{Method, Model, TrainConfig};
use floral::{Axis, Grid, Result};

/// The seed of the network's weights.
const SEED: u64 = 0;

/// FLORAL's network for a scalar problem.
///
/// The weights are initial weights, except that those of every wave of the time embedding are
/// divided by its angular frequency. All waves then change the velocity at the same rate, and an
/// adaptive integrator needs tens of evaluations, as for a trained network, instead of a thousand.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredNetwork {
    /// Points per axis: one to three numbers.
    pub grid: Vec<usize>,
    /// Number of samples computed together.
    pub batch: usize,
    /// Number of distinct inputs among the samples of a training step.
    pub inputs: usize,
    /// Width of the Fourier layers.
    pub hidden: usize,
    /// Retained frequencies per axis; `None` means half the resolution.
    pub n_modes: Option<Vec<usize>>,
    /// The device that computes.
    pub device: Device,
}

impl MeasuredNetwork {
    /// The paper's sizes on this grid, with all samples of one input.
    pub fn new(grid: Vec<usize>, batch: usize) -> Self {
        Self {
            grid,
            batch,
            inputs: 1,
            hidden: 64,
            n_modes: None,
            device: Device::flex(),
        }
    }

    /// The name of the size, as in "64x64".
    pub fn size(&self) -> String {
        let numbers: Vec<String> = self.grid.iter().map(usize::to_string).collect();
        numbers.join("x")
    }

    /// Number of grid points.
    pub fn points(&self) -> usize {
        self.grid.iter().product()
    }

    /// The settings of a run with this network.
    pub fn config(&self) -> TrainConfig {
        TrainConfig {
            method: Method::Floral,
            network: NetworkConfig {
                hidden_channels: self.hidden,
                n_modes: self.n_modes.clone(),
                ..NetworkConfig::default()
            },
            ..TrainConfig::default()
        }
    }

    /// The sizes of the network.
    pub fn network(&self) -> FilmFnoConfig {
        let config = self.config();
        network_config(config.method, &config.network, &self.shapes())
    }

    /// A network with initial weights, smooth in time.
    pub fn model(&self, device: &Device) -> Result<Model> {
        let config = self.config();
        let mut model = initial(config.method, &config.network, self.shapes(), SEED, device)?;
        let mut weights = weights(&model.network)?;
        for weight in &mut weights {
            calm(weight, model.network.config().input_channels());
        }
        model.network = with_weights(model.network, weights)?;
        Ok(model)
    }

    pub(super) fn shapes(&self) -> Shapes {
        Shapes {
            input_channels: 1,
            solution_channels: 1,
            grid: self.grid.clone(),
            coordinates: None,
        }
    }

    pub(super) fn unit_grid(&self) -> Grid {
        let names = ["z", "y", "x"];
        let names = names.iter().skip(3usize.saturating_sub(self.grid.len()));
        let axes = self.grid.iter().zip(names);
        Grid::new(axes.map(|(&n, name)| Axis::closed(name, n)).collect())
    }

    /// `channels` channels of standard normal values; equal for equal `kind`.
    pub fn values(&self, channels: usize, kind: u64) -> Vec<f32> {
        let mut rng = stream(SEED, Purpose::Input, kind, 0);
        let count = channels * self.points();
        (0..count)
            .map(|_| StandardNormal.sample(&mut rng))
            .collect()
    }

    /// One time per sample, evenly spaced.
    pub fn times(&self) -> Vec<f32> {
        let time = |i: usize| (i as f32 + 0.5) / self.batch as f32;
        (0..self.batch).map(time).collect()
    }
}

/// Divides the weights of each time channel by 2 pi times the frequency of its wave.
fn calm(weight: &mut Weight, input_channels: usize) {
    let takes_time = ["lift.hidden.weight", "linear.pointwise.weight"];
    let is_spectral = weight.name.starts_with("linear.spectral.weight");
    if !is_spectral && !takes_time.contains(&weight.name.as_str()) {
        return;
    }
    // [.., in, out]
    let [.., inputs, outputs] = weight.shape[..] else {
        return;
    };
    let waves = frequencies();
    for matrix in weight.values.chunks_exact_mut(inputs * outputs) {
        let rows = matrix.chunks_exact_mut(outputs).skip(input_channels);
        for (channel, row) in rows.take(TIME_CHANNELS).enumerate() {
            let speed = std::f32::consts::TAU * waves[channel % waves.len()];
            row.iter_mut().for_each(|value| *value /= speed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use floral::operator::FilmFno;

    #[test]
    fn fast_waves_are_calmed_and_nothing_else_is_changed() {
        let case = MeasuredNetwork {
            hidden: 4,
            ..MeasuredNetwork::new(vec![8, 8], 1)
        };
        let device = Device::flex();
        let calmed = weights(&case.model(&device).unwrap().network).unwrap();
        let initial = weights(&FilmFno::new(&case.network(), SEED, &device).unwrap()).unwrap();
        for (calmed, initial) in calmed.iter().zip(&initial) {
            let changed = calmed.values.iter().zip(&initial.values);
            let changed = changed.filter(|(a, b)| a != b).count();
            let expected = match calmed.name.as_str() {
                "lift.hidden.weight" => 10 * 16,
                "linear.pointwise.weight" => 10,
                "linear.spectral.weight_re" | "linear.spectral.weight_im" => 10 * 4 * 3,
                _ => 0,
            };
            assert_eq!(changed, expected, "{}", calmed.name);
        }
    }
}
