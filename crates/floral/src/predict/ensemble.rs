//! An ensemble in memory: the realizations of one input's solution, and their statistics as fields.
//!
//! What [`Predictor::sample`](super::Predictor::sample) returns; larger ensembles stream through a
//! [`Walk`](super::Walk) instead.

use crate::grid::{Mask, blank};
use crate::metric::{Fields, SortedMembers};
use crate::sample::{EnsembleStatistics, Wanted};
use crate::{Error, Field, Grid, Result};

/// Realizations of one input's solution on a grid.
#[derive(Debug, Clone, PartialEq)]
pub struct Ensemble {
    grid: Grid,
    channels: usize,
    /// [realization, channel, point]; NaN outside of the domain.
    values: Vec<f32>,
    /// Whether each point is outside of the domain; empty if none is.
    outside: Vec<bool>,
}

impl Ensemble {
    /// Realizations, [realization, channel, point], on a grid.
    pub fn new(grid: Grid, channels: usize, values: Vec<f32>) -> Result<Self> {
        let size = channels * grid.len();
        if size == 0 || values.is_empty() || !values.len().is_multiple_of(size) {
            return Err(Error::Shape {
                what: "an ensemble".into(),
                found: vec![values.len()],
                expected: vec![1, channels, grid.len()],
            });
        }
        Ok(Self {
            grid,
            channels,
            values,
            outside: Vec::new(),
        })
    }

    /// The same without values at the points outside of a domain.
    pub fn masked(mut self, mask: Option<&Mask>) -> Self {
        if let Some(mask) = mask {
            mask.blank(&mut self.values);
            self.outside = mask.outside().to_vec();
        }
        self
    }

    /// The grid of every field.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Number of realizations.
    pub fn len(&self) -> usize {
        self.values.len() / self.size()
    }

    /// Whether there are none; never so.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// [realization, channel, one number an axis]: the shape of [`values`](Self::values).
    pub fn shape(&self) -> Vec<usize> {
        [vec![self.len(), self.channels], self.grid.shape()].concat()
    }

    /// All values, in the order of [`shape`](Self::shape).
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// One realization.
    pub fn realization(&self, index: usize) -> Option<Field> {
        let values = self.values.chunks_exact(self.size()).nth(index)?;
        self.field(values.iter().map(|v| f64::from(*v)).collect())
            .ok()
    }

    /// The mean over realizations.
    pub fn mean(&self) -> Result<Field> {
        self.field(self.statistics()?.mean().to_vec())
    }

    /// The standard deviation over realizations; zero of a single one.
    pub fn deviation(&self) -> Result<Field> {
        if self.len() == 1 {
            return self.field(vec![0.0; self.size()]);
        }
        let variance = self.statistics()?.variance();
        self.field(variance.iter().map(|v| v.max(0.0).sqrt()).collect())
    }

    /// The quantile of a level between 0 and 1, at every point.
    pub fn quantile(&self, level: f64) -> Result<Field> {
        if !(0.0..=1.0).contains(&level) {
            return Err(Error::Config {
                context: format!("quantile {level}"),
                reason: "a level lies between 0 and 1".into(),
            });
        }
        self.by_point(|members| SortedMembers::new(members).quantile(level))
    }

    /// The share of realizations above a threshold, at every point.
    pub fn exceedance(&self, threshold: f64) -> Result<Field> {
        self.by_point(|members| {
            let above = members.iter().filter(|v| f64::from(**v) > threshold);
            above.count() as f64 / members.len() as f64
        })
    }

    fn by_point(&self, statistic: impl Fn(&mut [f32]) -> f64) -> Result<Field> {
        let members = Fields::new(&self.values, self.size())?;
        let mut column = vec![0.0; self.len()];
        let at = |point: usize| {
            for (value, member) in column.iter_mut().zip(members.iter()) {
                *value = member[point];
            }
            statistic(&mut column)
        };
        self.field((0..self.size()).map(at).collect())
    }

    fn statistics(&self) -> Result<EnsembleStatistics> {
        let mut statistics = EnsembleStatistics::new(self.size(), 0, &Wanted::default())?;
        for member in self.values.chunks_exact(self.size()) {
            let mut member = member.to_vec();
            // What is outside is blank again in every field of statistics.
            member
                .iter_mut()
                .filter(|v| v.is_nan())
                .for_each(|v| *v = 0.0);
            statistics.push(&member)?;
        }
        Ok(statistics)
    }

    fn field(&self, mut values: Vec<f64>) -> Result<Field> {
        if !self.outside.is_empty() {
            blank(&self.outside, &mut values);
        }
        Field::from_values(self.channels, &self.grid.shape(), values)
    }

    /// Values of a realization.
    fn size(&self) -> usize {
        self.channels * self.grid.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Axis;

    /// At point p the values (p + 1) times 0, 1, 2, 3, 4.
    fn ensemble() -> Ensemble {
        let grid = Grid::new(vec![Axis::closed("x", 3)]);
        let values = (0..5).flat_map(|i| (0..3).map(move |p| (i * (p + 1)) as f32));
        Ensemble::new(grid, 1, values.collect()).unwrap()
    }

    #[test]
    fn statistics_are_those_of_the_values_at_each_point() {
        let ensemble = ensemble();
        assert_eq!(ensemble.shape(), [5, 1, 3]);
        assert_eq!(ensemble.mean().unwrap().values(), [2.0, 4.0, 6.0]);
        let deviation = ensemble.deviation().unwrap();
        for (found, p) in deviation.values().iter().zip([1.0, 2.0, 3.0]) {
            assert!((found - p * 2.5f64.sqrt()).abs() < 1e-12);
        }
        assert_eq!(ensemble.quantile(0.5).unwrap().values(), [2.0, 4.0, 6.0]);
        assert_eq!(ensemble.exceedance(3.5).unwrap().values(), [0.2, 0.6, 0.6]);
        assert_eq!(ensemble.realization(1).unwrap().values(), [1.0, 2.0, 3.0]);
        assert!(ensemble.realization(5).is_none());
    }

    #[test]
    fn nothing_is_told_of_points_outside_of_the_domain() {
        let mask = Mask::new(&[3], vec![false, true, false]).unwrap();
        let masked = ensemble().masked(Some(&mask));
        let fields = [
            masked.mean(),
            masked.deviation(),
            masked.quantile(0.5),
            masked.exceedance(3.5),
        ];
        for field in fields {
            let is_nan: Vec<bool> = field.unwrap().values().iter().map(|v| v.is_nan()).collect();
            assert_eq!(is_nan, [false, true, false]);
        }
        assert_eq!(masked.mean().unwrap().values()[2], 6.0);
        assert!(masked.values()[1].is_nan());
    }

    #[test]
    fn what_is_no_ensemble_is_refused() {
        let grid = Grid::new(vec![Axis::closed("x", 3)]);
        assert!(Ensemble::new(grid.clone(), 1, vec![]).is_err());
        assert!(Ensemble::new(grid, 1, vec![0.0; 4]).is_err());
        assert!(ensemble().quantile(1.5).is_err());
    }
}
