//! The mean of a quantity from few expensive runs, with a surrogate as control variate.
//!
//! With values y_i of the quantity by n expensive runs, surrogate values g_i at the same inputs,
//! and surrogate values at m further inputs of the same distribution,
//!
//! ```text
//! mu = mean(y) - c (mean(g at the runs) - mean(g at the pool)),   c* = Cov(y, g) / Var(g)  m / (m + n),
//! Var(mu) = Var(y) / n  (1 - rho^2 m / (m + n)).
//! ```
//!
//! For any c, the surrogate's bias cancels. Ng & Willcox, International Journal for Numerical
//! Methods in Engineering 100 (2014); Peherstorfer, Willcox & Gunzburger, SIAM Journal on
//! Scientific Computing 38 (2016).

use crate::share::{mean, variance};
use crate::student::{student_probability, student_quantile};
use crate::{Error, Result};

/// Fewer runs than this are too few to fit the coefficient, which is then 1.
const FITTED: usize = 6;

/// Smallest number of runs, and of inputs in the pool.
const LEAST: usize = 2;

/// An estimated mean, free of the surrogate's bias.
#[derive(Debug, Clone, PartialEq)]
pub struct UnbiasedMean {
    /// The estimate.
    pub value: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// Its degrees of freedom.
    pub freedom: f64,
    /// Mean and standard error of the runs alone.
    pub plain: [f64; 2],
    /// The mean of the surrogate over the pool, with its bias.
    pub surrogate: f64,
    /// The coefficient of the control variate: the mean over folds, or 1 for few runs.
    pub coefficient: f64,
    /// The correlation of runs and surrogate over inputs.
    pub correlation: f64,
    /// Var(mean of runs alone) / Var(estimate): the factor by which more runs would be needed
    /// without the surrogate.
    pub gain: f64,
    /// The standard deviation of the quantity over the runs.
    pub spread: f64,
    /// A test for a bias of the surrogate.
    pub bias: BiasTest,
}

/// A paired t test of the difference between surrogate and runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BiasTest {
    /// The mean of surrogate minus runs.
    pub bias: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// The probability, without bias, of a mean at least this far from zero.
    pub p_value: f64,
}

impl UnbiasedMean {
    /// Student's confidence interval of a level such as 0.9.
    pub fn interval(&self, level: f64) -> [f64; 2] {
        let half = self.standard_error * student_quantile(0.5 + 0.5 * level, self.freedom);
        [self.value - half, self.value + half]
    }
}

/// The mean of a quantity from its values by runs, the surrogate's values at the same inputs, and
/// its values at a pool of other inputs of the same distribution.
///
/// The coefficient that corrects run i is estimated without run i (cross-fitting), so that it is
/// independent of the value that it multiplies and the mean is unbiased for any number of runs.
pub fn unbiased_mean(runs: &[f64], surrogate: &[f64], pool: &[f64]) -> Result<UnbiasedMean> {
    check(runs, surrogate, pool)?;
    let (n, m) = (runs.len() as f64, pool.len() as f64);
    let pool_mean = mean(pool);
    let coefficients = coefficients(runs, surrogate, m / (m + n));
    let corrected: Vec<f64> = (0..runs.len())
        .map(|i| runs[i] - coefficients[i] * (surrogate[i] - pool_mean))
        .collect();
    let coefficient = mean(&coefficients);
    let fitted = f64::from(runs.len() >= FITTED);
    let freedom = (n - 1.0 - fitted).max(1.0);
    // Each coefficient was fitted to the other runs, so that these residuals are as large as those
    // of new runs and need no correction for the fit.
    let of_runs = variance(&corrected) / n;
    let of_pool = coefficient * coefficient * variance(pool) / m;
    let variance_of_mean = of_runs + of_pool;
    let plain = variance(runs) / n;
    Ok(UnbiasedMean {
        value: mean(&corrected),
        standard_error: variance_of_mean.sqrt(),
        freedom,
        plain: [mean(runs), plain.sqrt()],
        surrogate: pool_mean,
        coefficient,
        correlation: correlation(runs, surrogate),
        gain: if variance_of_mean > 0.0 {
            plain / variance_of_mean
        } else {
            f64::INFINITY
        },
        spread: variance(runs).sqrt(),
        bias: bias(runs, surrogate),
    })
}

fn check(runs: &[f64], surrogate: &[f64], pool: &[f64]) -> Result<()> {
    let refuse = |context: &str, reason: String| Err(Error::new(context, reason));
    if runs.len() != surrogate.len() {
        return refuse(
            "runs",
            format!(
                "{} runs but {} surrogate values; give one for each",
                runs.len(),
                surrogate.len()
            ),
        );
    }
    if runs.len() < LEAST {
        return refuse(
            "runs",
            format!(
                "{} is too few for a standard error; give at least {LEAST}",
                runs.len()
            ),
        );
    }
    if pool.len() < LEAST {
        return refuse(
            "pool",
            format!(
                "it has {} inputs; give at least {LEAST}, many more than runs",
                pool.len()
            ),
        );
    }
    let all = runs.iter().chain(surrogate).chain(pool);
    match all.filter(|value| !value.is_finite()).count() {
        0 => Ok(()),
        count => refuse(
            "quantity",
            format!(
                "{count} values are not finite; change the expression so that it has a value everywhere"
            ),
        ),
    }
}

/// The coefficient for each run, fitted to all other runs.
fn coefficients(runs: &[f64], surrogate: &[f64], factor: f64) -> Vec<f64> {
    let n = runs.len();
    if n < FITTED {
        return vec![1.0; n];
    }
    let without = |values: &[f64], left: usize| -> Vec<f64> {
        let kept = values.iter().enumerate().filter(|(i, _)| *i != left);
        kept.map(|(_, value)| *value).collect()
    };
    let one = |i: usize| {
        let (y, g) = (without(runs, i), without(surrogate, i));
        let own = variance(&g);
        if own > 0.0 {
            factor * covariance(&y, &g) / own
        } else {
            0.0
        }
    };
    (0..n).map(one).collect()
}

fn covariance(x: &[f64], y: &[f64]) -> f64 {
    let (a, b) = (mean(x), mean(y));
    let products: f64 = x.iter().zip(y).map(|(x, y)| (x - a) * (y - b)).sum();
    products / (x.len() as f64 - 1.0)
}

fn correlation(x: &[f64], y: &[f64]) -> f64 {
    let scale = (variance(x) * variance(y)).sqrt();
    if scale > 0.0 {
        (covariance(x, y) / scale).clamp(-1.0, 1.0)
    } else {
        0.0
    }
}

fn bias(runs: &[f64], surrogate: &[f64]) -> BiasTest {
    let n = runs.len() as f64;
    let differences: Vec<f64> = surrogate.iter().zip(runs).map(|(g, y)| g - y).collect();
    let (bias, standard_error) = (mean(&differences), (variance(&differences) / n).sqrt());
    let p_value = match standard_error > 0.0 {
        true => 2.0 * student_probability(-(bias / standard_error).abs(), n - 1.0),
        false => f64::from(bias == 0.0),
    };
    BiasTest {
        bias,
        standard_error,
        p_value,
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;
    use rand_distr::{Distribution, StandardNormal};

    use super::*;

    /// Runs x^2 + noise of mean 1, a surrogate 0.7 x^2 + 0.1 x + 0.4, at normal inputs.
    fn repetition(n: usize, m: usize, seed: u64) -> UnbiasedMean {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
        let surrogate = |x: f64| 0.7 * x * x + 0.1 * x + 0.4;
        let inputs: Vec<f64> = (0..n).map(|_| normal()).collect();
        let runs: Vec<f64> = inputs.iter().map(|x| x * x + 0.5 * normal()).collect();
        let at_runs: Vec<f64> = inputs.iter().map(|x| surrogate(*x)).collect();
        let pool: Vec<f64> = (0..m).map(|_| surrogate(normal())).collect();
        unbiased_mean(&runs, &at_runs, &pool).unwrap()
    }

    /// With n = 20 and m = 400: Var(y) = 2.25, rho^2 = (0.7 * 2)^2 / (2.25 * (0.98 + 0.01)).
    #[test]
    fn over_a_thousand_repetitions_it_is_unbiased_and_varies_as_predicted() {
        let found: Vec<UnbiasedMean> = (0..1000).map(|seed| repetition(20, 400, seed)).collect();
        let values: Vec<f64> = found.iter().map(|one| one.value).collect();
        let spread = variance(&values);
        let error = (spread / 1000.0).sqrt();
        assert!(
            (mean(&values) - 1.0).abs() < 3.0 * error,
            "{} {error}",
            mean(&values)
        );
        let square = 1.96 / (2.25 * 0.99);
        let predicted = 2.25 / 20.0 * (1.0 - square * 400.0 / 420.0);
        // Estimating the coefficient costs about 1 / n of the variance.
        assert!(
            (0.9..1.35).contains(&(spread / predicted)),
            "{}",
            spread / predicted
        );
        let claimed = mean(
            &found
                .iter()
                .map(|one| one.standard_error.powi(2))
                .collect::<Vec<_>>(),
        );
        assert!(
            (0.85..1.2).contains(&(claimed / spread)),
            "{}",
            claimed / spread
        );
        let plain: Vec<f64> = found.iter().map(|one| one.plain[0]).collect();
        assert!(variance(&plain) > 4.0 * spread);
        let held = found.iter().filter(|one| {
            let [low, high] = one.interval(0.9);
            low <= 1.0 && 1.0 <= high
        });
        let coverage = held.count() as f64 / 1000.0;
        assert!((0.86..=0.94).contains(&coverage), "{coverage}");
        // The surrogate itself has a bias of 0.1.
        let surrogate = mean(&found.iter().map(|one| one.surrogate).collect::<Vec<_>>());
        assert!((surrogate - 1.1).abs() < 0.01);
    }

    /// MXMCPy's estimator, which is given the covariances, has a variance of 0.0104 over 1000
    /// repetitions with the same allocation; it predicts 0.0110.
    #[test]
    fn with_the_allocation_of_mxmcpy_it_has_its_variance() {
        let values: Vec<f64> = (0..1000)
            .map(|seed| repetition(31, 821, 9000 + seed).value)
            .collect();
        let found = variance(&values);
        assert!((0.0098..0.0126).contains(&found), "{found}");
    }

    #[test]
    fn few_runs_take_the_coefficient_one_and_are_unbiased_too() {
        let values: Vec<f64> = (0..2000)
            .map(|seed| repetition(4, 200, 5000 + seed).value)
            .collect();
        let error = (variance(&values) / 2000.0).sqrt();
        assert!(
            (mean(&values) - 1.0).abs() < 3.0 * error,
            "{} {error}",
            mean(&values)
        );
        assert_eq!(repetition(4, 200, 1).coefficient, 1.0);
    }

    #[test]
    fn the_bias_test_rejects_at_its_level_and_finds_a_bias() {
        let mut rng = ChaCha8Rng::seed_from_u64(8);
        let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
        let mut rejected = [0.0; 2];
        for _ in 0..1000 {
            let y: Vec<f64> = (0..12).map(|_| normal()).collect();
            for (shift, count) in [0.0, 0.5].into_iter().zip(&mut rejected) {
                let g: Vec<f64> = y.iter().map(|y| y + shift + 0.5 * normal()).collect();
                *count += f64::from(bias(&y, &g).p_value < 0.1) / 1000.0;
            }
        }
        assert!(
            (rejected[0] - 0.1).abs() < 0.03 && rejected[1] > 0.9,
            "{rejected:?}"
        );
    }

    #[test]
    fn what_has_no_mean_is_refused_in_one_line() {
        let cases = [
            (vec![1.0], vec![1.0], vec![1.0, 2.0], "1 is too few"),
            (
                vec![1.0, 2.0],
                vec![1.0],
                vec![1.0, 2.0],
                "2 runs but 1 surrogate values",
            ),
            (
                vec![1.0, 2.0],
                vec![1.0, 2.0],
                vec![],
                "pool: it has 0 inputs",
            ),
            (
                vec![1.0, f64::NAN],
                vec![1.0, 2.0],
                vec![1.0, 2.0],
                "1 values are not finite",
            ),
        ];
        for (runs, surrogate, pool, words) in cases {
            let refusal = unbiased_mean(&runs, &surrogate, &pool)
                .unwrap_err()
                .to_string();
            assert!(refusal.contains(words), "{refusal}");
        }
    }
}
