//! The split of a dataset by input: test, validation, training.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// How many inputs serve what.
///
/// Test inputs come first, then validation, then training: with a longer dataset of the same seed,
/// or more training inputs, everybody is still tested on the same inputs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SplitConfig {
    /// Inputs kept for evaluation.
    pub test: usize,
    /// Inputs on which training is watched.
    pub validation: usize,
    /// Inputs to train on; all that are left if absent.
    pub train: Option<usize>,
}

impl Default for SplitConfig {
    fn default() -> Self {
        Self {
            test: 15,
            validation: 15,
            train: None,
        }
    }
}

/// The three ranges of inputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// Inputs kept for evaluation.
    pub test: Range<usize>,
    /// Inputs on which training is watched.
    pub validation: Range<usize>,
    /// Inputs to train on.
    pub train: Range<usize>,
}

impl SplitConfig {
    /// The ranges for a dataset of this many inputs.
    pub fn of(&self, inputs: usize) -> Result<Split> {
        let first = self.test + self.validation;
        let train = self.train.unwrap_or(inputs.saturating_sub(first));
        if train == 0 || self.validation == 0 || first + train > inputs {
            return Err(Error::Config {
                context: "split of the dataset".into(),
                reason: format!(
                    "{} test, {} validation and {} training inputs do not fit into {inputs}; \
                     generate more inputs, or ask for fewer (each of validation and training \
                     needs at least one)",
                    self.test,
                    self.validation,
                    train.max(1)
                ),
            });
        }
        Ok(Split {
            test: 0..self.test,
            validation: self.test..first,
            train: first..first + train,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_test_inputs_stay_when_training_grows() {
        let split = |train, inputs| {
            let config = SplitConfig {
                train,
                ..Default::default()
            };
            config.of(inputs).unwrap()
        };
        let (small, large) = (split(Some(2), 70), split(None, 130));
        assert_eq!(small.test, large.test);
        assert_eq!(small.validation, large.validation);
        assert_eq!((small.train, large.train), (30..32, 30..130));
    }

    #[test]
    fn a_dataset_too_small_is_refused() {
        assert!(SplitConfig::default().of(30).is_err());
        assert!(SplitConfig::default().of(31).is_ok());
    }
}
