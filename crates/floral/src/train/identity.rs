//! Whether a dataset is the one a run was trained on, and which of its inputs the run has seen.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::TrainConfig;
use super::header::Header;
#[cfg(doc)]
use super::seen::SeenInputs;
use crate::Result;
use crate::dataset::Dataset;

/// Number of values by which checkpoints before format 3 recognise their first input.
const VALUES: usize = 16;

/// Origin of a dataset, enough to recognise it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DataIdentity {
    /// Name of the problem, if known.
    pub problem: Option<String>,
    /// Constants of the problem, if known.
    pub constants: Option<serde_json::Value>,
    /// Seed, if known.
    pub seed: Option<u64>,
}

impl DataIdentity {
    /// The origin of a dataset.
    pub fn of(dataset: &Dataset) -> Self {
        Self {
            problem: dataset.problem().map(str::to_owned),
            constants: dataset.constants().map(|table| table.clone().into()),
            seed: dataset.seed(),
        }
    }
}

impl Header {
    /// Whether input i of a dataset is input i of the run's own data, for every input that the run
    /// has seen and the dataset contains.
    ///
    /// Inputs are compared by their values ([`SeenInputs`]). For data on another grid, and for
    /// models before format 3, problem and seed are compared instead: the same seed draws the same
    /// inputs at every resolution and for most other constants.
    pub fn shares_inputs(&self, dataset: &Dataset) -> Result<bool> {
        match self.seen.are_comparable(dataset) {
            true => self.seen.are_in_place(dataset),
            false => Ok(self.shares_origin(dataset)),
        }
    }

    /// Indices of those inputs of a dataset on which the run was trained or validated, at any
    /// position.
    pub fn seen_among(&self, dataset: &Dataset, inputs: Range<usize>) -> Result<Vec<usize>> {
        if self.seen.are_comparable(dataset) {
            return self.seen.among(dataset, inputs);
        }
        if !self.shares_origin(dataset) {
            return Ok(Vec::new());
        }
        let split = &self.config.split;
        let kept = split.test_inputs() + split.validation_inputs();
        let end = split
            .train
            .map_or(inputs.end, |train| (kept + train).min(inputs.end));
        Ok((split.test_inputs().max(inputs.start)..end).collect())
    }

    /// Whether a dataset has the same origin as the run's data; if neither origin is known, whether
    /// the first input that the run has seen has the same values.
    fn shares_origin(&self, dataset: &Dataset) -> bool {
        let (ours, theirs) = (&self.data, DataIdentity::of(dataset));
        if (&ours.problem, ours.seed) != (&theirs.problem, theirs.seed) {
            return false;
        }
        if ours.problem.is_some() || ours.seed.is_some() {
            return true;
        }
        if self.first_seen.is_empty() {
            // The data have no known origin and, for newer models, another grid: taken as not
            // shared. Models without fingerprints cannot tell: taken as shared.
            return self.seen.is_empty();
        }
        let Ok(theirs) = first_seen(&self.config, dataset) else {
            // An input that exists but cannot be read counts as seen.
            return self.config.split.test_inputs() < dataset.inputs();
        };
        // Values may have been stored with fewer digits, or converted to other units and back.
        let largest = self.first_seen.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-5 * largest;
        theirs.len() == self.first_seen.len() && theirs.iter().zip(&self.first_seen).all(near)
    }
}

/// Values, evenly spread over the field, of the first input after the test inputs.
fn first_seen(config: &TrainConfig, dataset: &Dataset) -> Result<Vec<f64>> {
    let input = dataset.input(config.split.test_inputs())?;
    let every = input.values().len().div_ceil(VALUES).max(1);
    Ok(input.values().iter().copied().step_by(every).collect())
}
