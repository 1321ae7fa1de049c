//! The configuration of a training run; for networks the defaults are the paper's.

use serde::{Deserialize, Serialize};

pub use super::network_config::{
    NetworkConfig, NetworkKind, OptimiserConfig, Rows, StoppingConfig,
};
use super::{Budget, Method};
use crate::dataset::{Split, SplitConfig};
use crate::flow::{PathConfig, PriorConfig};
use crate::kl::{LawKind, Part, Recipe, Symmetry};
use crate::low::LowConfig;
use crate::settings::{TRAINING, annotated};
use crate::transform::TransformConfig;
use crate::{Error, Result};

/// Settings that concern networks alone.
const NETWORK_SECTIONS: [&str; 5] = ["network", "prior", "path", "optimiser", "stopping"];

/// All settings of a training run. Together with the data they determine its outcome.
///
/// The default trains [`Method::FloralKl`]. The sections `network`, `prior`, `path`, `optimiser`
/// and `stopping` concern networks only.
///
/// ```
/// use floral::train::{Method, TrainConfig};
///
/// let mut settings = TrainConfig { method: Method::Kriging, seed: 7, ..TrainConfig::default() };
/// settings.split.validation = Some(0);
/// let table = settings.to_toml().parse().expect("TOML");
/// assert_eq!(TrainConfig::from_table(table, "settings")?, settings);
/// # Ok::<(), floral::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TrainConfig {
    /// Method of the run: what is learned, and how.
    pub method: Method,
    /// Seed of the initial weights, batches, times and prior draws.
    pub seed: u64,
    /// Points per axis to train on; `None` for the full grid. Every s-th point is used, so each
    /// number must divide that of the dataset. A regression uses high fidelity at these points
    /// only, but input and low fidelity at every point.
    pub resolution: Option<Vec<usize>>,
    /// Symmetries that regressions exploit, such as `roll:x`; if `None`, those of the dataset.
    pub symmetries: Option<Vec<Symmetry>>,
    /// Distribution of the realizations of floral-kl and kriging.
    #[serde(alias = "coefficients")]
    pub law: LawKind,
    /// Time limit for a fit of floral-kl, which omits the parts that do not fit in it. Without a
    /// limit the work, and so the result, depends on the data alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
    /// A part that a fit of floral-kl omits, for ablation studies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub without: Option<Part>,
    /// Transforms applied to the solution before learning, one for all channels or one per channel:
    /// `none`, `log`, `sqrt`, `positive`, `bounded:FROM:TO`.
    pub transform: TransformConfig,
    /// Numbers of inputs for testing, validation and training.
    pub split: SplitConfig,
    /// Source of low fidelity.
    pub low: LowConfig,
    /// Sizes of the network.
    pub network: NetworkConfig,
    /// Random field from which the flow starts.
    pub prior: PriorConfig,
    /// Path of the flow from the prior to the data.
    pub path: PathConfig,
    /// Settings of the optimiser, Adam.
    pub optimiser: OptimiserConfig,
    /// Stopping criteria.
    pub stopping: StoppingConfig,
}

impl TrainConfig {
    /// Reads a table; unknown keys and wrong types are refused.
    pub fn from_table(table: toml::Table, context: &str) -> Result<Self> {
        let config: Self = table.try_into().map_err(Error::toml(context))?;
        config.check(context)?;
        Ok(config)
    }

    /// The settings as TOML, as written to `config.toml`. For a regression the network sections are
    /// omitted.
    pub fn to_toml(&self) -> String {
        toml::to_string(&self.to_table()).expect("a table of numbers, strings and lists")
    }

    /// The settings as TOML, with the meaning of every key in a comment above it.
    pub fn to_annotated_toml(&self) -> String {
        annotated(&self.to_table(), TRAINING)
    }

    fn to_table(&self) -> toml::Table {
        let mut table = toml::Table::try_from(self).expect("numbers, strings and lists");
        if self.method.recipe().is_some() {
            NETWORK_SECTIONS
                .iter()
                .for_each(|section| drop(table.remove(*section)));
        }
        table
    }

    /// These settings for another method; settings that do not concern that method are reset to
    /// their defaults.
    pub fn for_method(self, method: Method) -> Self {
        let mut own = Self { method, ..self };
        if method.is_flow() {
            own.optimiser.rows = Rows::Realizations;
        }
        if method.recipe().is_none() {
            return own;
        }
        let Self {
            network,
            prior,
            path,
            optimiser,
            stopping,
            ..
        } = Self::default();
        Self {
            network,
            prior,
            path,
            optimiser,
            stopping,
            ..own
        }
    }

    /// These settings with the absent numbers of the split chosen for a dataset of `inputs` inputs;
    /// numbers already given stay.
    #[must_use]
    pub fn for_inputs(self, inputs: usize) -> Self {
        let is_watched = self.method.recipe().is_none();
        Self {
            split: self.split.for_inputs(inputs, is_watched),
            ..self
        }
    }

    /// Ranges of the test, validation and training inputs of a dataset with `inputs` inputs.
    pub fn split_of(&self, inputs: usize) -> Result<Split> {
        let is_watched = self.method.recipe().is_none();
        let split = self.split.for_inputs(inputs, is_watched);
        if split.validation == Some(0) && is_watched {
            return Err(Error::config(
                "split.validation",
                format!(
                    "{} needs at least one validation input and one training input",
                    self.method
                ),
            ));
        }
        split.of(inputs)
    }

    /// Recipe of the regressions, without the omitted part if one is set; `None` for a network.
    pub fn recipe(&self) -> Option<Recipe> {
        let recipe = self.method.recipe()?;
        let is_whole = recipe == Recipe::Blend;
        let part = self.without.filter(|_| is_whole);
        Some(part.map_or(recipe, Recipe::Without))
    }

    /// First network section that differs from its default, if the method is a regression.
    fn idle_section(&self) -> Option<&'static str> {
        let default = Self::default();
        self.method.recipe()?;
        let changed = [
            self.network != default.network,
            self.prior != default.prior,
            self.path != default.path,
            self.optimiser != default.optimiser,
            self.stopping != default.stopping,
        ];
        let sections = NETWORK_SECTIONS.into_iter().zip(changed);
        sections
            .into_iter()
            .find_map(|(name, is)| is.then_some(name))
    }

    pub(super) fn check(&self, context: &str) -> Result<()> {
        if let Some(section) = self.idle_section() {
            return Err(Error::config(
                context,
                format!(
                    "[{section}] is for networks, but {} is a regression; leave it out, or choose \
                     the method floral",
                    self.method
                ),
            ));
        }
        self.low.check()?;
        let optimiser = &self.optimiser;
        let wrong = if toml::Table::try_from(self).is_err() {
            "whole numbers must be at most 9223372036854775807, the largest that TOML can hold"
        } else if optimiser.batch == 0 {
            "optimiser.batch must be at least 1"
        } else if !(optimiser.learning_rate > 0.0 && optimiser.learning_rate.is_finite()) {
            "optimiser.learning_rate must be positive"
        } else if !(optimiser.decay > 0.0 && optimiser.decay <= 1.0) {
            "optimiser.decay must lie between 0 and 1"
        } else if self.method.is_flow() && optimiser.rows == Rows::Inputs {
            "optimiser.rows = \"inputs\" trains on means, from which flora and floral learn no spread; \
             leave it out, or choose the method fno or residual-fno"
        } else if optimiser.decay_every == 0 {
            "optimiser.decay_every must be at least 1"
        } else if !(optimiser.weight_decay >= 0.0 && optimiser.clip > 0.0) {
            "optimiser.weight_decay must not be negative and optimiser.clip must be positive"
        } else if !(0.0..1.0).contains(&optimiser.average) {
            "optimiser.average must be 0 or lie between 0 and 1"
        } else if !(self.path.sigma_min >= 0.0 && self.path.sigma_min.is_finite()) {
            "path.sigma_min must not be negative"
        } else if self.stopping.epochs == 0 {
            "stopping.epochs must be at least 1"
        } else if !self.network.has_sizes_in_reach() {
            "network.hidden_channels, layers, film_channels, n_modes, slices and heads must lie between 1 \
             and 2^24"
        } else if let Some(contradiction) = self.network.contradiction() {
            contradiction
        } else {
            return Ok(());
        };
        Err(Error::config(context, wrong))
    }

    /// Learning rate in an epoch, counted from 0.
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
        for method in Method::ALL {
            let config = TrainConfig {
                method,
                resolution: Some(vec![8, 16]),
                ..Default::default()
            };
            let table: toml::Table = config.to_toml().parse().unwrap();
            assert_eq!(
                table.contains_key("optimiser"),
                method.recipe().is_none(),
                "{method}"
            );
            assert_eq!(TrainConfig::from_table(table, "file").unwrap(), config);
        }
    }

    #[test]
    fn means_of_inputs_are_for_regressions_and_left_to_them() {
        let with = |method: &str| {
            let text = format!("method = '{method}'\n[optimiser]\nrows = 'inputs'");
            TrainConfig::from_table(text.parse().unwrap(), "file")
        };
        let refusal = with("floral").unwrap_err().to_string();
        assert!(refusal.contains("optimiser.rows"), "{refusal}");
        let regression = with("residual-fno").unwrap();
        let rows = |method| regression.clone().for_method(method).optimiser.rows;
        assert_eq!(rows(Method::Fno), Rows::Inputs);
        assert_eq!(rows(Method::Floral), Rows::Realizations);
    }

    #[test]
    fn a_regression_takes_no_settings_of_networks() {
        let table = |method: &str| {
            let text = format!("method = '{method}'\n[stopping]\nepochs = 3");
            TrainConfig::from_table(text.parse().unwrap(), "c.toml")
        };
        let words = table("kriging").unwrap_err().to_string();
        assert!(words.contains("[stopping] is for networks"), "{words}");
        let config = table("flora").unwrap();
        assert_eq!(config.clone().for_method(Method::Floral).stopping.epochs, 3);
        assert!(
            config
                .for_method(Method::FloralKl)
                .check("settings")
                .is_ok()
        );
    }

    #[test]
    fn only_a_regression_does_without_validation() {
        let mut config = TrainConfig::default();
        config.split.validation = Some(0);
        assert!(config.split_of(20).is_ok());
        config.method = Method::Floral;
        assert!(
            config
                .split_of(20)
                .unwrap_err()
                .to_string()
                .contains("validation input")
        );
    }

    #[test]
    fn unknown_keys_and_impossible_values_are_named() {
        let message = |text: &str| {
            let text = if text.starts_with("method") {
                text.to_owned()
            } else {
                format!("method = 'floral'\n{text}")
            };
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
