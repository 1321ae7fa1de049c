//! The truth for an input: mean and variance fields, and realizations to score against.

use std::fmt;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::dataset::Dataset;
use crate::grid::Thinning;
use crate::metric::{FourthMoments, RunningMoments};
use crate::problem::{Origin, Problem};
use crate::random::{Purpose, Stream, stream};
use crate::sample::{EnsembleStatistics, Wanted};
use crate::{Error, Field, Result, counted};

/// Origin of the true moments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum TruthSource {
    /// The moments are known exactly.
    Exact,
    /// Fresh realizations from the solver of the built-in problem, which are in no dataset.
    Reference {
        /// Number per input.
        realizations: usize,
    },
    /// The realizations of the dataset.
    Dataset {
        /// Number per input; the largest, if it differs between inputs.
        realizations: usize,
        /// The smallest number of an input with any, if the number differs between inputs.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fewest: Option<usize>,
    },
}

impl TruthSource {
    /// 1 / number of realizations from which the moments are computed; zero for exact moments.
    pub fn sampling_share(self) -> f64 {
        match self {
            Self::Exact => 0.0,
            Self::Reference { realizations } | Self::Dataset { realizations, .. } => {
                1.0 / realizations as f64
            }
        }
    }
}

/// Description such as `exact moments`.
impl fmt::Display for TruthSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact => f.write_str("exact moments"),
            Self::Reference { realizations } => {
                let many = counted(*realizations, "fresh realization");
                write!(f, "{many} per input")
            }
            Self::Dataset {
                realizations,
                fewest,
            } => {
                let many = between(*fewest, *realizations);
                write!(f, "the dataset's {many} per input")
            }
        }
    }
}

/// A number of realizations per input: `3 to 6 realizations`.
pub fn between(fewest: Option<usize>, most: usize) -> String {
    let many = counted(most, "realization");
    fewest.map_or(many.clone(), |fewest| format!("{fewest} to {many}"))
}

/// The smallest number of realizations of an input with any, if the number differs between inputs.
pub fn fewest_realizations(dataset: &Dataset) -> Option<usize> {
    let counts = (0..dataset.inputs()).map(|index| dataset.realizations_of(index));
    let fewest = counts.filter(|count| *count > 0).min();
    fewest.filter(|fewest| *fewest < dataset.realizations())
}

/// The truth for one input's solution.
#[derive(Debug, Clone)]
pub struct Truth {
    /// Mean field.
    pub mean: Vec<f64>,
    /// Variance field; `None` for a single realization.
    pub variance: Option<Vec<f64>>,
    /// Variance of the sampling error of the variance at every point; `None` for exact moments and
    /// for a single realization.
    pub variance_error: Option<Vec<f64>>,
    /// Realizations of the dataset to score ensembles against: [observation, value].
    pub observations: Vec<f64>,
    /// Standard deviation of each channel, its unit when several channels are pooled; empty for one
    /// channel.
    pub deviations: Vec<f64>,
    /// Quadrature weights of the points of a channel, normalised to mean 1; empty if all are equal.
    pub weights: Vec<f64>,
    /// Origin of mean and variance.
    pub source: TruthSource,
}

impl Truth {
    /// The truth on a thinned grid.
    pub fn thinned(&self, thinning: &Thinning) -> Self {
        Self {
            mean: thinning.apply(&self.mean),
            variance: self.variance.as_deref().map(|v| thinning.apply(v)),
            variance_error: self.variance_error.as_deref().map(|v| thinning.apply(v)),
            observations: thinning.apply(&self.observations),
            deviations: self.deviations.clone(),
            weights: thinning.apply(&self.weights),
            source: self.source,
        }
    }
}

/// First index of fresh realizations, beyond all indices in datasets.
const FIRST_REFERENCE: u64 = 1 << 32;

/// Realizations that one thread computes at a time.
const SIDE_BY_SIDE: usize = 16;
/// Realizations that all threads together compute at a time.
const WAVE: usize = 128;

/// Largest number of inputs from which the standard deviations of channels are estimated.
const SCALED_BY: usize = 32;

/// The truths of a dataset's inputs.
pub struct Truths<'a> {
    dataset: &'a Dataset,
    origin: Option<Box<dyn Problem>>,
    source: TruthSource,
    deviations: Vec<f64>,
}

impl<'a> Truths<'a> {
    /// Truths from exact moments if the dataset has them; else from `reference` fresh realizations
    /// if its problem is a built-in one; else from the realizations of the dataset.
    pub fn of(dataset: &'a Dataset, reference: usize) -> Result<Self> {
        let origin = dataset.origin()?;
        let source = if dataset.has_exact_moments() {
            TruthSource::Exact
        } else if origin.is_some() && reference > 1 {
            let realizations = reference;
            TruthSource::Reference { realizations }
        } else if dataset.realizations() > 0 {
            let realizations = dataset.realizations();
            let fewest = fewest_realizations(dataset);
            TruthSource::Dataset {
                realizations,
                fewest,
            }
        } else {
            return Err(Error::bad_file(
                dataset.path().to_owned(),
                "has no array `high`, so there is no truth to compare with; evaluate on a \
                         dataset with solutions",
            ));
        };
        Ok(Self {
            dataset,
            origin,
            source,
            deviations: deviations(dataset)?,
        })
    }

    /// The dataset.
    pub(super) fn dataset(&self) -> &Dataset {
        self.dataset
    }

    /// Origin of the moments.
    pub fn source(&self) -> TruthSource {
        self.source
    }

    /// The built-in problem of the dataset, if it is one.
    pub fn origin(&self) -> Option<&dyn Problem> {
        self.origin.as_deref()
    }

    /// The truth for one input, at the points where the dataset has high fidelity.
    pub fn at(&self, index: usize) -> Result<Truth> {
        let observations = if self.dataset.has_high() {
            self.dataset.high_inside(index)?.into_values()
        } else {
            Vec::new()
        };
        let mut source = self.source;
        let exact = self.dataset.exact_moments(index)?;
        let moments = match (self.source, &self.origin, exact) {
            (TruthSource::Exact, _, Some(moments)) => SampleMoments {
                mean: moments.mean.into_values(),
                variance: Some(moments.variance.into_values()),
                variance_error: None,
            },
            (TruthSource::Reference { realizations }, Some(problem), _) => {
                let input = self.dataset.input(index)?;
                self.reference(problem.as_ref(), index, &input, realizations)?
            }
            _ => {
                let realizations = self.dataset.realizations_of(index).max(1);
                source = TruthSource::Dataset {
                    realizations,
                    fewest: None,
                };
                moments_of(&observations, observations.len() / realizations)?
            }
        };
        let moments = match source {
            TruthSource::Dataset { .. } => moments,
            _ => moments.at_known(self.dataset, index)?,
        };
        Ok(Truth {
            mean: moments.mean,
            variance: moments.variance,
            variance_error: moments.variance_error,
            observations,
            deviations: self.deviations.clone(),
            weights: self.weights_of(index)?,
            source,
        })
    }

    /// Quadrature weights of the points at which an input's high fidelity is known.
    fn weights_of(&self, index: usize) -> Result<Vec<f64>> {
        match self.dataset.grid().weights() {
            Some(weights) => self.dataset.at_known(index, weights.to_vec()),
            None => Ok(Vec::new()),
        }
    }

    /// Realizations of the truth, [realization, value]: fresh ones if the dataset's problem is a
    /// built-in one, else those of the dataset.
    pub fn ensemble(&self, index: usize, realizations: usize) -> Result<Vec<f64>> {
        let Some(problem) = &self.origin else {
            return Ok(self.dataset.high_inside(index)?.into_values());
        };
        let mut all = Vec::new();
        let input = self.dataset.input(index)?;
        self.deliver(problem.as_ref(), index, &input, realizations, |values| {
            all.extend_from_slice(values);
            Ok(())
        })?;
        Ok(all)
    }

    /// Moments of fresh realizations.
    fn reference(
        &self,
        problem: &dyn Problem,
        index: usize,
        input: &Field,
        realizations: usize,
    ) -> Result<SampleMoments> {
        let size = problem.low_fidelity(input)?.values().len();
        let mut statistics = EnsembleStatistics::new(size, realizations, &Wanted::default())?;
        let mut fourth = FourthMoments::default();
        self.deliver(problem, index, input, realizations, |values| {
            fourth.push(values);
            statistics.push(values)
        })?;
        Ok(gathered(&statistics, &fourth))
    }

    /// Delivers fresh realizations in the order of their index, computed in waves of fixed size.
    fn deliver(
        &self,
        problem: &dyn Problem,
        index: usize,
        input: &Field,
        realizations: usize,
        mut consume: impl FnMut(&[f64]) -> Result<()>,
    ) -> Result<()> {
        let seed = self.dataset.seed().unwrap_or(0);
        let size = problem.low_fidelity(input)?.values().len();
        let all: Vec<u64> = (0..realizations as u64).collect();
        for wave in all.chunks(WAVE) {
            let mut values = vec![0.0; wave.len() * size];
            let parts = values.par_chunks_mut(SIDE_BY_SIDE * size);
            parts
                .zip(wave.par_chunks(SIDE_BY_SIDE))
                .try_for_each(|(out, part)| {
                    let mut streams: Vec<Stream> = part
                        .iter()
                        .map(|j| FIRST_REFERENCE + j)
                        .map(|j| stream(seed, Purpose::Realization, index as u64, j))
                        .collect();
                    problem.high_fidelity(input, &mut streams, out).map(|_| ())
                })?;
            values.chunks_exact(size).try_for_each(&mut consume)?;
        }
        Ok(())
    }
}

/// Sample mean, and sample variance with its error if there are at least two realizations.
struct SampleMoments {
    mean: Vec<f64>,
    variance: Option<Vec<f64>>,
    variance_error: Option<Vec<f64>>,
}

impl SampleMoments {
    /// The moments at the points where the dataset has high fidelity.
    fn at_known(self, dataset: &Dataset, index: usize) -> Result<Self> {
        let known = |values: Option<Vec<f64>>| {
            let known = values.map(|values| dataset.at_known(index, values));
            known.transpose()
        };
        Ok(Self {
            mean: dataset.at_known(index, self.mean)?,
            variance: known(self.variance)?,
            variance_error: known(self.variance_error)?,
        })
    }
}

/// Standard deviation of each channel if there are several, computed from the first inputs of the
/// dataset so that it does not depend on which inputs are evaluated.
fn deviations(dataset: &Dataset) -> Result<Vec<f64>> {
    let channels = dataset.solution_channels().unwrap_or(0);
    if channels < 2 {
        return Ok(Vec::new());
    }
    let mut moments = vec![RunningMoments::default(); channels];
    for index in 0..dataset.inputs().min(SCALED_BY) {
        let values = match dataset.exact_moments(index)? {
            _ if dataset.has_high() => dataset.high_inside(index)?.into_values(),
            Some(exact) => exact.mean.into_values(),
            None => continue,
        };
        let fields = channels * dataset.realizations_of(index).max(1);
        let points = match dataset.has_high() {
            true => values.len() / fields,
            false => dataset.grid().len(),
        };
        for (i, field) in values.chunks_exact(points.max(1)).enumerate() {
            moments[i % channels].merge(&RunningMoments::of(field.iter().copied()));
        }
    }
    // A constant channel is not scaled.
    let deviation = |moments: &RunningMoments| match moments.variance().sqrt() {
        0.0 => 1.0,
        deviation => deviation,
    };
    Ok(moments.iter().map(deviation).collect())
}

fn moments_of(realizations: &[f64], points: usize) -> Result<SampleMoments> {
    let mut statistics = EnsembleStatistics::new(points, 0, &Wanted::default())?;
    let mut fourth = FourthMoments::default();
    for values in realizations.chunks_exact(points) {
        statistics.push(values)?;
        fourth.push(values);
    }
    Ok(gathered(&statistics, &fourth))
}

fn gathered(statistics: &EnsembleStatistics, fourth: &FourthMoments) -> SampleMoments {
    SampleMoments {
        mean: statistics.mean().to_vec(),
        variance: (statistics.count() > 1).then(|| statistics.variance()),
        variance_error: fourth.variance_of_variance(),
    }
}

/// The truth computed from realizations: [realization, point].
#[cfg(test)]
pub(super) fn of_realizations(observations: &[f64], points: usize) -> Result<Truth> {
    let moments = moments_of(observations, points)?;
    Ok(Truth {
        mean: moments.mean,
        variance: moments.variance,
        variance_error: moments.variance_error,
        observations: observations.to_vec(),
        deviations: Vec::new(),
        weights: Vec::new(),
        source: TruthSource::Dataset {
            realizations: observations.len() / points,
            fewest: None,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predict::testing::play;

    #[test]
    fn a_truth_names_the_range_of_its_realizations() {
        let words = |fewest| {
            let realizations = 6;
            let source = TruthSource::Dataset {
                realizations,
                fewest,
            };
            source.to_string()
        };
        assert_eq!(words(None), "the dataset's 6 realizations per input");
        assert_eq!(
            words(Some(3)),
            "the dataset's 3 to 6 realizations per input"
        );
    }

    #[test]
    fn fresh_realizations_have_the_exact_moments() {
        let play = play();
        let realizations = 2000;
        let truths = Truths {
            source: TruthSource::Reference { realizations },
            ..Truths::of(&play.dataset, 0).unwrap()
        };
        let sampled = truths.at(1).unwrap();
        let exact = play.dataset.exact_moments(1).unwrap().unwrap();
        let exact = exact.mean.values().iter().zip(exact.variance.values());
        let sampled = sampled.mean.iter().zip(sampled.variance.as_ref().unwrap());
        for ((mean, variance), (exact_mean, exact_variance)) in sampled.zip(exact) {
            let error = (exact_variance / realizations as f64).sqrt();
            assert!((mean - exact_mean).abs() < 5.0 * error);
            let relative = (2.0 / realizations as f64).sqrt();
            assert!((variance / exact_variance - 1.0).abs() < 5.0 * relative);
        }
    }
}
