//! Baselines: simple predictions that a method has to beat, scored beside it by `evaluate` and the
//! report.

use crate::dataset::Dataset;
use crate::grid::{Thinning, picked};
use crate::kl::{self, Expansion, Query};
use crate::observer::Observer;
use crate::predict::Case;
use crate::sample::{EnsembleStatistics, Wanted};
use crate::train::regression::kriging;
use crate::train::{Header, LearnedLow, Method};
use crate::transform::Refused;
use crate::{Error, Field, Result};

use super::inputs::training_inputs;

/// The baselines of a run, fitted to its training inputs.
#[derive(Default)]
pub struct Baselines {
    mean_residual: Option<MeanResidual>,
    kriging: Option<(Expansion, LearnedLow)>,
    /// Notes on why a baseline is missing.
    pub notes: Vec<String>,
}

/// Baseline predictions of one input's mean, [channel, point] each.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BaselineFields {
    /// Low fidelity.
    pub low: Option<Vec<f64>>,
    /// Low fidelity plus the mean residual.
    pub mean_residual: Option<Vec<f64>>,
    /// Kriging.
    pub kriging: Option<Vec<f64>>,
}

impl BaselineFields {
    /// Iterates over the values of all fields.
    pub fn values(&self) -> impl Iterator<Item = f64> {
        let fields = [&self.low, &self.mean_residual, &self.kriging];
        fields.into_iter().flatten().flatten().copied()
    }
}

impl Baselines {
    /// The baselines fitted to a run's training inputs; empty if the dataset does not contain them.
    /// Kriging is omitted for a run of kriging itself, and on a thinned grid, at whose points its
    /// training inputs are not read.
    pub fn of(
        header: &Header,
        dataset: &Dataset,
        thinning: Option<&Thinning>,
        observer: &dyn Observer,
    ) -> Result<Self> {
        let is_known = !training_inputs(header, dataset)?.is_empty() && dataset.has_high();
        let wants = is_known && thinning.is_none() && header.config.method != Method::Kriging;
        let mut baselines = Self::without_kriging(header, dataset, thinning)?;
        if !wants {
            return Ok(baselines);
        }
        match kriging(&header.config, dataset, observer) {
            Ok(fitted) => baselines.kriging = Some(fitted),
            // A baseline that cannot be fitted, for instance to constant data, must not stop the
            // evaluation of the run.
            Err(Error::Numerical { what, .. }) => baselines
                .notes
                .push(format!("kriging is left out as a baseline: {what}")),
            Err(error) => return Err(error),
        }
        Ok(baselines)
    }

    /// Only the mean residual, which is cheap to fit.
    pub fn without_kriging(
        header: &Header,
        dataset: &Dataset,
        thinning: Option<&Thinning>,
    ) -> Result<Self> {
        let residual = MeanResidual::of(header, dataset)?;
        Ok(Self {
            mean_residual: residual.map(|residual| residual.thinned(thinning)),
            kriging: None,
            notes: Vec::new(),
        })
    }

    /// Baseline predictions for one input, at all points or only at the positions `known`, where
    /// high fidelity is known.
    pub fn predict(&self, case: &Case, known: Option<&[usize]>) -> Result<BaselineFields> {
        let points = case.input.grid_shape().iter().product();
        let at_known = |field: Vec<f64>| match known {
            Some(known) => picked(&field, points, known),
            None => field,
        };
        let low = case.low.as_ref().map(Field::values);
        let kriging = self.kriging.as_ref();
        let kriging = kriging.map(|(kriging, learned)| kriged(kriging, learned, case));
        let corrected = self.mean_residual.as_ref().zip(low);
        let corrected = corrected.and_then(|(mean, low)| mean.corrected(low));
        Ok(BaselineFields {
            mean_residual: corrected.map(at_known),
            low: low.map(|low| at_known(low.to_vec())),
            kriging: kriging.transpose()?.map(at_known),
        })
    }
}

/// The mean predicted by kriging.
fn kriged(kriging: &Expansion, learned: &LearnedLow, case: &Case) -> Result<Vec<f64>> {
    let low = learned.of(&case.input, case.low.as_ref(), &learned.grid);
    let refusal = |refused: Refused| {
        Error::numerical(format!("low fidelity {}", refused.what()), refused.advice())
    };
    let low = low.map_err(|fault| fault.into_error(refusal))?;
    let prediction = kriging
        .predict(&Query {
            input: case.input.values(),
            low: low.as_ref().map(Field::values),
        })
        .map_err(kl::failed)?;
    Ok(kl::inverted(&learned.transforms, &prediction, learned.grid.len()).mean)
}

/// The mean residual of a run's training inputs, the same correction for every low-fidelity
/// solution.
#[derive(Debug, Clone, PartialEq)]
struct MeanResidual {
    /// [channel, point] on the whole grid; zero where no training input has high fidelity.
    residual: Vec<f64>,
}

impl MeanResidual {
    /// The mean residual over the run's training inputs; `None` if the dataset does not contain
    /// them or has no low-fidelity solutions.
    fn of(header: &Header, dataset: &Dataset) -> Result<Option<Self>> {
        let inputs = training_inputs(header, dataset)?;
        if inputs.is_empty() || !dataset.has_low() || !dataset.has_high() {
            return Ok(None);
        }
        let points = dataset.grid().len();
        let channels = dataset.solution_channels().unwrap_or(0);
        let mut sums = vec![0.0; channels * points];
        let mut counts = vec![0.0; channels * points];
        for input in inputs {
            let low = dataset.low(input)?.into_values();
            let places: Vec<usize> = (0..low.len()).collect();
            let places = dataset.at_known(input, places)?;
            let mean = mean(dataset.high_inside(input)?.values(), places.len())?;
            for (&place, mean) in places.iter().zip(mean) {
                sums[place] += mean - low[place];
                counts[place] += 1.0;
            }
        }
        let known = sums.into_iter().zip(counts);
        let residual = known.map(|(sum, n): (f64, f64)| sum / n.max(1.0)).collect();
        Ok(Some(Self { residual }))
    }

    /// The mean residual on a thinned grid, if one is given.
    fn thinned(self, thinning: Option<&Thinning>) -> Self {
        match thinning {
            Some(thinning) => Self {
                residual: thinning.apply(&self.residual),
            },
            None => self,
        }
    }

    /// The prediction for a low-fidelity solution; `None` if it is on another grid.
    fn corrected(&self, low: &[f64]) -> Option<Vec<f64>> {
        let is_alike = low.len() == self.residual.len();
        let sums = low.iter().zip(&self.residual);
        is_alike.then(|| sums.map(|(low, residual)| low + residual).collect())
    }
}

/// The mean over realizations: [realization, value] -> [value].
fn mean(realizations: &[f64], size: usize) -> Result<Vec<f64>> {
    let mut statistics = EnsembleStatistics::new(size, 0, &Wanted::default())?;
    for realization in realizations.chunks_exact(size) {
        statistics.push(realization)?;
    }
    Ok(statistics.mean().to_vec())
}
