//! The configuration of a training run; the defaults are the paper's.

use serde::{Deserialize, Serialize};

use super::Method;
use crate::dataset::SplitConfig;
use crate::flow::{PathConfig, PriorConfig};
use crate::{Error, Result};

/// Everything that decides the outcome of a run, besides the data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TrainConfig {
    /// What is learned.
    pub method: Method,
    /// The seed of initial weights, batches, times and priors.
    pub seed: u64,
    /// Points per axis to train on, one number each; absent for the full grid. Every s-th point is
    /// taken, so each must divide the dataset's.
    pub resolution: Option<Vec<usize>>,
    /// Inputs for testing, validation and training.
    pub split: SplitConfig,
    /// The network's sizes.
    pub network: NetworkConfig,
    /// Where the flow starts.
    pub prior: PriorConfig,
    /// The path from there to the data.
    pub path: PathConfig,
    /// How the loss is brought down.
    pub optimiser: OptimiserConfig,
    /// When to stop.
    pub stopping: StoppingConfig,
}

/// Sizes of the network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NetworkConfig {
    /// Width of the Fourier layers.
    pub hidden_channels: usize,
    /// Number of Fourier layers.
    pub layers: usize,
    /// Width of the hidden layers of every FiLM.
    pub film_channels: usize,
    /// Kept frequencies per axis; half the training resolution if absent.
    pub n_modes: Option<Vec<usize>>,
}

/// Sizes beyond any machine: products of sizes below stay countable.
const LARGEST_SIZE: usize = 1 << 24;

impl NetworkConfig {
    fn has_sizes_in_reach(&self) -> bool {
        let sizes = [self.hidden_channels, self.layers, self.film_channels];
        let modes = self.n_modes.iter().flatten();
        sizes
            .iter()
            .chain(modes)
            .all(|&size| (1..=LARGEST_SIZE).contains(&size))
    }
}

impl Default for NetworkConfig {
    fn default() -> Self {
        Self {
            hidden_channels: 64,
            layers: 4,
            film_channels: 64,
            n_modes: None,
        }
    }
}

/// Constants of Adam and its schedule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OptimiserConfig {
    /// Samples per step.
    pub batch: usize,
    /// Learning rate of the first epoch.
    pub learning_rate: f64,
    /// Factor on the learning rate ...
    pub decay: f64,
    /// ... every so many epochs.
    pub decay_every: usize,
    /// L2 weight decay, added to the gradient as in classic Adam.
    pub weight_decay: f64,
    /// Largest norm of the gradient; longer ones are scaled down.
    pub clip: f64,
}

impl Default for OptimiserConfig {
    fn default() -> Self {
        Self {
            batch: 32,
            learning_rate: 1e-3,
            decay: 0.99,
            decay_every: 10,
            weight_decay: 1e-4,
            clip: 1.0,
        }
    }
}

/// When to stop.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StoppingConfig {
    /// At most this many epochs.
    pub epochs: usize,
    /// Stop after so many epochs without improvement of the validation loss.
    pub patience: usize,
    /// What counts as improvement.
    pub least_improvement: f64,
}

impl Default for StoppingConfig {
    fn default() -> Self {
        Self {
            epochs: 300,
            patience: 90,
            least_improvement: 1e-4,
        }
    }
}

impl Default for TrainConfig {
    fn default() -> Self {
        Self {
            method: Method::Floral,
            seed: 0,
            resolution: None,
            split: SplitConfig::default(),
            network: NetworkConfig::default(),
            prior: PriorConfig::default(),
            path: PathConfig::default(),
            optimiser: OptimiserConfig::default(),
            stopping: StoppingConfig::default(),
        }
    }
}

impl TrainConfig {
    /// Reads a table; unknown keys and wrong types are refused.
    pub fn from_table(table: toml::Table, context: &str) -> Result<Self> {
        let config: Self = table.try_into().map_err(Error::toml(context))?;
        config.check(context)?;
        Ok(config)
    }

    pub(super) fn check(&self, context: &str) -> Result<()> {
        let optimiser = &self.optimiser;
        let wrong = if optimiser.batch == 0 {
            "optimiser.batch must be at least 1"
        } else if !(optimiser.learning_rate > 0.0 && optimiser.learning_rate.is_finite()) {
            "optimiser.learning_rate must be positive"
        } else if !(optimiser.decay > 0.0 && optimiser.decay <= 1.0) {
            "optimiser.decay must lie between 0 and 1"
        } else if optimiser.decay_every == 0 {
            "optimiser.decay_every must be at least 1"
        } else if !(optimiser.weight_decay >= 0.0 && optimiser.clip > 0.0) {
            "optimiser.weight_decay must not be negative and optimiser.clip must be positive"
        } else if !(self.path.sigma_min >= 0.0 && self.path.sigma_min.is_finite()) {
            "path.sigma_min must not be negative"
        } else if self.stopping.epochs == 0 {
            "stopping.epochs must be at least 1"
        } else if !self.network.has_sizes_in_reach() {
            "network.hidden_channels, layers, film_channels and n_modes must lie between 1 and 2^24"
        } else {
            return Ok(());
        };
        Err(Error::Config {
            context: context.to_owned(),
            reason: wrong.to_owned(),
        })
    }

    /// The learning rate of an epoch.
    pub fn learning_rate(&self, epoch: usize) -> f64 {
        let decays = (epoch / self.optimiser.decay_every) as i32;
        self.optimiser.learning_rate * self.optimiser.decay.powi(decays)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_survives_its_file() {
        let config = TrainConfig {
            resolution: Some(vec![8, 16]),
            ..Default::default()
        };
        let table: toml::Table = toml::to_string(&config).unwrap().parse().unwrap();
        assert_eq!(TrainConfig::from_table(table, "file").unwrap(), config);
    }

    #[test]
    fn unknown_keys_and_impossible_values_are_named() {
        let message = |text: &str| {
            let table = text.parse().unwrap();
            TrainConfig::from_table(table, "c.toml")
                .unwrap_err()
                .to_string()
        };
        assert!(message("[optimiser]\nlr = 1").contains("lr"));
        assert!(message("method = 'gan'").contains("gan"));
        assert!(message("[optimiser]\nbatch = 0").contains("batch"));
        assert!(message("[network]\nlayers = 0").contains("layers"));
        assert!(message("[network]\nn_modes = [9223372036854775807]").contains("n_modes"));
    }

    #[test]
    fn the_learning_rate_falls_in_stairs() {
        let config = TrainConfig::default();
        assert_eq!(config.learning_rate(9), 1e-3);
        assert!((config.learning_rate(25) - 1e-3 * 0.99 * 0.99).abs() < 1e-15);
    }
}
