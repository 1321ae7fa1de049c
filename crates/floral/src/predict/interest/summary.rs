//! Statistics of a quantity of interest over the draws for one input, with standard errors.

use floral_quantities::{Distribution, Estimate};

/// The level of the superquantile: the mean of the largest 5 % of the draws.
pub const SUPERQUANTILE: f64 = 0.95;

/// Names of the statistics, in the order of [`InterestSummary::statistics`].
pub const STATISTICS: [&str; 6] = ["mean", "std", "q05", "q50", "q95", "superquantile95"];

/// An unknown estimate.
const UNKNOWN: Estimate = Estimate {
    value: f64::NAN,
    standard_error: f64::NAN,
};

/// Statistics of a quantity of interest; a statistic is NaN if there are too few draws for it.
#[derive(Debug, Clone, PartialEq)]
pub struct InterestSummary {
    /// The statistics, in the order of [`STATISTICS`].
    pub statistics: [Estimate; STATISTICS.len()],
    /// The probability of exceeding each threshold.
    pub exceedances: Vec<Estimate>,
    /// The epistemic variance, for quantities that are affine in the solution and methods that
    /// separate it.
    pub epistemic: Option<f64>,
    /// Number of draws on which the quantity has no value. If there are any, all statistics are
    /// unknown.
    pub missing: usize,
    /// The number of draws.
    pub draws: usize,
}

impl InterestSummary {
    /// The summary of the values over draws. A single value, from a deterministic method, has only
    /// a mean.
    pub fn new(values: &[f64], thresholds: &[f64], epistemic: Option<f64>) -> Self {
        Self::grouped(values, 1, thresholds, epistemic)
    }

    /// The summary of values in groups of `size`, where values within a group are not independent.
    pub fn grouped(
        values: &[f64],
        size: usize,
        thresholds: &[f64],
        epistemic: Option<f64>,
    ) -> Self {
        let missing = values.iter().filter(|value| !value.is_finite()).count();
        let mut summary = Self {
            statistics: [UNKNOWN; STATISTICS.len()],
            exceedances: vec![UNKNOWN; thresholds.len()],
            epistemic,
            missing,
            draws: values.len(),
        };
        if let ([only], 0) = (values, missing) {
            summary.statistics[0].value = *only;
        }
        let Ok(distribution) = Distribution::grouped(values.to_vec(), size) else {
            return summary;
        };
        let quantile = |level| distribution.quantile(level).unwrap_or(UNKNOWN);
        let above = |threshold: &f64| distribution.exceedance(*threshold);
        summary.statistics = [
            distribution.mean(),
            distribution.std(),
            quantile(0.05),
            quantile(0.5),
            quantile(0.95),
            distribution.superquantile(SUPERQUANTILE).unwrap_or(UNKNOWN),
        ];
        summary.exceedances = thresholds.iter().map(above).collect();
        summary
    }

    /// Aleatoric and epistemic variance, if the latter is known: the aleatoric variance is the
    /// variance of the draws minus the epistemic variance.
    pub fn variance_parts(&self) -> Option<[f64; 2]> {
        let epistemic = self.epistemic?;
        let variance = self.statistics[1].value.powi(2);
        variance
            .is_finite()
            .then(|| [(variance - epistemic).max(0.0), epistemic])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_are_those_of_the_distribution_and_parts_add_up() {
        let draws: Vec<f64> = (1..=99).map(f64::from).collect();
        let summary = InterestSummary::new(&draws, &[80.0], Some(25.0));
        let values = summary.statistics.map(|estimate| estimate.value);
        assert_eq!(
            [values[0], values[2], values[3], values[4]],
            [50.0, 5.0, 50.0, 95.0]
        );
        assert_eq!(summary.exceedances[0].value, 19.0 / 99.0);
        let [aleatoric, epistemic] = summary.variance_parts().unwrap();
        assert!((aleatoric + epistemic - values[1].powi(2)).abs() < 1e-9);
    }

    #[test]
    fn nothing_is_said_of_too_few_draws_or_of_draws_without_a_value() {
        let few = InterestSummary::new(&[1.0, 2.0, 3.0], &[], None);
        assert_eq!(few.statistics[0].value, 2.0);
        assert!(few.statistics[2].value.is_nan());
        let missing = InterestSummary::new(&[1.0, f64::NAN, 3.0], &[2.0], None);
        assert_eq!(missing.missing, 1);
        assert!(missing.statistics[0].value.is_nan() && missing.exceedances[0].value.is_nan());
        let single = InterestSummary::new(&[7.0], &[], None);
        assert_eq!(single.statistics[0].value, 7.0);
        assert!(single.statistics[1].value.is_nan());
    }
}
