//! How to split a budget between expensive runs and a surrogate.

use crate::{Error, Result};

/// A split of a budget and its gain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Split {
    /// Number of expensive runs, not rounded.
    pub runs: f64,
    /// Number of further inputs at which only the surrogate is evaluated, not rounded.
    pub pool: f64,
    /// The standard error of the mean, in units of the quantity's standard deviation.
    pub standard_error: f64,
    /// Variance with runs alone at the same cost, divided by the variance of the split: above 1 it
    /// pays.
    pub gain: f64,
}

/// The split of a budget that minimises the variance of the unbiased mean, given the correlation of
/// runs and surrogate and the cost of each.
///
/// The variance is Var(y) ((1 - rho^2) / n + rho^2 / M) with n runs and M surrogate evaluations in
/// all, the cost n c_h + M c_l; the best ratio M / n is sqrt(c_h rho^2 / (c_l (1 - rho^2))):
/// Peherstorfer, Willcox & Gunzburger (2016), theorem 3.4.
pub fn split(budget: f64, high: f64, low: f64, correlation: f64) -> Result<Split> {
    let refuse = |context: &str, reason: String| Err(Error::new(context, reason));
    if !(high > 0.0 && low > 0.0 && high.is_finite() && low.is_finite()) {
        return refuse("costs", format!("{high} and {low}; give costs above 0"));
    }
    let least = 2.0 * (high + low);
    if !(budget.is_finite() && budget >= least) {
        return refuse(
            "budget",
            format!(
                "{budget} is less than the cost of two runs with their surrogate evaluations, {least}; give more"
            ),
        );
    }
    // A surrogate is never perfect: a correlation of 1 among few runs would buy no run at all.
    let square = (correlation * correlation).min(1.0 - 1e-6);
    let ratio = (high * square / (low * (1.0 - square))).sqrt().max(1.0);
    let runs = (budget / (high + low * ratio)).max(2.0);
    let all = ((budget - runs * high) / low).max(runs);
    let variance = (1.0 - square) / runs + square / all;
    Ok(Split {
        runs,
        pool: all - runs,
        standard_error: variance.sqrt(),
        gain: high / budget / variance,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_other_split_of_the_same_cost_has_a_smaller_variance() {
        let (budget, high, low, correlation) = (20_000.0, 100.0, 1.0, 0.9f64);
        let best = split(budget, high, low, correlation).unwrap();
        let square = correlation * correlation;
        for runs in [20.0, 60.0, 100.0, 140.0, 180.0] {
            let all = (budget - runs * high) / low;
            let variance: f64 = (1.0 - square) / runs + square / all;
            assert!(variance.sqrt() >= best.standard_error - 1e-12);
        }
        let cost = best.runs * (high + low) + best.pool * low;
        assert!((cost - budget).abs() < 1e-6 && best.gain > 3.0, "{best:?}");
    }

    /// MXMCPy 1.0, `Optimizer([100, 1], [[2.25, 1.4], [1.4, 0.99]]).optimize("mfmc",
    /// target_cost=4000)`: 31 runs and 852 surrogate evaluations in all, variance 0.01104, with
    /// numbers rounded down.
    #[test]
    fn the_split_is_that_of_mxmcpy() {
        let correlation = 1.4 / (2.25f64 * 0.99).sqrt();
        let found = split(4000.0, 100.0, 1.0, correlation).unwrap();
        assert_eq!(
            (found.runs as u32, (found.runs + found.pool) as u32),
            (31, 852)
        );
        let variance = 2.25 * found.standard_error.powi(2);
        assert!((variance - 0.01091).abs() < 1e-5, "{variance}");
    }

    #[test]
    fn a_useless_surrogate_gains_nothing_and_impossible_budgets_are_refused() {
        let found = split(1000.0, 10.0, 1.0, 0.0).unwrap();
        assert!(found.pool < 1e-9 && found.gain <= 1.0, "{found:?}");
        let refusal = split(20.0, 10.0, 1.0, 0.5).unwrap_err().to_string();
        assert!(refusal.contains("evaluations, 22"), "{refusal}");
        assert!(split(100.0, 0.0, 1.0, 0.5).is_err());
        assert!(split(f64::NAN, 10.0, 1.0, 0.5).is_err());
    }
}
