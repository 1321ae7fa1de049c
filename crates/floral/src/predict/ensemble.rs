//! An ensemble in memory: the realizations of one input's solution, and their statistics as fields.
//!
//! What [`Predictor::sample`](super::Predictor::sample) returns; larger ensembles stream through a
//! [`Walk`](super::Walk) instead.

use super::Moments;
use crate::metric::{Fields, SortedMembers};
use crate::regression::Prediction;
use crate::sample::{EnsembleStatistics, Wanted};
use crate::{Error, Field, Grid, Result};

/// Realizations of one input's solution on a grid.
#[derive(Debug, Clone, PartialEq)]
pub struct Ensemble {
    grid: Grid,
    channels: usize,
    /// [realization, channel, point]
    values: Vec<f32>,
    /// What the method knows of mean and variances, without drawing.
    known: Option<Prediction>,
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
            known: None,
        })
    }

    /// The same with what the method knows of mean and variances, if it does.
    pub fn with_moments(self, known: Option<&Prediction>) -> Result<Self> {
        let found = known.map_or(self.size(), |known| known.mean.len());
        if found != self.size() {
            return Err(Error::Shape {
                what: "the moments of an ensemble".into(),
                found: vec![found],
                expected: vec![self.size()],
            });
        }
        Ok(Self {
            known: known.cloned(),
            ..self
        })
    }

    /// What the method knows of mean and variances; none where realizations are all there is.
    pub fn known(&self) -> Option<&Prediction> {
        self.known.as_ref()
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

    /// The mean: as the method knows it, or else over realizations.
    pub fn mean(&self) -> Result<Field> {
        let draws = self.statistics()?;
        self.field(Moments::of(self.known(), &draws).mean.into_owned())
    }

    /// The standard deviation: as the method knows it, or else over realizations; zero of a single
    /// one.
    pub fn deviation(&self) -> Result<Field> {
        let draws = self.statistics()?;
        let deviation = Moments::of(self.known(), &draws).deviation();
        self.field(deviation.unwrap_or_else(|| vec![0.0; self.size()]))
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

    /// Statistics of the draws, where they are needed.
    fn statistics(&self) -> Result<EnsembleStatistics> {
        let mut statistics = EnsembleStatistics::new(self.size(), 0, &Wanted::default())?;
        if self.known.is_some() {
            return Ok(statistics);
        }
        let mut members = self.values.chunks_exact(self.size());
        members.try_for_each(|member| statistics.push(member))?;
        Ok(statistics)
    }

    fn field(&self, values: Vec<f64>) -> Result<Field> {
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
    fn known_moments_come_before_those_of_the_draws() {
        let known = Prediction {
            mean: vec![1.0, 2.0, 3.0],
            aleatoric: vec![3.0; 3],
            epistemic: vec![1.0; 3],
            factor: 4.0,
            novelty: 1.0,
        };
        let drawn = ensemble();
        let ensemble = drawn.clone().with_moments(Some(&known)).unwrap();
        assert_eq!(ensemble.mean().unwrap().values(), known.mean);
        assert_eq!(ensemble.deviation().unwrap().values(), [4.0; 3]);
        let quantile = |ensemble: &Ensemble| ensemble.quantile(0.3).unwrap();
        assert_eq!(quantile(&ensemble), quantile(&drawn));
        let short = Prediction {
            mean: vec![1.0],
            ..known
        };
        assert!(drawn.with_moments(Some(&short)).is_err());
    }

    #[test]
    fn what_is_no_ensemble_is_refused() {
        let grid = Grid::new(vec![Axis::closed("x", 3)]);
        assert!(Ensemble::new(grid.clone(), 1, vec![]).is_err());
        assert!(Ensemble::new(grid, 1, vec![0.0; 4]).is_err());
        assert!(ensemble().quantile(1.5).is_err());
    }
}
