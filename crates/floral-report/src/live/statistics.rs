//! The statistics that a live page shows: mean, standard deviation and the ends of the 90 %
//! interval.

use floral::predict::{Case, Predictor, Sampling};
use floral::{Field, Observer, Result};

use super::design::Bounds;
use crate::draw::extremes;

/// Number of statistics.
pub const STATISTICS: usize = 4;

/// The names of the statistics, in their order.
pub const NAMES: [&str; STATISTICS] = [
    "mean",
    "standard deviation",
    "5 % quantile",
    "95 % quantile",
];

/// A model with the settings of its predictions.
pub(super) struct Model<'a> {
    pub predictor: &'a Predictor,
    pub sampling: &'a Sampling,
    pub observer: &'a dyn Observer,
}

impl Model<'_> {
    pub fn channels(&self) -> usize {
        self.predictor.header().shapes.solution_channels
    }

    /// Whether each point lies outside the domain; empty without a mask.
    pub fn outside(&self) -> Vec<bool> {
        let mask = self.predictor.header().mask.as_ref();
        mask.map_or(Vec::new(), |mask| mask.outside().to_vec())
    }

    /// The statistics at points in the box of parameters: [point in the box][statistic, channel,
    /// point].
    pub fn at_all(&self, places: &[Vec<f64>]) -> Result<Vec<Vec<f64>>> {
        let bounds = Bounds::of(self.predictor.header());
        let at = |place: &Vec<f64>| self.at(&bounds.parameters(place));
        places.iter().map(at).collect()
    }

    /// Uses the same random draws at all parameters: those of the first input of `floral sample`.
    fn at(&self, parameters: &[f64]) -> Result<Vec<f64>> {
        let grid = self.predictor.grid();
        let values = parameters.iter();
        let values = values.flat_map(|value| std::iter::repeat_n(*value, grid.len()));
        let case = Case {
            input: Field::from_values(parameters.len(), &grid.shape(), values.collect())?,
            low: None,
        };
        floral::observer::go_on(self.observer)?;
        let silent = floral::Silent;
        let ensemble = self
            .predictor
            .sample(&case, 0, grid, self.sampling, &silent)?;
        let fields = [
            ensemble.mean()?,
            ensemble.deviation()?,
            ensemble.quantile(0.05)?,
            ensemble.quantile(0.95)?,
        ];
        let values = fields.iter().flat_map(Field::values);
        // A point outside the domain has no value for any parameters.
        Ok(values
            .map(|v| if v.is_finite() { *v } else { 0.0 })
            .collect())
    }
}

/// The width of the 90 % interval of a channel, repeated for every value: the mean over
/// predictions, at the point where it is largest. A channel without an interval takes the range of
/// its mean.
pub(super) fn widths(known: &[Vec<f64>], channels: usize, outside: &[bool]) -> Vec<f64> {
    let size = known.first().map_or(0, Vec::len) / STATISTICS;
    let points = size / channels.max(1);
    let count = known.len().max(1) as f64;
    let of_channel = |channel: usize| {
        let at = channel * points..(channel + 1) * points;
        let width = |i: usize| {
            let sum: f64 = known
                .iter()
                .map(|f| f[3 * size + i] - f[2 * size + i])
                .sum();
            sum / count
        };
        let widest = at.clone().map(width).fold(0.0, f64::max);
        if widest > 0.0 {
            return widest;
        }
        let means = known.iter().map(|f| &f[at.clone()]);
        let [low, high] = range(means, outside);
        if high > low { high - low } else { 1.0 }
    };
    let of_channels: Vec<f64> = (0..channels).map(of_channel).collect();
    let place = |i: usize| of_channels[i % size.max(1) / points.max(1)];
    (0..STATISTICS * size).map(place).collect()
}

/// The range of every statistic of every channel within the domain: [statistic, channel], flattened.
pub(super) fn ranges(known: &[Vec<f64>], channels: usize, outside: &[bool]) -> Vec<[f64; 2]> {
    let points = known.first().map_or(0, Vec::len) / (STATISTICS * channels.max(1));
    let part = |k: usize| {
        let values = known.iter().map(|f| &f[k * points..(k + 1) * points]);
        range(values, outside)
    };
    (0..STATISTICS * channels).map(part).collect()
}

/// The range of values, [.., point], at the points within the domain; `outside` is empty without a
/// mask.
fn range<'a>(values: impl Iterator<Item = &'a [f64]>, outside: &[bool]) -> [f64; 2] {
    let is_inside = |point: usize| outside.get(point).is_none_or(|outside| !outside);
    let within = |values: &'a [f64]| {
        let values = values.iter().enumerate();
        values.filter_map(move |(point, value)| is_inside(point).then_some(*value))
    };
    extremes(values.flat_map(within)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_outside_the_domain_do_not_widen_ranges() {
        let field = [
            300.0, 310.0, 0.0, 1.0, 1.0, 0.0, 299.0, 309.0, 0.0, 299.0, 309.0, 0.0,
        ];
        let known = vec![field.to_vec()];
        let outside = [false, false, true];
        assert_eq!(ranges(&known, 1, &outside)[0], [300.0, 310.0]);
        assert_eq!(widths(&known, 1, &outside)[0], 10.0);
        assert_eq!(ranges(&known, 1, &[])[0], [0.0, 310.0]);
    }
}
