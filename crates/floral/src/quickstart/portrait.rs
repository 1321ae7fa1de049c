//! One test input: its truth, and what each method makes of it.

use std::sync::atomic::AtomicBool;

use super::Plan;
use crate::dataset::Dataset;
use crate::predict::{Predictor, Sampling};
use crate::sample::{EnsembleStatistics, Wanted};
use crate::train::Method;
use crate::{Error, Result};

/// Realizations that are kept to be drawn.
const KEPT: usize = 6;

/// Mean, standard deviation and a few realizations.
#[derive(Debug, Clone, PartialEq)]
pub struct Likeness {
    /// The mean.
    pub mean: Vec<f64>,
    /// The standard deviation; none of a deterministic method.
    pub deviation: Option<Vec<f64>>,
    /// A few realizations.
    pub realizations: Vec<Vec<f64>>,
}

/// An input's solutions.
#[derive(Debug, Clone, PartialEq)]
pub struct Portrait {
    /// Its index in the dataset.
    pub input: usize,
    /// The grid points.
    pub x: Vec<f64>,
    /// The low-fidelity solution.
    pub low: Vec<f64>,
    /// The truth.
    pub truth: Likeness,
    /// What methods predict.
    pub methods: Vec<(Method, Likeness)>,
}

impl Portrait {
    /// The truth of an input whose moments are known exactly.
    pub(super) fn of_truth(dataset: &Dataset, input: usize) -> Result<Self> {
        let moments = dataset
            .exact_moments(input)?
            .ok_or_else(|| Error::BadFile {
                path: dataset.path().to_owned(),
                reason: "has no exact moments; remove it and run the same command again".into(),
            })?;
        let high = dataset.high(input)?;
        let realizations = high.iter().take(KEPT);
        Ok(Self {
            input,
            x: dataset.grid().axes[0].coordinates.clone(),
            low: dataset.low(input)?.into_values(),
            truth: Likeness {
                mean: moments.mean.into_values(),
                deviation: Some(roots(moments.variance.values())),
                realizations: realizations.map(<[f64]>::to_vec).collect(),
            },
            methods: Vec::new(),
        })
    }

    /// Adds what a run predicts: the realizations by which it is evaluated.
    pub(super) fn add(
        &mut self,
        predictor: &Predictor,
        dataset: &Dataset,
        plan: &Plan,
        stop: &AtomicBool,
    ) -> Result<()> {
        let (input, low) = (dataset.input(self.input)?, dataset.low(self.input)?);
        let predicted = predictor.for_input(&input, Some(&low), dataset.grid())?;
        let mut statistics =
            EnsembleStatistics::new(predicted.values(), plan.predicted, &Wanted::default())?;
        let mut realizations = Vec::new();
        let sampling = Sampling {
            realizations: plan.predicted,
            seed: plan.seed,
            input: self.input as u64,
            solver: &plan.solver(),
            stop,
            observer: &|_| (),
        };
        predicted.deliver(&sampling, |index, values| {
            if index < KEPT {
                realizations.push(values.iter().map(|v| f64::from(*v)).collect());
            }
            statistics.push(values)
        })?;
        let generative = predictor.method().is_generative();
        let likeness = Likeness {
            mean: statistics.mean().to_vec(),
            deviation: generative.then(|| roots(&statistics.variance())),
            realizations,
        };
        self.methods.push((predictor.method(), likeness));
        Ok(())
    }
}

fn roots(variance: &[f64]) -> Vec<f64> {
    variance.iter().map(|v| v.max(0.0).sqrt()).collect()
}
