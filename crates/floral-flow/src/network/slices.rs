//! The sizes of a network with attention over slices.

use serde::{Deserialize, Serialize};

use super::time::TIME_CHANNELS;
use crate::Error;

/// Sizes of a network that attends over learned slices of any set of points.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlicesConfig {
    /// Channels of the input field: w, or a for regression.
    pub input_channels: usize,
    /// Channels of the output field.
    pub output_channels: usize,
    /// Channels of the condition: a, or a and G_l\[a\].
    pub condition_channels: usize,
    /// Coordinate channels per point.
    pub coordinates: usize,
    /// Whether the flow time is an input; regression has none.
    pub time: bool,
    /// Channels between the layers, a multiple of the heads.
    pub hidden_channels: usize,
    /// Layers.
    pub layers: usize,
    /// Width of the hidden layers of every FiLM.
    pub film_channels: usize,
    /// Slices per head.
    pub slices: usize,
    /// Heads, each with its own slices.
    pub heads: usize,
}

impl SlicesConfig {
    /// Refuses sizes that define no network.
    pub fn check(&self) -> Result<(), Error> {
        let sizes = [
            ("input_channels", self.input_channels),
            ("output_channels", self.output_channels),
            ("condition_channels", self.condition_channels),
            ("coordinates", self.coordinates),
            ("hidden_channels", self.hidden_channels),
            ("layers", self.layers),
            ("film_channels", self.film_channels),
            ("slices", self.slices),
            ("heads", self.heads),
        ];
        let reason = match sizes.into_iter().find(|(_, size)| *size == 0) {
            Some((name, _)) => format!("{name} must be at least 1; it is 0"),
            None if !self.hidden_channels.is_multiple_of(self.heads) => format!(
                "hidden_channels = {} must be a multiple of heads = {}",
                self.hidden_channels, self.heads
            ),
            None => return Ok(()),
        };
        Err(Error::config("network", reason))
    }

    /// Channels that enter the network: those of the field and of the time.
    pub fn network_inputs(&self) -> usize {
        self.input_channels + if self.time { TIME_CHANNELS } else { 0 }
    }

    /// Channels per head.
    pub fn head_channels(&self) -> usize {
        self.hidden_channels / self.heads
    }
}
