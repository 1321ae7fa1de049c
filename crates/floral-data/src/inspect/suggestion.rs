//! Suggests a transform for a channel whose values are never negative and are skewed or close to
//! zero.

use serde::Serialize;

use crate::dataset::Realizations;
use crate::metric::RunningMoments;
use crate::transform::Transform;

/// Mean skewness over realizations above which a distribution counts as skewed.
const SKEWED: f64 = 0.5;

/// Share of points within two standard deviations of zero above which a normal distribution is
/// unsuitable.
const NEAR_ZERO: f64 = 0.05;

/// Smallest number of realizations with a meaningful skewness.
const FEWEST: usize = 8;

/// Largest ratio of largest to smallest value for which a logarithm is suggested.
const DECADES: f64 = 1e6;

/// A suggested transform for a channel, and the reasons.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Suggestion {
    /// The channel.
    pub channel: usize,
    /// Label of the channel.
    pub label: String,
    /// The transform.
    pub transform: Transform,
    /// The smallest value, not negative.
    pub smallest: f64,
    /// Mean skewness over the realizations of an input at a point.
    pub skewness: f64,
    /// Share of points whose mean is within two standard deviations of zero: a normal distribution
    /// with these moments would sometimes be negative there.
    pub near_zero: f64,
}

/// Moments of the values of one channel.
#[derive(Debug, Clone, Default)]
pub(super) struct Shape {
    values: RunningMoments,
    skewness: RunningMoments,
    near_zero: RunningMoments,
}

impl Shape {
    /// The moments of each channel, from one input's realizations.
    pub(super) fn of(high: &Realizations) -> Vec<Self> {
        let channels = high.shape().get(1).copied().unwrap_or(0);
        let points = high.shape()[2..].iter().product::<usize>();
        let shape = |channel: usize| {
            let mut shape = Self::default();
            let column = |p: usize| high.iter().map(move |field| field[channel * points + p]);
            (0..points).for_each(|p| shape.push(&column(p).collect::<Vec<f64>>()));
            shape
        };
        (0..channels).map(shape).collect()
    }

    /// Adds the realizations at one point.
    fn push(&mut self, column: &[f64]) {
        let moments = RunningMoments::of(column.iter().copied());
        self.values.merge(&moments);
        let (mean, square) = (moments.mean(), moments.variance());
        if column.len() < FEWEST || square <= 0.0 {
            return;
        }
        let count = column.len() as f64;
        let third = column.iter().map(|v| (v - mean).powi(3)).sum::<f64>() / count;
        self.skewness.push(third / square.powf(1.5));
        self.near_zero.push(f64::from(mean < 2.0 * square.sqrt()));
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.values.merge(&other.values);
        self.skewness.merge(&other.skewness);
        self.near_zero.merge(&other.near_zero);
    }

    /// The suggested transform, if any; the smallest value of low fidelity must also be in its
    /// range.
    pub(super) fn suggestion(
        &self,
        (channel, label): (usize, String),
        smallest_low: f64,
    ) -> Option<Suggestion> {
        let smallest = self.values.min().min(smallest_low);
        let (skewness, near_zero) = (self.skewness.mean(), self.near_zero.mean());
        let is_skewed = skewness > SKEWED;
        if smallest < 0.0 || !(is_skewed || near_zero > NEAR_ZERO) {
            return None;
        }
        let is_log = is_skewed && smallest > 0.0 && self.values.max() < DECADES * smallest;
        Some(Suggestion {
            channel,
            label,
            transform: if is_log {
                Transform::Log
            } else {
                Transform::Positive { scale: None }
            },
            smallest,
            skewness,
            near_zero,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::testing::normals;

    fn shape(value: impl Fn(f64) -> f64) -> Shape {
        let mut shape = Shape::default();
        let normals = normals(5, 4000);
        for column in normals.chunks(40) {
            let column: Vec<f64> = column.iter().map(|z| value(f64::from(*z))).collect();
            shape.push(&column);
        }
        shape
    }

    fn channel() -> (usize, String) {
        (0, "u".into())
    }

    fn suggested(value: impl Fn(f64) -> f64) -> Option<Transform> {
        let suggestion = shape(value).suggestion(channel(), f64::INFINITY)?;
        Some(suggestion.transform)
    }

    #[test]
    fn a_log_normal_law_is_learned_by_its_logarithm() {
        assert_eq!(suggested(|z| (0.6 * z).exp()), Some(Transform::Log));
    }

    #[test]
    fn values_that_reach_zero_or_span_decades_are_kept_positive() {
        let positive = Some(Transform::Positive { scale: None });
        assert_eq!(suggested(|z| (z - 0.5).max(0.0)), positive);
        assert_eq!(suggested(|z| (6.0 * z).exp()), positive);
    }

    #[test]
    fn nothing_is_suggested_far_from_zero_or_below_it() {
        assert_eq!(suggested(|z| 10.0 + z), None);
        assert_eq!(suggested(|z| z.exp() - 2.0), None);
        let skewed = shape(|z| (0.6 * z).exp());
        assert!(
            skewed.suggestion(channel(), -0.1).is_none(),
            "low is negative"
        );
    }
}
