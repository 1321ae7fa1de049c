//! Mean and variance of values that arrive one at a time.

/// Mean and sum of squared deviations at every point.
///
/// Welford (1962), Technometrics 4, 419-420: no cancellation, however small the spread.
#[derive(Debug, Clone)]
pub(super) struct RunningMoments {
    count: usize,
    mean: Vec<f64>,
    squares: Vec<f64>,
}

impl RunningMoments {
    pub(super) fn new(points: usize) -> Self {
        Self {
            count: 0,
            mean: vec![0.0; points],
            squares: vec![0.0; points],
        }
    }

    pub(super) fn push<T: Copy + Into<f64>>(&mut self, values: &[T]) {
        self.count += 1;
        let count = self.count as f64;
        let points = self.mean.iter_mut().zip(&mut self.squares);
        for ((mean, squares), value) in points.zip(values) {
            let value: f64 = (*value).into();
            let deviation = value - *mean;
            *mean += deviation / count;
            *squares += deviation * (value - *mean);
        }
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    pub(super) fn mean(&self) -> &[f64] {
        &self.mean
    }

    pub(super) fn variance(&self) -> Vec<f64> {
        let freedom = self.count as f64 - 1.0;
        let variance = |squares: &f64| {
            if freedom > 0.0 {
                squares / freedom
            } else {
                f64::NAN
            }
        };
        self.squares.iter().map(variance).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_pass_gives_what_two_passes_give() {
        // A spread of 1e-3 about 1000, where sums of squares would lose every digit of f32.
        let value = |j: usize, p: usize| 1e3 + 1e-3 * ((j * 37 + p * 11) % 97) as f32;
        let (count, points) = (1000, 3);
        let mut moments = RunningMoments::new(points);
        for j in 0..count {
            let field: Vec<f32> = (0..points).map(|p| value(j, p)).collect();
            moments.push(&field);
        }
        for p in 0..points {
            let values = || (0..count).map(|j| f64::from(value(j, p)));
            let mean = values().sum::<f64>() / count as f64;
            let squares: f64 = values().map(|v| (v - mean).powi(2)).sum();
            let variance = squares / (count - 1) as f64;
            assert!((moments.mean()[p] - mean).abs() < 1e-10);
            assert!((moments.variance()[p] / variance - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn a_single_realization_has_a_mean_and_no_variance() {
        let mut moments = RunningMoments::new(1);
        moments.push(&[2.5f32]);
        assert_eq!(moments.mean(), [2.5]);
        assert!(moments.variance()[0].is_nan());
    }
}
