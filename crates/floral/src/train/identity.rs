//! Whether a dataset is the one that a run was trained on, and which of its inputs the run has seen.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::TrainConfig;
use super::header::Header;
#[cfg(doc)]
use super::seen::SeenInputs;
use crate::Result;
use crate::dataset::Dataset;

/// Values by which checkpoints before format 3 know their first input again.
const VALUES: usize = 16;

/// Enough of a dataset to know it again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DataIdentity {
    /// The problem's name, if known.
    pub problem: Option<String>,
    /// The problem's constants, if known.
    pub constants: Option<serde_json::Value>,
    /// The seed, if known.
    pub seed: Option<u64>,
}

impl DataIdentity {
    /// That of a dataset.
    pub fn of(dataset: &Dataset) -> Self {
        Self {
            problem: dataset.problem().map(str::to_owned),
            constants: dataset.constants().map(|table| table.clone().into()),
            seed: dataset.seed(),
        }
    }
}

impl Header {
    /// Whether input i of a dataset is input i of the run's own data, for all that the run has seen
    /// and the dataset holds.
    ///
    /// Inputs are compared by their values ([`SeenInputs`]). On another grid that is not possible;
    /// there, and for models before format 3, problem and seed decide: the same seed draws the same
    /// inputs at every resolution and for most other constants.
    pub fn shares_inputs(&self, dataset: &Dataset) -> Result<bool> {
        match self.seen.are_comparable(dataset) {
            true => self.seen.are_in_place(dataset),
            false => Ok(self.shares_origin(dataset)),
        }
    }

    /// Those of the inputs of a dataset that the run was trained or judged on, wherever they are in
    /// it.
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

    /// Whether a dataset has the same origin, or, without one, begins with the same values.
    fn shares_origin(&self, dataset: &Dataset) -> bool {
        let (ours, theirs) = (&self.data, DataIdentity::of(dataset));
        if (&ours.problem, ours.seed) != (&theirs.problem, theirs.seed) {
            return false;
        }
        if ours.problem.is_some() || ours.seed.is_some() {
            return true;
        }
        if self.first_seen.is_empty() {
            // Another grid of data without an origin; old models cannot know.
            return self.seen.is_empty();
        }
        let Ok(theirs) = first_seen(&self.config, dataset) else {
            // Where it is there and cannot be read, it counts as seen.
            return self.config.split.test_inputs() < dataset.inputs();
        };
        // Values may have been stored with fewer digits, or converted to other units and back.
        let largest = self.first_seen.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-5 * largest;
        theirs.len() == self.first_seen.len() && theirs.iter().zip(&self.first_seen).all(near)
    }
}

/// Values of the first input behind those kept for testing, spread over the field.
fn first_seen(config: &TrainConfig, dataset: &Dataset) -> Result<Vec<f64>> {
    let input = dataset.input(config.split.test_inputs())?;
    let every = input.values().len().div_ceil(VALUES).max(1);
    Ok(input.values().iter().copied().step_by(every).collect())
}
