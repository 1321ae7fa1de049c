//! Draws in groups: means, standard errors and the parts of the variance.

use super::Estimate;

/// The parts of a variance, with their standard errors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VarianceParts {
    /// Inherent randomness: the variance within groups.
    pub aleatoric: Estimate,
    /// Ignorance for lack of data: the variance of the true means of groups.
    pub epistemic: Estimate,
}

/// Consecutive groups of equal size; size 1 for independent draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Groups {
    pub size: usize,
}

impl Groups {
    /// The mean of values; its standard error is the standard deviation of the groups' means
    /// divided by the root of their number.
    pub fn mean(self, values: &[f64]) -> Estimate {
        let means = self.means(values);
        let standard_error = (variance(&means) / means.len() as f64).sqrt();
        Estimate {
            value: mean(&means),
            standard_error,
        }
    }

    /// The unbiased variance of one draw: within groups plus between them.
    pub fn variance(self, values: &[f64]) -> f64 {
        let between = variance(&self.means(values));
        let share = 1.0 - 1.0 / self.size as f64;
        between + share * self.within(values)
    }

    /// One-way analysis of variance with random groups. For G groups of m draws y_gj with group
    /// means y_g and overall mean y:
    ///
    /// ```text
    /// MSW = sum_gj (y_gj - y_g)^2 / (G (m - 1)),   MSB = m sum_g (y_g - y)^2 / (G - 1),
    /// aleatoric = MSW,   epistemic = max(0, (MSB - MSW) / m).
    /// ```
    ///
    /// Standard errors assume normal draws. Searle, Casella & McCulloch (1992), Variance
    /// Components, chapter 3.
    pub fn parts(self, values: &[f64]) -> Option<VarianceParts> {
        if self.size < 2 {
            return None;
        }
        let m = self.size as f64;
        let groups = (values.len() / self.size) as f64;
        let within = self.within(values);
        let between = m * variance(&self.means(values));
        // Unbiased estimates of the variance of a mean square with f degrees of freedom: 2 MS^2 /
        // (f + 2).
        let of_within = 2.0 * within.powi(2) / (groups * (m - 1.0) + 2.0);
        let of_between = 2.0 * between.powi(2) / (groups + 1.0);
        Some(VarianceParts {
            aleatoric: Estimate {
                value: within,
                standard_error: of_within.sqrt(),
            },
            epistemic: Estimate {
                value: ((between - within) / m).max(0.0),
                standard_error: (of_within + of_between).sqrt() / m,
            },
        })
    }

    /// The mean variance within groups; 0 for groups of one draw.
    fn within(self, values: &[f64]) -> f64 {
        let groups = values.chunks_exact(self.size).map(variance);
        mean(&groups.collect::<Vec<f64>>())
    }

    fn means(self, values: &[f64]) -> Vec<f64> {
        values.chunks_exact(self.size).map(mean).collect()
    }
}

/// The mean of at least one value.
pub(super) fn mean(values: &[f64]) -> f64 {
    // Relative to the first value, so that a small spread about a large mean keeps its digits.
    let first = values[0];
    first + values.iter().map(|value| value - first).sum::<f64>() / values.len() as f64
}

/// The unbiased variance; 0 for a single value.
fn variance(values: &[f64]) -> f64 {
    let centre = mean(values);
    let squares: f64 = values.iter().map(|value| (value - centre).powi(2)).sum();
    squares / (values.len() as f64 - 1.0).max(1.0)
}
