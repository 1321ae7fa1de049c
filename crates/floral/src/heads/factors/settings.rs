//! The constants of the factors' network and of its training.

use serde::{Deserialize, Serialize};

use crate::operator::FilmFnoConfig;
use crate::{Error, Result};

/// Everything that decides the network, besides the data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// The seed of initial weights, batches and motions.
    pub seed: u64,
    /// Factor fields at most.
    pub factors: usize,
    /// Width of the Fourier layers, and of every FiLM.
    pub hidden_channels: usize,
    /// Fourier layers.
    pub layers: usize,
    /// Kept frequencies per axis at most, negative ones counted.
    pub modes: usize,
    /// Pairs of harmonics along each periodic axis at most.
    pub harmonics: usize,
    /// Points of the training grid at most; finer grids are thinned.
    pub most_points: usize,
    /// Steps at most.
    pub steps: usize,
    /// Rows per step.
    pub batch: usize,
    /// Steps in which the learning rate rises.
    pub warm_up: usize,
    /// The largest learning rate.
    pub learning_rate: f64,
    /// L2 weight decay.
    pub weight_decay: f64,
    /// Steps between two looks at the inputs held out.
    pub validate_every: usize,
    /// Looks without improvement after which training ends.
    pub patience: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            seed: 0,
            factors: 16,
            hidden_channels: 32,
            layers: 3,
            modes: 16,
            harmonics: 8,
            most_points: 32 * 32,
            steps: 500,
            batch: 8,
            warm_up: 25,
            learning_rate: 3e-3,
            weight_decay: 1e-4,
            validate_every: 25,
            patience: 8,
        }
    }
}

impl Settings {
    pub(super) fn check(&self) -> Result<()> {
        let sizes = [
            ("factors", self.factors),
            ("modes", self.modes),
            ("batch", self.batch),
            ("steps", self.steps),
            ("validate_every", self.validate_every),
            ("patience", self.patience),
        ];
        let reason = match sizes.into_iter().find(|(_, size)| *size == 0) {
            Some((name, _)) => format!("{name} must be at least 1; it is 0"),
            None if !(self.learning_rate > 0.0 && self.learning_rate.is_finite()) => {
                "learning_rate must be positive".into()
            }
            None => return Ok(()),
        };
        Err(Error::Config {
            context: "heads".into(),
            reason,
        })
    }

    /// What the network's output is multiplied by: factors that start as noise of unit variance in
    /// all are as large as the correlation that they are to match.
    pub(super) fn unit(&self) -> f32 {
        (self.factors as f32).sqrt().recip()
    }

    /// The network from `channels` fed to `fields` fields, on a grid of this shape.
    pub(super) fn network(&self, channels: usize, fields: usize, shape: &[usize]) -> FilmFnoConfig {
        let modes = shape.iter().map(|n| self.modes.min(*n)).collect();
        FilmFnoConfig::new(channels, fields, channels, modes)
            .with_time(false)
            .with_hidden_channels(self.hidden_channels)
            .with_layers(self.layers)
            .with_film_channels(self.hidden_channels)
    }
}
