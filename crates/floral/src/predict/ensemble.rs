//! An ensemble in memory: the realizations of one input's solution, and their statistics as fields.
//!
//! [`Predictor::sample`](super::Predictor::sample) returns an ensemble; larger ones are streamed by
//! a [`Walk`](super::Walk) instead.

use rayon::prelude::*;

use super::{Moments, Values};
use crate::grid::{Mask, blank};
use crate::kl::Prediction;
use crate::sample::{EnsembleStatistics, Wanted};
use crate::{Error, Field, Grid, Result};

/// Realizations u_1, ..., u_M of one input's solution on a grid.
///
/// At every point, [`mean`](Self::mean) and [`deviation`](Self::deviation) are those known in
/// closed form, if the method has them, and otherwise those of the realizations.
/// [`exceedance`](Self::exceedance) is the share of realizations with u_j > threshold, and
/// [`quantile`](Self::quantile) interpolates the sorted realizations at the rank p (M - 1) (Hyndman
/// & Fan, 1996, definition 7).
///
/// ```
/// use floral::prelude::*;
///
/// let grid = Grid::new(vec![Axis::closed("x", 2)]);
/// let ensemble = Ensemble::new(grid, 1, vec![0.0, 1.0, 2.0, 5.0])?; // [realization, point]
/// assert_eq!(ensemble.mean()?.values(), [1.0, 3.0]);
/// assert_eq!(ensemble.quantile(0.5)?.values(), [1.0, 3.0]);
/// assert_eq!(ensemble.exceedance(1.5)?.values(), [0.5, 0.5]);
/// # Ok::<(), floral::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Ensemble {
    grid: Grid,
    channels: usize,
    /// [realization, channel, point]; NaN outside the domain.
    values: Values,
    /// Whether each point is outside the domain; empty if none is.
    outside: Vec<bool>,
    /// Mean and variances known without drawing, if the method has them.
    known: Option<Prediction>,
}

impl Ensemble {
    /// An ensemble of realizations on a grid; `values`: [realization, channel, point].
    pub fn new(grid: Grid, channels: usize, values: impl Into<Values>) -> Result<Self> {
        let values = values.into();
        let size = channels * grid.len();
        if size == 0 || values.is_empty() || !values.len().is_multiple_of(size) {
            return Err(Error::shape(
                "an ensemble",
                vec![values.len()],
                vec![1, channels, grid.len()],
            ));
        }
        Ok(Self {
            grid,
            channels,
            values,
            outside: Vec::new(),
            known: None,
        })
    }

    /// This ensemble with NaN at the points outside the domain.
    pub fn masked(mut self, mask: Option<&Mask>) -> Self {
        if let Some(mask) = mask {
            match &mut self.values {
                Values::Single(values) => mask.blank(values),
                Values::Double(values) => mask.blank(values),
            }
            if let Some(known) = &mut self.known {
                mask.blank(&mut known.mean);
                mask.blank(&mut known.aleatoric);
                mask.blank(&mut known.epistemic);
            }
            self.outside = mask.outside().to_vec();
        }
        self
    }

    /// This ensemble with mean and variances that are known without drawing, if any.
    pub fn with_moments(self, known: Option<&Prediction>) -> Result<Self> {
        let found = known.map_or(self.size(), |known| known.mean.len());
        if found != self.size() {
            return Err(Error::shape(
                "the moments of an ensemble",
                vec![found],
                vec![self.size()],
            ));
        }
        Ok(Self {
            known: known.cloned(),
            ..self
        })
    }

    /// Mean and variances that are known without drawing; `None` if only realizations are known.
    pub fn known(&self) -> Option<&Prediction> {
        self.known.as_ref()
    }

    /// The points outside the domain, which have no values; `None` if there are none.
    pub fn mask(&self) -> Option<Mask> {
        let points = 0..self.grid.len();
        let outside = points.map(|point| self.values.at(point).is_nan());
        Mask::new(&self.grid.shape(), outside.collect())
    }

    /// The grid of every field.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Number of realizations.
    pub fn len(&self) -> usize {
        self.values.len() / self.size()
    }

    /// Whether there are no realizations; never true.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Shape of [`values`](Self::values): [realization, channel, axis...].
    pub fn shape(&self) -> Vec<usize> {
        [vec![self.len(), self.channels], self.grid.shape()].concat()
    }

    /// All values, in the order of [`shape`](Self::shape).
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// One realization; `None` if the index is out of range.
    pub fn realization(&self, index: usize) -> Option<Field> {
        let size = self.size();
        let places = index * size..(index + 1) * size;
        let is_there = places.end <= self.values.len();
        let values = || places.map(|place| self.values.at(place)).collect();
        is_there.then(|| self.field(values()).ok()).flatten()
    }

    /// The mean at every point: in closed form if the method has it, otherwise over realizations.
    pub fn mean(&self) -> Result<Field> {
        let draws = self.statistics()?;
        self.field(Moments::of(self.known(), &draws).mean.into_owned())
    }

    /// The standard deviation at every point: in closed form if the method has it, otherwise over
    /// realizations; zero for a single realization.
    pub fn deviation(&self) -> Result<Field> {
        let draws = self.statistics()?;
        let deviation = Moments::of(self.known(), &draws).deviation();
        self.field(deviation.unwrap_or_else(|| vec![0.0; self.size()]))
    }

    /// The quantile at every point, for a level between 0 and 1.
    pub fn quantile(&self, level: f64) -> Result<Field> {
        if !(0.0..=1.0).contains(&level) {
            return Err(Error::config(
                format!("quantile {level}"),
                "a level lies between 0 and 1",
            ));
        }
        self.by_point(|members| quantile(members, level))
    }

    /// The share of realizations above a threshold at every point, an estimate of the exceedance
    /// probability.
    pub fn exceedance(&self, threshold: f64) -> Result<Field> {
        self.by_point(|members| {
            let above = members.iter().filter(|v| **v > threshold);
            above.count() as f64 / members.len() as f64
        })
    }

    fn by_point(&self, statistic: impl Fn(&mut [f64]) -> f64 + Sync) -> Result<Field> {
        let size = self.size();
        let at = |point: usize| {
            let places = (point..self.values.len()).step_by(size);
            let mut column: Vec<f64> = places.map(|place| self.values.at(place)).collect();
            statistic(&mut column)
        };
        self.field((0..size).into_par_iter().map(at).collect())
    }

    /// Statistics of the draws; empty if mean and variances are known.
    fn statistics(&self) -> Result<EnsembleStatistics> {
        let mut statistics = EnsembleStatistics::new(self.size(), 0, &Wanted::default())?;
        if self.known.is_some() {
            return Ok(statistics);
        }
        // Points outside the domain are set to NaN again in every returned field.
        let known = |v: f64| if v.is_nan() { 0.0 } else { v };
        let size = self.size();
        for first in (0..self.values.len()).step_by(size) {
            let places = first..first + size;
            let member: Vec<f64> = places.map(|place| known(self.values.at(place))).collect();
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

    /// Number of values per realization.
    fn size(&self) -> usize {
        self.channels * self.grid.len()
    }
}

/// The value at rank level (n - 1), with linear interpolation: Hyndman & Fan (1996), definition 7,
/// the default of NumPy.
fn quantile(members: &mut [f64], level: f64) -> f64 {
    members.sort_unstable_by(f64::total_cmp);
    let rank = level * (members.len() - 1) as f64;
    let below = rank.floor() as usize;
    let above = (below + 1).min(members.len() - 1);
    let (low, high) = (members[below], members[above]);
    low + (rank - below as f64) * (high - low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Axis;

    /// Five realizations with the values (p + 1) times 0, 1, 2, 3, 4 at point p.
    fn ensemble() -> Ensemble {
        let grid = Grid::new(vec![Axis::closed("x", 3)]);
        let values = (0..5).flat_map(|i| (0..3).map(move |p| (i * (p + 1)) as f32));
        Ensemble::new(grid, 1, values.collect::<Vec<f32>>()).unwrap()
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
    fn nothing_is_known_of_points_outside_of_the_domain() {
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
        assert!(masked.values().at(1).is_nan());
    }

    #[test]
    fn known_moments_come_before_those_of_the_draws() {
        let known = Prediction {
            mean: vec![1.0, 2.0, 3.0],
            aleatoric: vec![12.0; 3],
            epistemic: vec![4.0; 3],
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
        assert!(Ensemble::new(grid.clone(), 1, Vec::<f32>::new()).is_err());
        assert!(Ensemble::new(grid, 1, vec![0.0f64; 4]).is_err());
        assert!(ensemble().quantile(1.5).is_err());
    }
}
