//! Shares of a variance due to the input, to the solution's own randomness, and to ignorance for
//! lack of training data.

/// The parts of the variance of a quantity Y over inputs x, surrogates t and realizations w, by the
/// law of total variance; their sum is the variance:
///
/// ```text
/// Var(Y) = Var_x(E[Y | x])  +  E_x Var_t(E[Y | x, t])  +  E_{x,t} Var_w(Y | x, t)
///              input                 ignorance                    inherent
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shares {
    /// The variance of the conditional mean over inputs.
    pub input: f64,
    /// The inherent (aleatoric) variance, averaged over inputs.
    pub inherent: f64,
    /// The variance for lack of training data (epistemic), averaged; none if the method does not
    /// separate it, in which case it is part of `inherent`.
    pub ignorance: Option<f64>,
}

impl Shares {
    /// The total variance.
    pub fn variance(&self) -> f64 {
        self.input + self.inherent + self.ignorance.unwrap_or(0.0)
    }

    /// Input, inherent and ignorance as shares of the total variance; NaN if that is zero.
    pub fn normalised(&self) -> [Option<f64>; 3] {
        let all = self.variance();
        let share = |part: f64| if all > 0.0 { part / all } else { f64::NAN };
        [
            Some(share(self.input)),
            Some(share(self.inherent)),
            self.ignorance.map(share),
        ]
    }
}

/// Variances between and within inputs, from values at inputs drawn independently from their
/// distribution: `[input][realization]`, at least two of each.
///
/// The variance within inputs is the mean of the unbiased variances. The variance between inputs is
/// the variance of the means minus the part that realizations explain (one-way analysis of
/// variance; Searle, Casella & McCulloch 1992, chapter 3). Returns the two.
pub fn between_and_within(values: &[Vec<f64>]) -> Option<[f64; 2]> {
    let usable = values.len() >= 2 && values.iter().all(|v| v.len() >= 2);
    if !usable {
        return None;
    }
    let count = values.len() as f64;
    let means: Vec<f64> = values.iter().map(|v| mean(v)).collect();
    let within = values.iter().map(|v| variance(v)).sum::<f64>() / count;
    let noise = values
        .iter()
        .map(|v| variance(v) / v.len() as f64)
        .sum::<f64>()
        / count;
    Some([(variance(&means) - noise).max(0.0), within])
}

pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The unbiased variance.
pub(crate) fn variance(values: &[f64]) -> f64 {
    let centre = mean(values);
    let squares: f64 = values.iter().map(|v| (v - centre).powi(2)).sum();
    squares / (values.len() as f64 - 1.0)
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;
    use rand_distr::{Distribution, StandardNormal};

    use super::*;

    #[test]
    fn variances_between_and_within_are_those_of_a_hierarchy_of_normals() {
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
        let values: Vec<Vec<f64>> = (0..20_000)
            .map(|_| {
                let centre = 0.5 * normal();
                (0..3).map(|_| centre + 2.0 * normal()).collect()
            })
            .collect();
        let [between, within] = between_and_within(&values).unwrap();
        assert!(
            (between - 0.25).abs() < 0.06 && (within - 4.0).abs() < 0.08,
            "{between} {within}"
        );
        assert!(between_and_within(&values[..1]).is_none());
    }

    #[test]
    fn shares_add_up_to_one() {
        let shares = Shares {
            input: 3.0,
            inherent: 1.0,
            ignorance: Some(1.0),
        };
        assert_eq!(shares.normalised(), [Some(0.6), Some(0.2), Some(0.2)]);
        let nothing = Shares {
            input: 0.0,
            inherent: 0.0,
            ignorance: None,
        };
        assert!(nothing.normalised()[0].is_some_and(f64::is_nan));
    }
}
