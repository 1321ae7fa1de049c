//! The true size of deviations given readings, if their covariance was estimated from few runs.

/// The factor of deviations from the mean given readings, if a covariance of this number of runs
/// explains `explained` of the readings.
///
/// After k readings, the sample covariance of nu + 1 normal runs retains (nu - k) / nu of the true
/// remaining variance, and the squared error of the regression on k readings is
/// (nu - 1) / (nu - k - 1) times the true remaining variance. This follows from the laws of a
/// partial covariance and of an inverse Wishart matrix (Anderson, An Introduction to Multivariate
/// Statistical Analysis, 3rd ed., 2003, sections 4.3 and 7.7). Both denominators are at least 1.
pub(super) fn stretch(runs: f64, explained: f64) -> f64 {
    let degrees = runs - 1.0;
    let residual = (degrees - explained).max(1.0);
    let predicted = (degrees - explained - 1.0).max(1.0);
    let variance = (degrees / residual).max(1.0) * ((degrees - 1.0) / predicted).max(1.0);
    variance.sqrt()
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use rand_distr::StandardNormal;

    use super::*;
    use crate::testing::{Purpose, stream};

    #[test]
    fn nothing_is_stretched_without_readings_or_with_many_runs() {
        assert_eq!(stretch(12.0, 0.0), 1.0);
        assert!(stretch(10_000.0, 9.0) < 1.001);
        assert!(stretch(2.0, 5.0).is_finite() && stretch(1.0, 1.0) >= 1.0);
    }

    /// A value is predicted from a reading of a correlated one, with covariances of few runs. Its
    /// error is compared with the deviation that these covariances predict, stretched.
    #[test]
    fn errors_given_a_reading_are_as_large_as_stretched_deviations() {
        let (runs, repetitions) = (8, 20_000);
        let (mut squares, mut said) = (0.0, 0.0);
        for repetition in 0..repetitions {
            let mut rng = stream(5, Purpose::Realization, repetition, 0);
            let mut pair = || {
                let [a, b]: [f64; 2] = std::array::from_fn(|_| rng.sample(StandardNormal));
                [a, 0.8 * a + 0.6 * b]
            };
            let sample: Vec<[f64; 2]> = (0..runs).map(|_| pair()).collect();
            let mean = |k: usize| sample.iter().map(|s| s[k]).sum::<f64>() / runs as f64;
            let means = [mean(0), mean(1)];
            let covariance = |i: usize, j: usize| {
                let products = sample.iter().map(|s| (s[i] - means[i]) * (s[j] - means[j]));
                products.sum::<f64>() / (runs - 1) as f64
            };
            let slope = covariance(0, 1) / covariance(0, 0);
            let left = covariance(1, 1) - slope * covariance(0, 1);
            let [reading, other] = pair();
            // The means are known here: only the covariance is estimated.
            squares += (other - slope * reading).powi(2);
            said += left * stretch(runs as f64, 1.0).powi(2);
        }
        let ratio = squares / said;
        assert!((0.95..1.05).contains(&ratio), "{ratio}");
    }
}
