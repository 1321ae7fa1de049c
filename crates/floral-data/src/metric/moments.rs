//! Count, mean, variance and range of numbers, updated one at a time or merged from parts.

use serde::{Deserialize, Serialize};

/// Running statistics of finite numbers; other numbers are only counted.
///
/// Parts are merged by the update of Chan, Golub & LeVeque (1983), which keeps its precision if the
/// mean is much larger than the spread.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunningMoments {
    count: u64,
    non_finite: u64,
    mean: f64,
    squares: f64,
    min: f64,
    max: f64,
}

impl Default for RunningMoments {
    fn default() -> Self {
        Self {
            count: 0,
            non_finite: 0,
            mean: 0.0,
            squares: 0.0,
            min: f64::INFINITY,
            max: f64::NEG_INFINITY,
        }
    }
}

impl RunningMoments {
    /// The statistics of these numbers.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let mut moments = Self::default();
        for value in values {
            moments.push(value);
        }
        moments
    }

    /// Adds a number.
    #[inline]
    pub fn push(&mut self, value: f64) {
        if !value.is_finite() {
            self.non_finite += 1;
            return;
        }
        self.count += 1;
        let step = value - self.mean;
        self.mean += step / self.count as f64;
        self.squares += step * (value - self.mean);
        self.min = self.min.min(value);
        self.max = self.max.max(value);
    }

    /// Adds the statistics of `other`.
    #[inline]
    pub fn merge(&mut self, other: &Self) {
        self.non_finite += other.non_finite;
        if other.count == 0 {
            return;
        }
        let total = (self.count + other.count) as f64;
        let step = other.mean - self.mean;
        let weight = other.count as f64 / total;
        self.squares += other.squares + step * step * self.count as f64 * weight;
        self.mean += step * weight;
        self.count += other.count;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    /// Number of values that were NaN or infinite.
    pub fn non_finite(&self) -> u64 {
        self.non_finite
    }

    /// The mean.
    #[inline]
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// The variance about the mean, with the count as divisor (not the unbiased estimate).
    #[inline]
    pub fn variance(&self) -> f64 {
        if self.count == 0 {
            return 0.0;
        }
        self.squares / self.count as f64
    }

    /// The smallest number.
    #[inline]
    pub fn min(&self) -> f64 {
        self.min
    }

    /// The largest number.
    #[inline]
    pub fn max(&self) -> f64 {
        self.max
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_merge_to_the_whole_even_far_from_zero() {
        let values: Vec<f64> = (0..1000).map(|i| 1e9 + f64::from(i % 7)).collect();
        let mut parts = RunningMoments::of(values[..300].iter().copied());
        parts.merge(&RunningMoments::default());
        parts.merge(&RunningMoments::of(values[300..].iter().copied()));
        let offsets = values.iter().map(|v| v - 1e9);
        let mean = offsets.clone().sum::<f64>() / 1000.0;
        let variance = offsets.map(|v| (v - mean).powi(2)).sum::<f64>() / 1000.0;
        assert!((parts.variance() - variance).abs() < 1e-6 * variance);
        assert_eq!((parts.min(), parts.max()), (1e9, 1e9 + 6.0));
    }

    #[test]
    fn what_is_not_finite_is_counted_and_left_out() {
        let moments = RunningMoments::of([1.0, f64::NAN, 3.0, f64::INFINITY]);
        assert_eq!(moments.non_finite(), 2);
        assert_eq!((moments.mean(), moments.variance()), (2.0, 1.0));
    }
}
