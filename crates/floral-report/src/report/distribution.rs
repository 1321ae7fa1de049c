//! A compact distribution of fields: mean, standard deviation, quantiles and a few realizations.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use floral::grid::Thinning;
use floral::metric::{Fields, SortedMembers};
use floral::predict::Moments;

/// Levels of the quantiles, denser in the tails.
pub const LEVELS: [f64; 25] = [
    0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65,
    0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.975, 0.99, 0.995,
];

/// Differences from the mean in standard deviations, one byte each. Where the spread is small, so
/// is the storage error.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Anomalies {
    /// The difference of the largest code; that of the smallest code is its negative.
    pub reach: f32,
    /// The codes, linear from -`reach` to `reach`.
    #[serde(with = "bytes")]
    pub codes: Vec<u8>,
}

/// Serializes bytes as one block instead of a list of numbers.
mod bytes {
    use ciborium::Value;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
        to.serialize_bytes(bytes)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
        let bytes = Value::deserialize(from)?.into_bytes();
        bytes.map_err(|_| D::Error::custom("these are no bytes"))
    }
}

impl Anomalies {
    fn of(values: &[f32]) -> Self {
        let reach = values.iter().fold(0.0f32, |reach, v| reach.max(v.abs()));
        let code = |value: &f32| {
            if reach > 0.0 {
                ((value / reach + 1.0) * 127.5).round() as u8
            } else {
                128
            }
        };
        Self {
            reach,
            codes: values.iter().map(code).collect(),
        }
    }

    /// The decoded differences.
    pub fn values(&self) -> impl ExactSizeIterator<Item = f32> + '_ {
        let reach = self.reach;
        self.codes
            .iter()
            .map(move |code| (f32::from(*code) / 127.5 - 1.0) * reach)
    }
}

/// The distribution of one input's solution.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Distribution {
    /// The mean: [channel, point].
    pub mean: Vec<f32>,
    /// The standard deviation; empty for a deterministic method.
    pub deviation: Vec<f32>,
    /// Quantiles at the points of `kept_points`: [level, value].
    pub quantiles: Anomalies,
    /// The stored realizations: [realization, channel, point].
    pub realizations: Anomalies,
}

impl Distribution {
    /// From realizations with these moments. Stores the first `kept` realizations, and quantiles at
    /// the given values.
    pub fn of(members: Fields, moments: &Moments, kept: usize, places: &[usize]) -> Self {
        let mean: Vec<f32> = moments.mean.iter().map(|v| *v as f32).collect();
        let Some(deviation) = moments.deviation() else {
            return Self {
                mean,
                ..Self::default()
            };
        };
        let deviation: Vec<f32> = deviation.iter().map(|d| *d as f32).collect();
        let anomaly = |value: f32, at: usize| {
            if deviation[at] > 0.0 {
                (value - mean[at]) / deviation[at]
            } else {
                0.0
            }
        };
        let first = members.iter().take(kept);
        let first: Vec<f32> = first
            .flat_map(|member| member.iter().enumerate().map(|(at, v)| anomaly(*v, at)))
            .collect();
        let columns: Vec<Vec<f32>> = places
            .par_iter()
            .map(|&at| {
                let mut column: Vec<f32> = members.iter().map(|member| member[at]).collect();
                let sorted = SortedMembers::new(&mut column);
                let quantiles = LEVELS.iter().map(|level| sorted.quantile(*level) as f32);
                quantiles.map(|value| anomaly(value, at)).collect()
            })
            .collect();
        let levels = 0..LEVELS.len();
        let quantiles: Vec<f32> = levels
            .flat_map(|level| columns.iter().map(move |column| column[level]))
            .collect();
        Self {
            quantiles: Anomalies::of(&quantiles),
            realizations: Anomalies::of(&first),
            mean,
            deviation,
        }
    }

    /// A stored realization; `None` beyond the number of stored ones.
    pub fn realization(&self, index: usize) -> Option<Vec<f32>> {
        let size = self.mean.len();
        if self.deviation.is_empty() {
            return Some(self.mean.clone());
        }
        if (index + 1) * size > self.realizations.codes.len() {
            return None;
        }
        let anomalies = self.realizations.values().skip(index * size).take(size);
        let moments = self.mean.iter().zip(&self.deviation);
        Some(
            moments
                .zip(anomalies)
                .map(|((m, d), a)| m + d * a)
                .collect(),
        )
    }

    /// The number of stored realizations.
    pub fn kept(&self) -> usize {
        self.realizations.codes.len() / self.mean.len().max(1)
    }

    /// The quantile of a level at every point of a channel, for fields on a grid of this shape;
    /// `None` without a spread. Between the stored levels and points it is interpolated in units of
    /// the standard deviation, which is known everywhere.
    pub fn quantile(&self, level: f64, shape: &[usize], channel: usize) -> Option<Vec<f64>> {
        let points: usize = shape.iter().product();
        let codes = self.quantiles.codes.len() / LEVELS.len();
        let kept = Kept::of(shape);
        if self.deviation.is_empty() || codes < (channel + 1) * kept.len() {
            return None;
        }
        let above = LEVELS.partition_point(|known| *known < level);
        let above = above.clamp(1, LEVELS.len() - 1);
        let [low, high] = [LEVELS[above - 1], LEVELS[above]];
        let share = ((level - low) / (high - low)).clamp(0.0, 1.0) as f32;
        let anomalies: Vec<f32> = self.quantiles.values().collect();
        let of_level =
            |level: usize| &anomalies[level * codes + channel * kept.len()..][..kept.len()];
        let pairs = of_level(above - 1).iter().zip(of_level(above));
        let at_kept: Vec<f32> = pairs.map(|(a, b)| a + share * (b - a)).collect();
        let moments = self.mean.iter().zip(&self.deviation);
        let own = moments.skip(channel * points).take(points);
        Some(
            own.enumerate()
                .map(|(point, (m, d))| f64::from(m + d * kept.at(&at_kept, point)))
                .collect(),
        )
    }
}

/// A grid of one or two axes, seen as [row, column], and its points at which quantiles are stored.
struct Kept {
    columns: usize,
    stride: [usize; 2],
    kept: [usize; 2],
}

impl Kept {
    fn of(shape: &[usize]) -> Self {
        let [rows, columns] = match shape {
            [columns] => [1, *columns],
            [rows, columns] => [*rows, *columns],
            other => [1, other.iter().product()],
        };
        let stride = match stride(shape)[..] {
            [of_rows, of_columns] => [of_rows, of_columns],
            [of_columns] => [1, of_columns],
            _ => [1, 1],
        };
        Self {
            columns,
            stride,
            kept: [rows.div_ceil(stride[0]), columns.div_ceil(stride[1])],
        }
    }

    fn len(&self) -> usize {
        self.kept[0] * self.kept[1]
    }

    /// Interpolates values at the stored points to a point of the grid.
    fn at(&self, values: &[f32], point: usize) -> f32 {
        let place = [point / self.columns, point % self.columns];
        let along = |axis: usize| {
            let last = self.kept[axis] - 1;
            let before = (place[axis] / self.stride[axis]).min(last);
            let share = (place[axis] - before * self.stride[axis]) as f32;
            [
                (before, 1.0 - (share / self.stride[axis] as f32).min(1.0)),
                (
                    (before + 1).min(last),
                    (share / self.stride[axis] as f32).min(1.0),
                ),
            ]
        };
        let columns = along(1);
        let corners = along(0).into_iter().flat_map(|(row, a)| {
            columns.map(|(column, b)| a * b * values[row * self.kept[1] + column])
        });
        corners.sum()
    }
}

/// The stride along each axis between points at which quantiles are stored.
pub fn stride(shape: &[usize]) -> Vec<usize> {
    // The eye resolves no more than a map of 64 x 64 or a curve of 256 points.
    let most = if shape.len() > 1 { 64 } else { 256 };
    shape.iter().map(|n| n.div_ceil(most)).collect()
}

/// The indices of the values at which quantiles are stored: every channel, every s-th point.
pub fn kept_points(shape: &[usize], channels: usize) -> Vec<usize> {
    let points: usize = shape.iter().product();
    let thinning = Thinning::every(shape, &stride(shape));
    let kept = thinning.kept();
    (0..channels)
        .flat_map(|c| kept.iter().map(move |i| c * points + i))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members() -> Vec<f32> {
        // The values 0..100 times (p + 1) at point p.
        (0..101)
            .flat_map(|i| (0..3).map(move |p| (i * (p + 1)) as f32))
            .collect()
    }

    fn distribution() -> Distribution {
        let (mean, variance) = ([50.0, 100.0, 150.0], [858.5, 3434.0, 7726.5]);
        let members = members();
        let fields = Fields::new(&members, 3).unwrap();
        Distribution::of(fields, &moments(&mean, &variance), 4, &[0, 2])
    }

    fn moments<'a>(mean: &'a [f64], variance: &'a [f64]) -> Moments<'a> {
        Moments {
            mean: mean.into(),
            variance: Some(variance.into()),
            aleatoric: None,
            is_drawn: true,
        }
    }

    #[test]
    fn quantiles_of_any_level_are_known_at_every_point() {
        // The values 0..=200 times (p + 1), on more points than are stored.
        let points = 300;
        let members: Vec<f32> = (0..201)
            .flat_map(|i| (0..points).map(move |p| (i * (p + 1)) as f32))
            .collect();
        let size = |p: usize| (p + 1) as f64;
        let mean: Vec<f64> = (0..points).map(|p| 100.0 * size(p)).collect();
        let variance: Vec<f64> = (0..points).map(|p| 3383.5 * size(p).powi(2)).collect();
        let fields = Fields::new(&members, points).unwrap();
        let places = kept_points(&[points], 1);
        assert!(places.len() < points);
        let found = Distribution::of(fields, &moments(&mean, &variance), 0, &places);
        for level in [0.05, 0.5, 0.875, 0.95] {
            let quantile = found.quantile(level, &[points], 0).unwrap();
            for (p, value) in quantile.iter().enumerate() {
                let expected = 200.0 * level * size(p);
                assert!(
                    (value - expected).abs() < 1.2 * size(p),
                    "{level} {p}: {value}"
                );
            }
        }
        assert!(found.quantile(0.5, &[points], 1).is_none(), "one channel");
        assert!(Distribution::default().quantile(0.5, &[3], 0).is_none());
    }

    #[test]
    fn quantiles_come_back_within_a_byte() {
        let distribution = distribution();
        let quantiles: Vec<f32> = distribution.quantiles.values().collect();
        let median = LEVELS.iter().position(|l| *l == 0.5).unwrap();
        let step = distribution.quantiles.reach / 127.5;
        for (column, at) in [0, 2].into_iter().enumerate() {
            let value =
                distribution.mean[at] + distribution.deviation[at] * quantiles[median * 2 + column];
            assert!((value - distribution.mean[at]).abs() <= step * distribution.deviation[at]);
        }
        assert!(quantiles.iter().step_by(2).is_sorted());
    }

    #[test]
    fn realizations_come_back_and_there_are_no_more_than_kept() {
        let distribution = distribution();
        assert_eq!(distribution.kept(), 4);
        let third = distribution.realization(2).unwrap();
        for (value, expected) in third.iter().zip([2.0, 4.0, 6.0]) {
            assert!((value - expected).abs() < 0.02 * 3.0 * expected.max(50.0));
        }
        assert!(distribution.realization(4).is_none());
    }

    #[test]
    fn large_grids_keep_every_second_point() {
        assert_eq!(stride(&[128]), [1]);
        assert_eq!(stride(&[64, 128]), [1, 2]);
        assert_eq!(kept_points(&[64, 128], 2).len(), 2 * 64 * 64);
        assert_eq!(&kept_points(&[64, 128], 1)[..3], [0, 2, 4]);
    }
}
