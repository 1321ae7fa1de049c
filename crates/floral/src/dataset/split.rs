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
        // Numbers of a configuration may be anything: those beyond all bounds do not fit either.
        let first = self.test.saturating_add(self.validation);
        let train = self.train.unwrap_or(inputs.saturating_sub(first));
        let end = first.checked_add(train).filter(|end| *end <= inputs);
        let (Some(end), 1..) = (end, train) else {
            return Err(self.misfit(train, inputs));
        };
        Ok(Split {
            test: 0..self.test,
            validation: self.test..first,
            train: first..end,
        })
    }

    fn misfit(&self, train: usize, inputs: usize) -> Error {
        Error::Config {
            context: "split of the dataset".into(),
            reason: format!(
                "{} test, {} validation and {} training inputs do not fit into {inputs}; \
                 generate more inputs, or ask for fewer (training needs at least one)",
                self.test,
                self.validation,
                train.max(1)
            ),
        }
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

    #[test]
    fn numbers_beyond_all_bounds_are_refused_like_others() {
        let most = usize::MAX;
        for (test, validation, train) in
            [(most, most, None), (1, 1, Some(most)), (most, 1, Some(1))]
        {
            let config = SplitConfig {
                test,
                validation,
                train,
            };
            let refusal = config.of(100).unwrap_err().to_string();
            assert!(refusal.contains("do not fit into 100"), "{refusal}");
        }
    }
}
