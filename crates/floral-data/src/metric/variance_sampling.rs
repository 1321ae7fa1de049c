//! The sampling error of a variance estimated from few realizations.

/// Central moments of a field up to the fourth, accumulated one realization at a time.
///
/// Updates by Pébay (2008), "Formulas for robust, one-pass parallel computation of covariances and
/// arbitrary-order statistical moments", equations 2.1 to 2.3 for one further value.
#[derive(Debug, Clone, Default)]
pub struct FourthMoments {
    count: usize,
    /// For each point: the mean, and the sums of the second to fourth powers of deviations.
    points: Vec<[f64; 4]>,
}

impl FourthMoments {
    /// Adds one realization, a value per point.
    pub fn push<T: Copy + Into<f64>>(&mut self, values: &[T]) {
        self.points.resize(values.len(), [0.0; 4]);
        self.count += 1;
        let n = self.count as f64;
        for ([mean, m2, m3, m4], value) in self.points.iter_mut().zip(values) {
            let step = (*value).into() - *mean;
            let part = step / n;
            let term = step * part * (n - 1.0);
            *mean += part;
            *m4 += term * part * part * (n * n - 3.0 * n + 3.0) + 6.0 * part * part * *m2
                - 4.0 * part * *m3;
            *m3 += term * part * (n - 2.0) - 3.0 * part * *m2;
            *m2 += term;
        }
    }

    /// An unbiased estimate of the variance of the unbiased variance at every point, for any
    /// distribution: (2 n k2^2 + (n - 1) k4) / (n (n + 1)) with the k-statistics of Fisher (1929).
    /// With fewer than four realizations, a normal distribution is assumed; with fewer than two,
    /// there is no estimate.
    pub fn variance_of_variance(&self) -> Option<Vec<f64>> {
        let n = self.count as f64;
        (self.count > 1).then(|| {
            let estimate = |[_, m2, _, m4]: &[f64; 4]| {
                let k2 = m2 / (n - 1.0);
                let k4 = if self.count < 4 {
                    0.0
                } else {
                    // In terms of the sums of powers of deviations m2 and m4.
                    (n * (n + 1.0) * m4 - 3.0 * (n - 1.0) * m2 * m2)
                        / ((n - 1.0) * (n - 2.0) * (n - 3.0))
                };
                (2.0 * n * k2 * k2 + (n - 1.0) * k4) / (n * (n + 1.0))
            };
            self.points.iter().map(estimate).collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pseudo-random numbers from 0 to 1.
    fn uniform(count: usize) -> impl Iterator<Item = f64> {
        let mut state = 1u64;
        (0..count).map(move |_| {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1u64 << 53) as f64
        })
    }

    /// Over many samples of size n: the mean of the estimate, and the variance of the sample
    /// variances.
    fn found(n: usize, law: impl Fn(f64) -> f64) -> (f64, f64) {
        let samples = 40_000;
        let numbers: Vec<f32> = uniform(n * samples).map(|u| law(u) as f32).collect();
        let (mut estimates, mut variances) = (Vec::new(), Vec::new());
        for sample in numbers.chunks_exact(n) {
            let mut moments = FourthMoments::default();
            sample.iter().for_each(|value| moments.push(&[*value]));
            estimates.push(moments.variance_of_variance().unwrap()[0]);
            variances.push(moments.points[0][1] / (n as f64 - 1.0));
        }
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let centre = mean(&variances);
        let squares: Vec<f64> = variances.iter().map(|v| (v - centre).powi(2)).collect();
        (mean(&estimates), mean(&squares))
    }

    #[test]
    fn the_estimate_is_right_on_average_for_any_law() {
        let two_modes = |u: f64| if u < 0.3 { -1.0 + u } else { 1.0 + u };
        let skewed = |u: f64| -(1.0 - u).ln();
        for n in [6, 30] {
            for (estimate, truth) in [found(n, |u| u), found(n, two_modes), found(n, skewed)] {
                assert!(
                    (estimate / truth - 1.0).abs() < 0.1,
                    "{n}: {estimate} {truth}"
                );
            }
        }
    }

    #[test]
    fn moments_are_those_of_their_definition() {
        let values = [1.0f32, 4.0, -2.0, 0.5, 7.0];
        let mut moments = FourthMoments::default();
        values.iter().for_each(|value| moments.push(&[*value]));
        let mean = values.iter().map(|v| f64::from(*v)).sum::<f64>() / 5.0;
        for (k, found) in moments.points[0].iter().enumerate().skip(1) {
            let expected: f64 = values
                .iter()
                .map(|v| (f64::from(*v) - mean).powi(k as i32 + 1))
                .sum();
            assert!((found - expected).abs() < 1e-9, "{k}: {found} {expected}");
        }
    }

    #[test]
    fn two_realizations_are_taken_for_normal_and_one_gives_nothing() {
        let mut moments = FourthMoments::default();
        moments.push(&[0.0]);
        assert!(moments.variance_of_variance().is_none());
        moments.push(&[2.0]);
        // 2 s^4 / (n + 1) with s^2 = 2.
        assert!((moments.variance_of_variance().unwrap()[0] - 8.0 / 3.0).abs() < 1e-12);
    }
}
