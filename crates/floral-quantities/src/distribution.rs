//! The distribution of a quantity over draws; each statistic has a standard error.

mod groups;
mod order;

pub use groups::VarianceParts;
pub(crate) use order::{median, quantile_of};

use crate::error::{Error, Result};
use groups::Groups;

/// A statistic and its standard error: the expected deviation from its value for infinitely many
/// draws.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The statistic.
    pub value: f64,
    /// Its standard error.
    pub standard_error: f64,
}

/// Values of a quantity over draws.
///
/// Draws may come in consecutive groups of equal size. The draws of a group share what is uncertain
/// for lack of data (the epistemic draw) and differ only by their inherent randomness. Standard
/// errors then rely on the means of groups, because draws of one group are not independent.
///
/// ```
/// use floral_quantities::Distribution;
/// let draws: Vec<f64> = (1..=99).map(f64::from).collect();
/// let peak = Distribution::new(draws)?;
/// assert_eq!(peak.mean().value, 50.0);
/// assert_eq!(peak.quantile(0.9)?.value, 90.0);
/// assert_eq!(peak.exceedance(80.0).value, 19.0 / 99.0);
/// # Ok::<(), floral_quantities::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Distribution {
    /// In the order of the draws.
    values: Vec<f64>,
    sorted: Vec<f64>,
    groups: Groups,
}

impl Distribution {
    /// A distribution of independent draws, at least two.
    pub fn new(values: Vec<f64>) -> Result<Self> {
        Self::grouped(values, 1)
    }

    /// Draws in groups of this size, at least two groups; the draws of a group share the epistemic
    /// draw.
    pub fn grouped(values: Vec<f64>, size: usize) -> Result<Self> {
        let refuse = |reason: String| Err(Error::config("distribution", reason));
        let infinite = values.iter().filter(|value| !value.is_finite()).count();
        if infinite > 0 {
            let count = values.len();
            return refuse(format!(
                "{infinite} of {count} values are not finite; change the expression so that it has a value on every realization"
            ));
        }
        if size == 0 || !values.len().is_multiple_of(size) || values.len() / size < 2 {
            let count = values.len();
            return refuse(format!(
                "{count} draws in groups of {size}; give at least two whole groups"
            ));
        }
        let mut sorted = values.clone();
        sorted.sort_by(f64::total_cmp);
        Ok(Self {
            groups: Groups { size },
            values,
            sorted,
        })
    }

    /// The number of draws.
    pub fn count(&self) -> usize {
        self.values.len()
    }

    /// The draws in increasing order.
    pub fn sorted(&self) -> &[f64] {
        &self.sorted
    }

    /// The mean; its standard error is s / sqrt(n), or for groups that of the mean of their means.
    pub fn mean(&self) -> Estimate {
        self.mean_of(|value| value)
    }

    /// The standard deviation s, the root of the unbiased variance. Its standard error is that of
    /// the variance (the mean of (x - mean)^2) divided by 2 s (delta method).
    pub fn std(&self) -> Estimate {
        let (mean, variance) = (self.mean().value, self.groups.variance(&self.values));
        let std = variance.sqrt();
        let squares = self.mean_of(|value| (value - mean).powi(2));
        let standard_error = if std > 0.0 {
            squares.standard_error / (2.0 * std)
        } else {
            0.0
        };
        Estimate {
            value: std,
            standard_error,
        }
    }

    /// The probability of exceeding a threshold: the share of draws above it.
    ///
    /// Its standard error is sqrt(p (1 - p) / n) with two draws added above and two below, because
    /// the plain formula claims certainty if no draw or every draw exceeds (Agresti & Coull 1998);
    /// for groups it is at least the standard error of their shares.
    pub fn exceedance(&self, threshold: f64) -> Estimate {
        let share = self.mean_of(|value| f64::from(value > threshold));
        let n = self.count() as f64;
        let p = (share.value * n + 2.0) / (n + 4.0);
        let adjusted = (p * (1.0 - p) / (n + 4.0)).sqrt();
        Estimate {
            value: share.value,
            standard_error: match self.groups.size {
                1 => adjusted,
                _ => adjusted.max(share.standard_error),
            },
        }
    }

    /// The aleatoric and the epistemic variance; none if draws are not in groups.
    pub fn variance_parts(&self) -> Option<VarianceParts> {
        self.groups.parts(&self.values)
    }

    /// The mean of a function of the draws, with its standard error.
    fn mean_of(&self, function: impl Fn(f64) -> f64) -> Estimate {
        let values: Vec<f64> = self.values.iter().map(|value| function(*value)).collect();
        self.groups.mean(&values)
    }
}
