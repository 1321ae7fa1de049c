//! Estimate of a quantity over a pool, from two predictions: a Gaussian process of the quantity
//! itself, by the runs and a few coordinates of their inputs, and the quantity evaluated on the
//! fields that the fit predicts.
//!
//! The correlation of the fit's field errors at two inputs says little about one quantity, and a
//! quantity such as the maximum is hard to predict from the field. Therefore the process determines
//! by how much a run would reduce the uncertainty. The estimate is either prediction or a mean of
//! both, depending on their errors for held-out runs.

use std::collections::BTreeMap;

use floral_decisions::estimate::{Estimate, Pair};
use floral_decisions::process::{Known, Process, Runs};
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;

use super::coordinates::some;
use crate::observer::{Event, Observer, go_on};
use crate::predict::interest::{Asked, Interests, PreparedInterests};
use crate::predict::{Cases, Predictor};
use crate::random::{Purpose, stream};
use crate::sensitivity::{refusal, refused};
use crate::{Error, Field, Result};

/// Largest number of inputs that are considered; a larger pool is subsampled evenly.
const MOST: usize = 400;

/// Realizations from which the fit's mean of the quantity is computed, each from a different
/// plausible model.
const DRAWS: usize = 24;

/// Estimates of the quantity for the inputs of a pool.
pub(super) struct Knowledge {
    /// Indices of the inputs that are considered.
    pub inputs: Vec<usize>,
    /// Predictions of the process for these inputs, for each of its kernels.
    pub known: Vec<Known>,
    /// Sampling variance of the mean of the quantity over a run's realizations.
    pub noise: f64,
    /// Estimated mean of the quantity for these inputs.
    pub means: Vec<f64>,
    /// Epistemic standard deviation of these means.
    pub stds: Vec<f64>,
}

/// A quantity, a pool, and the runs so far.
pub(super) struct Subject<'a> {
    pub predictor: &'a Predictor,
    pub cases: &'a Cases<'a>,
    /// The definition of the quantity.
    pub quantity: &'a str,
    /// The coordinates of every input of the pool.
    pub coordinates: &'a [Vec<f64>],
    /// The realizations of every solved input.
    pub solved: &'a BTreeMap<usize, Vec<Field>>,
}

/// Numbers by index of the input, for some inputs of the pool.
type ByInput = BTreeMap<usize, f64>;

impl Knowledge {
    pub(super) fn new(subject: &Subject<'_>, observer: &dyn Observer) -> Result<Self> {
        let asked = Asked {
            quantities: vec![subject.quantity.to_owned()],
            thresholds: Vec::new(),
        };
        let interests = Interests::of_cases(&asked, subject.predictor.header(), subject.cases)?;
        let interests = interests.ok_or_else(|| refusal("quantity", "none is given"))?;
        let inputs: Vec<usize> = some(subject.cases.inputs(), MOST).collect();
        let predicted = subject.predicted(&interests, &inputs, observer)?;
        let runs = subject.runs(&interests)?;
        let low = subject.low(&interests, &inputs)?;
        let (process, known) = subject.process(&runs, &low, &inputs)?;
        let estimate = subject.estimate(&interests, &runs, &process, observer)?;
        let pairs = Known::mean(&known).into_iter().zip(predicted);
        let variances = Known::variance(&known).into_iter();
        Ok(Self {
            means: pairs
                .map(|(own, fit)| between(&estimate, own, fit))
                .collect(),
            stds: variances.map(|v| (estimate.stretch * v).sqrt()).collect(),
            noise: runs.noise.iter().sum::<f64>() / runs.noise.len().max(1) as f64,
            inputs,
            known,
        })
    }

    /// Root mean square over inputs of the epistemic standard deviation.
    pub(super) fn std(&self) -> f64 {
        let squares: f64 = self.stds.iter().map(|v| v * v).sum();
        (squares / self.stds.len().max(1) as f64).sqrt()
    }

    /// Mean over inputs.
    pub(super) fn mean(&self) -> f64 {
        self.means.iter().sum::<f64>() / self.means.len().max(1) as f64
    }
}

/// The quantity on the runs.
struct Measured {
    values: ByInput,
    /// Sampling variance of each value.
    noise: Vec<f64>,
}

impl Subject<'_> {
    /// The fit's mean of the quantity for each input; not finite if the quantity has no value on
    /// some realization.
    fn predicted(
        &self,
        interests: &Interests,
        inputs: &[usize],
        observer: &dyn Observer,
    ) -> Result<Vec<f64>> {
        observer.observe(&Event::Inputs {
            done: 0,
            total: inputs.len(),
        });
        let one = |index: &usize| {
            go_on(observer)?;
            let case = self.cases.case(*index)?;
            let grid = self.cases.grid();
            let derived = self
                .predictor
                .for_input(&case.input, case.low.as_ref(), grid)?;
            let drawn = |draw: usize| {
                let mut rng = stream(0, Purpose::Plausible, *index as u64, draw as u64);
                let count = derived.epistemic_count();
                let normals = (0..count).map(|_| StandardNormal.sample(&mut rng));
                let normals: Vec<f64> = normals.collect();
                derived.drawn_given(vec![rng], &normals)
            };
            let fields: Vec<f64> = (0..DRAWS).flat_map(drawn).collect();
            let values = derived.values().max(1);
            let mean = mean_of(&interests.on(&case)?, fields.chunks_exact(values))?;
            observer.observe(&Event::Generated { input: *index });
            Ok(mean.ok_or_else(unknowing)?.0)
        };
        inputs.par_iter().map(one).collect()
    }

    /// The mean of the quantity for every run. Its variance over realizations is pooled over all
    /// runs.
    fn runs(&self, interests: &Interests) -> Result<Measured> {
        let mut values = ByInput::new();
        let (mut squares, mut freedom) = (0.0, 0.0);
        for (input, high) in self.solved {
            let prepared = interests.on(&self.cases.case(*input)?)?;
            let found = mean_of(&prepared, high.iter().map(Field::values))?;
            let (mean, square) = found.ok_or_else(unknowing)?;
            values.insert(*input, finite(mean, *input)?);
            squares += square;
            freedom += high.len() as f64 - 1.0;
        }
        let variance = squares / freedom.max(1.0);
        let highs = self.solved.values();
        let each = highs.map(|high| variance / high.len().max(1) as f64);
        Ok(Measured {
            values,
            noise: each.collect(),
        })
    }

    /// The quantity on low fidelity for the given inputs and the runs, scaled to mean zero and
    /// variance one; empty if there is no low fidelity or it does not vary.
    fn low(&self, interests: &Interests, inputs: &[usize]) -> Result<ByInput> {
        let mut all = ByInput::new();
        for input in inputs.iter().chain(self.solved.keys()) {
            let case = self.cases.case(*input)?;
            let Some(low) = &case.low else {
                return Ok(ByInput::new());
            };
            all.insert(*input, interests.on(&case)?.of(low.values())?[0]);
        }
        let count = all.len() as f64;
        let mean = all.values().sum::<f64>() / count;
        let square = all.values().map(|v| (v - mean).powi(2)).sum::<f64>() / count;
        let varies = square.is_finite() && square.sqrt() > 1e-9 * mean.abs();
        all.values_mut()
            .for_each(|v| *v = (*v - mean) / square.sqrt());
        Ok(if varies { all } else { ByInput::new() })
    }

    /// The process, conditioned on the runs, and its predictions for the given inputs.
    fn process(
        &self,
        measured: &Measured,
        low: &ByInput,
        inputs: &[usize],
    ) -> Result<(Process, Vec<Known>)> {
        let at = |input: &usize| {
            let own = self.coordinates[*input].iter().copied();
            own.chain(low.get(input).copied()).collect()
        };
        let coordinates: Vec<Vec<f64>> = measured.values.keys().map(at).collect();
        let values: Vec<f64> = measured.values.values().copied().collect();
        let runs = Runs {
            coordinates: &coordinates,
            slopes: usize::from(!low.is_empty()),
            values: &values,
            noise: &measured.noise,
        };
        let mut rng = stream(0, Purpose::Plausible, values.len() as u64, u64::MAX);
        let process = Process::new(&runs, &mut rng).map_err(refused)?;
        let places: Vec<Vec<f64>> = inputs.iter().map(at).collect();
        let known = process.at(&places);
        Ok((process, known))
    }

    /// The combination of process and fit, from their errors for held-out runs.
    fn estimate(
        &self,
        interests: &Interests,
        runs: &Measured,
        process: &Process,
        observer: &dyn Observer,
    ) -> Result<Estimate> {
        let left_out = process.left_out();
        let unknown = left_out.iter().map(|one| one.unknown).sum::<f64>() / left_out.len() as f64;
        // Judging inputs may have a stand-in for low fidelity.
        let count = match interests.all()[0].quantity.uses_low() {
            true => 0,
            false => self.predictor.judging_inputs(),
        };
        let inputs = self.solved.keys().map(|i| Ok(self.cases.case(*i)?.input));
        let inputs = inputs.collect::<Result<Vec<Field>>>()?;
        let mut pairs = Vec::new();
        for index in 0..count {
            go_on(observer)?;
            let Some(judge) = self.predictor.judging_input(index) else {
                continue;
            };
            let place = nearest(&inputs, &judge.input);
            let found = moments(&interests.at_judge(&judge)?.swap_remove(0).draws);
            let (Some((mean, _)), Some(measured)) = (found, runs.values.values().nth(place)) else {
                continue;
            };
            let pair = Pair {
                process: left_out[place].error,
                other: mean - measured,
                noise: runs.noise[place],
            };
            pairs.extend(mean.is_finite().then_some(pair));
        }
        Ok(Estimate::new(&pairs, unknown))
    }
}

/// The combined estimate; that of the process alone if the fit has none.
fn between(estimate: &Estimate, process: f64, fit: f64) -> f64 {
    match fit.is_finite() {
        true => estimate.between(process, fit),
        false => process,
    }
}

/// Index of the field closest to `other`, compared at the points where both have values.
fn nearest(fields: &[Field], other: &[f64]) -> usize {
    let apart = |field: &Field| -> f64 {
        let pairs = field.values().iter().zip(other);
        pairs
            .map(|(a, b)| (a - b).powi(2))
            .filter(|v| v.is_finite())
            .sum()
    };
    let all = fields.iter().map(apart).enumerate();
    all.min_by(|a, b| a.1.total_cmp(&b.1))
        .map_or(0, |(place, _)| place)
}

/// Mean of the quantity over fields, and the sum of squares about it; `None` without fields.
fn mean_of<'a>(
    prepared: &PreparedInterests,
    fields: impl Iterator<Item = &'a [f64]>,
) -> Result<Option<(f64, f64)>> {
    let values = fields.map(|field| prepared.of(field).map(|values| values[0]));
    let values = values.collect::<Result<Vec<f64>>>()?;
    Ok(moments(&values))
}

fn moments(values: &[f64]) -> Option<(f64, f64)> {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let square = values.iter().map(|v| (v - mean).powi(2)).sum();
    (!values.is_empty()).then_some((mean, square))
}

fn finite(value: f64, input: usize) -> Result<f64> {
    if value.is_finite() {
        return Ok(value);
    }
    let reason = format!("it has no value on some run of input {input}; change the expression");
    Err(refusal("quantity", &reason))
}

fn unknowing() -> Error {
    refusal(
        "method",
        "it has no epistemic uncertainty; learn with floral-kl or kriging",
    )
}
