//! The sizes of a Fourier neural operator.

use serde::{Deserialize, Serialize};

use super::time::TIME_CHANNELS;
use crate::Error;
use crate::grid::MOST_AXES;

/// Sizes of the network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilmFnoConfig {
    /// Channels of the input field: w, or a for regression.
    pub input_channels: usize,
    /// Channels of the output field.
    pub output_channels: usize,
    /// Channels of the condition: a, or a and G_l\[a\].
    pub condition_channels: usize,
    /// Kept frequencies per dimension, half the training resolution: one to three numbers.
    pub n_modes: Vec<usize>,
    /// Whether the flow time is an input; regression has none.
    pub time: bool,
    /// Channels between the layers.
    pub hidden_channels: usize,
    /// Fourier layers.
    pub layers: usize,
    /// Width of the hidden layers of every FiLM.
    pub film_channels: usize,
}

impl FilmFnoConfig {
    /// A network of these channels and modes, with the paper's other sizes.
    pub fn new(
        input_channels: usize,
        output_channels: usize,
        condition_channels: usize,
        n_modes: Vec<usize>,
    ) -> Self {
        Self {
            input_channels,
            output_channels,
            condition_channels,
            n_modes,
            time: true,
            hidden_channels: 64,
            layers: 4,
            film_channels: 64,
        }
    }

    /// The same with or without the flow time.
    pub fn with_time(self, time: bool) -> Self {
        Self { time, ..self }
    }

    /// The same with this number of channels between the layers.
    pub fn with_hidden_channels(self, hidden_channels: usize) -> Self {
        Self {
            hidden_channels,
            ..self
        }
    }

    /// The same with this number of Fourier layers.
    pub fn with_layers(self, layers: usize) -> Self {
        Self { layers, ..self }
    }

    /// The same with hidden layers of this width in every FiLM.
    pub fn with_film_channels(self, film_channels: usize) -> Self {
        Self {
            film_channels,
            ..self
        }
    }

    /// Refuses sizes that define no network.
    pub fn check(&self) -> Result<(), Error> {
        let sizes = [
            ("input_channels", self.input_channels),
            ("output_channels", self.output_channels),
            ("condition_channels", self.condition_channels),
            ("hidden_channels", self.hidden_channels),
            ("layers", self.layers),
            ("film_channels", self.film_channels),
        ];
        if let Some((name, _)) = sizes.into_iter().find(|(_, size)| *size == 0) {
            return Err(unusable(format!("{name} must be at least 1; it is 0")));
        }
        let n_modes = &self.n_modes;
        if !(1..=MOST_AXES).contains(&n_modes.len()) || n_modes.contains(&0) {
            return Err(unusable(format!(
                "n_modes is {n_modes:?}; give a mode count for each of one to {MOST_AXES} axes, each \
                 at least 1"
            )));
        }
        Ok(())
    }

    /// Channels that enter the network: those of the field and of the time.
    pub fn network_inputs(&self) -> usize {
        self.input_channels + if self.time { TIME_CHANNELS } else { 0 }
    }

    /// Kept frequencies along z, y and x; a missing axis keeps the zero frequency only.
    pub fn mode_shape(&self) -> [usize; 3] {
        box_shape(&self.n_modes)
    }
}

/// Lengths of a grid along z, y and x; missing leading axes have one point.
pub fn box_shape(shape: &[usize]) -> [usize; 3] {
    let missing = MOST_AXES.saturating_sub(shape.len());
    std::array::from_fn(|axis| axis.checked_sub(missing).map_or(1, |i| shape[i]))
}

fn unusable(reason: String) -> Error {
    Error::config("network", reason)
}
