//! The memory that training holds at once, estimated before it starts.
//!
//! Everything is f32. A training step works on one block of samples at a time (`block_rows`). For
//! the backward pass each layer keeps its input and two half spectra; the rest is recomputed. With
//! the symbols of [`arithmetic`](super::arithmetic), in numbers of values:
//!
//! | part | values |
//! |---|---|
//! | parameters | [`PARAMETER_COPIES`] times |
//! | FiLM coefficients | inputs 2 N h (layers + 1), and as many gradients |
//! | activations | rows (layers (N h + 4 ky kx h) + [`WORKING_FIELDS`] N h) |
//! | data | all samples and conditions |

use super::arithmetic::Sizes;
use super::blocks::block_rows;
use crate::network::FilmFnoConfig;
use floral_data::memory::available;

/// Copies of the parameters in training: the network's, the optimiser's own and its two moments,
/// two of the gradient while blocks are added, and the best checkpoint (weights and moments) until
/// it is written.
pub const PARAMETER_COPIES: f64 = 9.0;

/// Hidden-channel fields beside those kept for the backward pass: a layer's input, output and
/// spectral part, and their gradients.
pub const WORKING_FIELDS: f64 = 6.0;

/// Half spectra kept by a layer, each with two numbers per kept mode and channel.
const KEPT_SPECTRA: f64 = 2.0;

const BYTES: f64 = 4.0;

/// Memory in bytes, by purpose.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Memory {
    /// Weights, gradients and moments of the optimiser.
    pub parameters: f64,
    /// FiLM coefficients and their gradients.
    pub context: f64,
    /// Values that the layers keep and work on.
    pub activations: f64,
    /// Samples and conditions.
    pub data: f64,
}

impl Memory {
    /// Total bytes.
    pub fn total(&self) -> f64 {
        self.parameters + self.context + self.activations + self.data
    }

    /// Whether the training data may be held in memory: they take at most half of what the rest
    /// leaves. Otherwise they are kept in a file, with the same results.
    pub fn has_room_for_data(&self) -> bool {
        available().is_none_or(|left| self.leaves_room_of(left as f64))
    }

    fn leaves_room_of(&self, left: f64) -> bool {
        2.0 * self.data <= left - (self.total() - self.data)
    }
}

/// Sizes of the training data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Load {
    /// Samples per step.
    pub batch: usize,
    /// Largest number of distinct inputs in a step.
    pub inputs: usize,
    /// Number of values in all training data.
    pub values: usize,
}

impl Memory {
    /// Estimates the memory for training a Fourier neural operator.
    pub fn of_training(network: &FilmFnoConfig, grid: &[usize], load: &Load) -> Self {
        let s = Sizes::new(network, grid);
        let rows = load.batch.min(block_rows(s.points as usize)) as f64;
        let inputs = rows.min(load.inputs as f64);
        let field = s.points * s.hidden;
        let [row_modes, kx] = s.modes;
        let kept = field + KEPT_SPECTRA * 2.0 * row_modes * kx * s.hidden;
        Self {
            parameters: BYTES * PARAMETER_COPIES * parameters(network),
            // With their gradients; the lifted condition counts as one more pair of coefficients.
            context: BYTES * inputs * 2.0 * 2.0 * field * (s.layers + 2.0),
            activations: BYTES * rows * (s.layers * kept + WORKING_FIELDS * field),
            data: BYTES * load.values as f64,
        }
    }
}

/// Number of weights of a network.
pub fn parameters(network: &FilmFnoConfig) -> f64 {
    // Only the widths matter: any grid that holds all modes will do.
    let [modes_z, modes_y, modes_x] = network.mode_shape();
    let s = Sizes::new(network, &[modes_z, modes_y, 2 * modes_x]);
    let (h, [row_modes, kx]) = (s.hidden, s.modes);
    let mlp =
        |inputs: f64, hidden: f64, outputs: f64| (inputs + 1.0) * hidden + (hidden + 1.0) * outputs;
    let film = |inputs: f64, features: f64| {
        (inputs + 1.0) * s.film + 2.0 * (s.film + 1.0) * s.film + (s.film + 1.0) * 2.0 * features
    };
    let spectral = |inputs: f64, outputs: f64| 2.0 * row_modes * kx * inputs * outputs + outputs;
    let fed = network.network_inputs() as f64;
    let layer = spectral(h, h) + h * h + mlp(h, s.narrow, h) + h + film(h, h);
    mlp(fed + s.dimensions, 4.0 * h, h)
        + mlp(s.condition + s.dimensions, 4.0 * h, h)
        + film(h, h)
        + s.layers * layer
        + mlp(h, 4.0 * h, s.output)
        + spectral(fed, s.output)
        + (fed + 1.0) * s.output
        + film(s.condition, s.output)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_are_held_where_the_rest_leaves_twice_their_room() {
        let memory = training(64, 32);
        let rest = memory.total() - memory.data;
        assert!(memory.leaves_room_of(rest + 2.0 * memory.data));
        assert!(!memory.leaves_room_of(rest + 1.9 * memory.data));
        assert!(!memory.leaves_room_of(rest / 2.0));
    }

    fn training(n: usize, batch: usize) -> Memory {
        let network = FilmFnoConfig::new(1, 1, 2, vec![n / 2, n / 2]);
        let load = Load {
            batch,
            inputs: 10,
            values: 1000 * n * n,
        };
        Memory::of_training(&network, &[n, n], &load)
    }

    #[test]
    fn the_papers_training_fits_a_laptop() {
        assert!(training(64, 32).total() < 3e9);
        assert!(training(128, 32).total() < 6e9);
    }

    #[test]
    fn a_batch_beyond_a_block_takes_no_more_memory() {
        assert!(training(64, 4).total() < training(64, 32).total());
        let rows = block_rows(128 * 128);
        assert_eq!(training(128, rows), training(128, 4 * rows));
    }
}
