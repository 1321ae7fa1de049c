//! The settings of networks and their training; the defaults are the paper's.

use serde::{Deserialize, Serialize};

/// Sizes of the network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NetworkConfig {
    /// Kind of the layers.
    pub kind: NetworkKind,
    /// Width of the layers.
    pub hidden_channels: usize,
    /// Number of layers.
    pub layers: usize,
    /// Width of the hidden layers of every FiLM (feature-wise linear modulation).
    pub film_channels: usize,
    /// Kept frequencies per axis; half the training resolution if absent.
    pub n_modes: Option<Vec<usize>>,
    /// Slices per attention head, for kind `slices`.
    pub slices: usize,
    /// Attention heads, for kind `slices`; must divide `hidden_channels`.
    pub heads: usize,
}

/// Kind of the layers of a network.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NetworkKind {
    /// Fourier layers, as in the paper, on grids.
    #[default]
    Fno,
    /// Attention over learned slices, on grids and meshes.
    Slices,
}

/// Largest accepted size. No machine reaches it, and products of smaller sizes do not overflow.
const LARGEST_SIZE: usize = 1 << 24;

impl NetworkConfig {
    pub(super) fn has_sizes_in_reach(&self) -> bool {
        let sizes = [
            self.hidden_channels,
            self.layers,
            self.film_channels,
            self.slices,
            self.heads,
        ];
        let modes = self.n_modes.iter().flatten();
        sizes
            .iter()
            .chain(modes)
            .all(|&size| (1..=LARGEST_SIZE).contains(&size))
    }

    /// Describes a setting that belongs to the other kind, or heads that do not divide the width.
    pub(super) fn contradiction(&self) -> Option<&'static str> {
        let default = Self::default();
        match self.kind {
            NetworkKind::Fno if (self.slices, self.heads) != (default.slices, default.heads) => {
                Some("network.slices and heads are for network.kind = \"slices\"; leave them out")
            }
            NetworkKind::Slices if self.n_modes.is_some() => {
                Some("network.n_modes is for network.kind = \"fno\"; leave it out")
            }
            NetworkKind::Slices if !self.hidden_channels.is_multiple_of(self.heads.max(1)) => {
                Some("network.hidden_channels must be a multiple of network.heads")
            }
            _ => None,
        }
    }
}

impl Default for NetworkConfig {
    fn default() -> Self {
        Self {
            kind: NetworkKind::Fno,
            hidden_channels: 64,
            layers: 4,
            film_channels: 64,
            n_modes: None,
            slices: 32,
            heads: 4,
        }
    }
}

/// Constants of Adam and of its learning-rate schedule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OptimiserConfig {
    /// Samples per step.
    pub batch: usize,
    /// What a sample is, for the regression networks fno and residual-fno.
    pub rows: Rows,
    /// Learning rate of the first epoch.
    pub learning_rate: f64,
    /// Factor on the learning rate every `decay_every` epochs.
    pub decay: f64,
    /// Number of epochs between two such factors.
    pub decay_every: usize,
    /// L2 weight decay, added to the gradient as in classic Adam.
    pub weight_decay: f64,
    /// Largest norm of the gradient; larger gradients are scaled down to it.
    pub clip: f64,
    /// Decay of a running mean of the weights, such as 0.999; the mean is validated and used for
    /// prediction instead of the weights. 0 for no mean.
    pub average: f64,
}

impl Default for OptimiserConfig {
    fn default() -> Self {
        Self {
            batch: 32,
            rows: Rows::Realizations,
            learning_rate: 1e-3,
            decay: 0.99,
            decay_every: 10,
            weight_decay: 1e-4,
            clip: 1.0,
            average: 0.0,
        }
    }
}

/// The samples of a regression network.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rows {
    /// Every realization, as in the paper.
    #[default]
    Realizations,
    /// The mean of each input's realizations: the same minimiser without their noise, and one
    /// sample per input.
    Inputs,
}

/// Stopping criteria.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StoppingConfig {
    /// Largest number of epochs.
    pub epochs: usize,
    /// Stop after this number of epochs without improvement of the validation loss.
    pub patience: usize,
    /// Smallest decrease of the validation loss that counts as an improvement.
    pub least_improvement: f64,
    /// Validation samples on which the loss is computed, evenly spaced among all; 0 for all of them.
    pub validation_samples: usize,
}

impl Default for StoppingConfig {
    fn default() -> Self {
        Self {
            epochs: 300,
            patience: 90,
            least_improvement: 1e-4,
            validation_samples: 0,
        }
    }
}
