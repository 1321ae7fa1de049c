//! Stochastic low fidelity: its realizations, and whether they share their randomness with high
//! fidelity.

use super::reader::Dataset;
use super::realizations::Realizations;
use crate::{Error, Result};

/// The attribute that states how realizations of low and high fidelity are paired.
pub const LOW_PAIRING: &str = "low_pairing";

const SHARED: &str = "shared";
const INDEPENDENT: &str = "independent";

/// The pairing of low- and high-fidelity realizations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LowPairing {
    /// The i-th realizations of low and high fidelity share their randomness.
    Shared,
    /// Low- and high-fidelity realizations are independent.
    Independent,
}

impl LowPairing {
    /// The value of the attribute in a dataset.
    pub fn name(self) -> &'static str {
        match self {
            Self::Shared => SHARED,
            Self::Independent => INDEPENDENT,
        }
    }
}

impl Dataset {
    /// The pairing of low- and high-fidelity realizations; none if low fidelity has no
    /// realizations.
    pub fn low_pairing(&self) -> Result<Option<LowPairing>> {
        let Some(count) = self.low_realization_count() else {
            return Ok(None);
        };
        let bad = |reason: String| Error::bad_file(self.path(), reason);
        match self.attributes().get(LOW_PAIRING).map(|word| word.as_str()) {
            None | Some(Some(INDEPENDENT)) => Ok(Some(LowPairing::Independent)),
            Some(Some(SHARED)) if count >= self.realizations() => Ok(Some(LowPairing::Shared)),
            Some(Some(SHARED)) => Err(bad(format!(
                "has {count} realizations of low fidelity and {} of high, but needs at least one per \
                 realization of high; add the missing ones, or set its attribute {LOW_PAIRING} to {INDEPENDENT}",
                self.realizations()
            ))),
            Some(_) => Err(bad(format!(
                "its attribute {LOW_PAIRING} is neither {SHARED} nor {INDEPENDENT}; write one of them"
            ))),
        }
    }
}

/// The mean over realizations: [channel, point].
pub(super) fn mean(realizations: &Realizations) -> Vec<f64> {
    let count = realizations.len() as f64;
    let mut mean = vec![0.0; realizations.shape()[1..].iter().product()];
    for field in realizations.iter() {
        let sums = mean.iter_mut().zip(field);
        sums.for_each(|(sum, value)| *sum += value / count);
    }
    mean
}
