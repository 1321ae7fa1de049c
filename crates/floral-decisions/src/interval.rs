//! Intervals that include both the error of a design and the uncertainty of a surrogate.

use crate::sobol::Blocked;
use crate::student::{bisect, student_probability};

/// The central interval, at a level such as 0.9, of a mixture over plausible surrogates. Their
/// estimates are `plausible`; the error of each follows Student's distribution.
///
/// With s_t the estimate by surrogate t of n and e the standard error of the design, the
/// distribution is (1 / n) sum_t F((z - s_t) / e); the surrogates differ for lack of training data.
/// Le Gratiet, Cannamela & Iooss, SIAM/ASA Journal on Uncertainty Quantification 2 (2014), sample
/// the two parts in the same way. Without surrogates it is Student's interval. It always contains
/// the estimate.
pub fn interval(estimate: &Blocked, freedom: f64, plausible: &[f64], level: f64) -> [f64; 2] {
    let Blocked {
        value,
        standard_error,
    } = *estimate;
    let mut centres: Vec<f64> = plausible
        .iter()
        .copied()
        .filter(|s| s.is_finite())
        .collect();
    if centres.is_empty() {
        centres.push(value);
    }
    if !value.is_finite() || !standard_error.is_finite() {
        return [f64::NAN; 2];
    }
    let scale = standard_error.max(1e-12 * (1.0 + value.abs()));
    let probability = |z: f64| {
        let each = centres
            .iter()
            .map(|s| student_probability((z - s) / scale, freedom));
        each.sum::<f64>() / centres.len() as f64
    };
    let least = centres.iter().copied().fold(f64::INFINITY, f64::min) - 1e3 * scale;
    let most = centres.iter().copied().fold(f64::NEG_INFINITY, f64::max) + 1e3 * scale;
    let at = |level: f64| bisect(least, most, |z| probability(z) >= level);
    let tail = 0.5 * (1.0 - level);
    [at(tail).min(value), at(1.0 - tail).max(value)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::student::student_quantile;

    #[test]
    fn without_surrogates_it_is_students_interval_and_with_them_it_is_wider() {
        let estimate = Blocked {
            value: 0.4,
            standard_error: 0.01,
        };
        let [low, high] = interval(&estimate, 15.0, &[], 0.9);
        let half = 0.01 * student_quantile(0.95, 15.0);
        assert!((low - (0.4 - half)).abs() < 1e-9 && (high - (0.4 + half)).abs() < 1e-9);
        let plausible: Vec<f64> = (0..=100).map(|i| 0.3 + 0.002 * f64::from(i)).collect();
        let [low, high] = interval(&estimate, 15.0, &plausible, 0.9);
        // Uniform between 0.3 and 0.5, apart from the smoothed ends.
        assert!(
            (low - 0.31).abs() < 0.004 && (high - 0.49).abs() < 0.004,
            "{low} {high}"
        );
        let [low, high] = interval(&estimate, 15.0, &[0.9, 0.95], 0.9);
        assert!(low == 0.4 && high > 0.94, "{low} {high}");
        let unknown = Blocked {
            value: f64::NAN,
            ..estimate
        };
        assert!(interval(&unknown, 15.0, &[], 0.9)[0].is_nan());
    }
}
