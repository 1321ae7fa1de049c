//! Statistics over realizations of a field, gathered one realization at a time.

mod moments;
mod quantiles;

use moments::RunningMoments;
use quantiles::QuantileSketch;

use crate::storage::Precision;
use crate::{Error, Result};

/// Statistics to gather beside mean, variance and extremes.
#[derive(Debug, Clone, PartialEq)]
pub struct Wanted {
    /// Levels of quantiles, from 0 to 1; without any, no values are kept.
    pub quantiles: Vec<f64>,
    /// Thresholds whose probability of exceedance is wanted.
    pub thresholds: Vec<f64>,
    /// Memory for the values that quantiles need, in bytes.
    pub quantile_memory: usize,
    /// Precision of kept values and stored statistics; it must resolve their spread.
    pub precision: Precision,
}

impl Default for Wanted {
    /// No quantiles and no thresholds; 256 MiB, which is exact for 4096 realizations on 128 x 128.
    fn default() -> Self {
        Self {
            quantiles: Vec::new(),
            thresholds: Vec::new(),
            quantile_memory: 256 << 20,
            precision: Precision::F32,
        }
    }
}

/// Statistics of a field over the realizations pushed so far.
///
/// They depend on the realizations and their order alone, so pushing in the order of their index
/// makes them independent of threads and block sizes.
#[derive(Debug, Clone)]
pub struct EnsembleStatistics {
    moments: RunningMoments,
    smallest: Vec<f64>,
    largest: Vec<f64>,
    exceedances: Vec<(f64, Vec<u32>)>,
    levels: Vec<f64>,
    sketch: Option<Sketch>,
}

impl EnsembleStatistics {
    /// For fields of `points` values and about `realizations` realizations; more may be pushed.
    pub fn new(points: usize, realizations: usize, wanted: &Wanted) -> Result<Self> {
        wanted.quantiles.iter().try_for_each(|q| check_level(*q))?;
        let sketch = match wanted.quantiles.as_slice() {
            [] => None,
            _ => Some(Sketch::new(points, realizations, wanted)?),
        };
        let count = |threshold: &f64| (*threshold, vec![0; points]);
        Ok(Self {
            moments: RunningMoments::new(points),
            smallest: vec![f64::INFINITY; points],
            largest: vec![f64::NEG_INFINITY; points],
            exceedances: wanted.thresholds.iter().map(count).collect(),
            levels: wanted.quantiles.clone(),
            sketch,
        })
    }

    /// Adds one realization, a finite value per point.
    pub fn push<T: Copy + Into<f64>>(&mut self, values: &[T]) -> Result<()> {
        self.check(values)?;
        self.moments.push(values);
        for (smallest, value) in self.smallest.iter_mut().zip(values) {
            *smallest = smallest.min((*value).into());
        }
        for (largest, value) in self.largest.iter_mut().zip(values) {
            *largest = largest.max((*value).into());
        }
        for (threshold, counts) in &mut self.exceedances {
            for (count, value) in counts.iter_mut().zip(values) {
                *count += u32::from((*value).into() > *threshold);
            }
        }
        if let Some(sketch) = &mut self.sketch {
            sketch.push(values);
        }
        Ok(())
    }

    /// Realizations pushed so far.
    pub fn count(&self) -> usize {
        self.moments.count()
    }

    /// The mean field; zero before the first realization.
    pub fn mean(&self) -> &[f64] {
        self.moments.mean()
    }

    /// The unbiased variance, sum (w - mean)^2 / (n - 1); not a number for fewer than two
    /// realizations.
    pub fn variance(&self) -> Vec<f64> {
        self.moments.variance()
    }

    /// The smallest value at every point; infinity before the first realization.
    pub fn smallest(&self) -> &[f64] {
        &self.smallest
    }

    /// The largest value at every point; minus infinity before the first realization.
    pub fn largest(&self) -> &[f64] {
        &self.largest
    }

    /// The share of realizations above each requested threshold at every point, in the order
    /// requested.
    pub fn exceedances(&self) -> Vec<(f64, Vec<f64>)> {
        let thresholds = self.exceedances.iter();
        thresholds
            .map(|(t, counts)| (*t, self.share(counts)))
            .collect()
    }

    /// The share of realizations above one of the requested thresholds at every point.
    pub fn exceedance(&self, threshold: f64) -> Result<Vec<f64>> {
        let found = self.exceedances.iter().find(|(t, _)| *t == threshold);
        let (_, counts) = found.ok_or_else(|| {
            Error::config(
                format!("exceedance of {threshold}"),
                "this threshold was not requested before sampling",
            )
        })?;
        Ok(self.share(counts))
    }

    /// The requested quantile fields, in the order requested: NumPy's default method while all
    /// values fit in memory, beyond that close in rank.
    pub fn quantiles(&self) -> Result<Vec<(f64, Vec<f64>)>> {
        let fields = self.quantile_fields(&self.levels)?;
        Ok(self.levels.iter().copied().zip(fields).collect())
    }

    /// One quantile field, of any level, provided that some quantiles were requested.
    pub fn quantile(&self, level: f64) -> Result<Vec<f64>> {
        check_level(level)?;
        let mut fields = self.quantile_fields(&[level])?;
        Ok(fields.swap_remove(0))
    }

    fn share(&self, counts: &[u32]) -> Vec<f64> {
        let total = self.count() as f64;
        counts.iter().map(|c| f64::from(*c) / total).collect()
    }

    fn quantile_fields(&self, levels: &[f64]) -> Result<Vec<Vec<f64>>> {
        match &self.sketch {
            Some(sketch) if self.count() > 0 => {
                Ok(sketch.quantiles(levels, &self.smallest, &self.largest))
            }
            Some(_) => Err(refused("there are no realizations yet".into())),
            None if levels.is_empty() => Ok(Vec::new()),
            None => Err(refused(
                "no quantiles were requested before sampling".into(),
            )),
        }
    }

    fn check<T: Copy + Into<f64>>(&self, values: &[T]) -> Result<()> {
        if values.len() != self.smallest.len() {
            return Err(Error::shape(
                "the realization",
                vec![values.len()],
                vec![self.smallest.len()],
            ));
        }
        match values.iter().position(|v| !(*v).into().is_finite()) {
            None => Ok(()),
            Some(point) => Err(Error::numerical(
                format!(
                    "realization {} has the value {} at point {point}",
                    self.count(),
                    values[point].into()
                ),
                "statistics need finite values; check the model and the integrator",
            )),
        }
    }
}

/// A sketch of quantiles in the requested precision.
#[derive(Debug, Clone)]
enum Sketch {
    Single(QuantileSketch<f32>),
    Double(QuantileSketch<f64>),
}

impl Sketch {
    fn new(points: usize, realizations: usize, wanted: &Wanted) -> Result<Self> {
        let memory = wanted.quantile_memory;
        Ok(match wanted.precision {
            Precision::F32 => Self::Single(QuantileSketch::new(points, realizations, memory)?),
            Precision::F64 => Self::Double(QuantileSketch::new(points, realizations, memory)?),
        })
    }

    fn push<T: Copy + Into<f64>>(&mut self, values: &[T]) {
        match self {
            Self::Single(sketch) => sketch.push(values),
            Self::Double(sketch) => sketch.push(values),
        }
    }

    fn quantiles(&self, levels: &[f64], smallest: &[f64], largest: &[f64]) -> Vec<Vec<f64>> {
        match self {
            Self::Single(sketch) => sketch.quantiles(levels, smallest, largest),
            Self::Double(sketch) => sketch.quantiles(levels, smallest, largest),
        }
    }
}

fn check_level(level: f64) -> Result<()> {
    if (0.0..=1.0).contains(&level) {
        return Ok(());
    }
    Err(refused(format!("level {level} is not between 0 and 1")))
}

fn refused(reason: String) -> Error {
    Error::config("quantiles", reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gathered(wanted: &Wanted, realizations: &[[f32; 2]]) -> EnsembleStatistics {
        let mut statistics = EnsembleStatistics::new(2, realizations.len(), wanted).unwrap();
        for values in realizations {
            statistics.push(values).unwrap();
        }
        statistics
    }

    const FIELDS: [[f32; 2]; 4] = [[1.0, -2.0], [3.0, 0.0], [2.0, 0.0], [0.5, 7.0]];

    #[test]
    fn exceedance_counts_what_lies_strictly_above() {
        let wanted = Wanted {
            thresholds: vec![0.0, 2.5],
            ..Wanted::default()
        };
        let statistics = gathered(&wanted, &FIELDS);
        assert_eq!(statistics.exceedance(0.0).unwrap(), [1.0, 0.25]);
        assert_eq!(statistics.exceedance(2.5).unwrap(), [0.25, 0.25]);
        assert_eq!(statistics.exceedances()[1].0, 2.5);
        assert!(statistics.exceedance(1.0).is_err());
    }

    #[test]
    fn extremes_are_the_quantiles_of_levels_zero_and_one() {
        let wanted = Wanted {
            quantiles: vec![0.0, 1.0],
            ..Wanted::default()
        };
        let statistics = gathered(&wanted, &FIELDS);
        assert_eq!(statistics.smallest(), [0.5, -2.0]);
        assert_eq!(statistics.largest(), [3.0, 7.0]);
        let quantiles = statistics.quantiles().unwrap();
        assert_eq!(quantiles[0], (0.0, vec![0.5, -2.0]));
        assert_eq!(quantiles[1], (1.0, vec![3.0, 7.0]));
        assert_eq!(statistics.quantile(0.5).unwrap(), [1.5, 0.0]);
        assert_eq!(statistics.count(), 4);
    }

    #[test]
    fn a_small_spread_about_a_large_value_is_kept_in_double_precision() {
        let wanted = Wanted {
            quantiles: vec![0.5],
            precision: Precision::F64,
            ..Wanted::default()
        };
        let mut statistics = EnsembleStatistics::new(1, 3, &wanted).unwrap();
        for value in [1e8 + 0.1, 1e8 + 0.3, 1e8 - 0.1] {
            statistics.push(&[value]).unwrap();
        }
        assert_eq!(statistics.quantile(0.5).unwrap(), [1e8 + 0.1]);
        assert_eq!(statistics.largest(), [1e8 + 0.3]);
        assert!((statistics.variance()[0] - 0.04).abs() < 1e-7);
    }

    #[test]
    fn bad_input_is_an_error_and_leaves_the_statistics_alone() {
        let mut statistics = gathered(&Wanted::default(), &FIELDS);
        let before = statistics.mean().to_vec();
        assert!(statistics.push(&[1.0f32]).is_err());
        let error = statistics.push(&[0.0, f32::NAN]).unwrap_err().to_string();
        assert!(
            error.contains("realization 4") && error.contains("point 1"),
            "{error}"
        );
        assert_eq!(
            (statistics.count(), statistics.mean()),
            (4, before.as_slice())
        );
        assert!(statistics.quantile(0.5).is_err(), "none were requested");
        assert!(statistics.quantiles().unwrap().is_empty());
        for level in [-0.1, 1.1, f64::NAN] {
            let wanted = Wanted {
                quantiles: vec![level],
                ..Wanted::default()
            };
            assert!(EnsembleStatistics::new(2, 10, &wanted).is_err());
        }
    }
}
