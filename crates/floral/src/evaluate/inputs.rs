//! Which inputs of a dataset a run has seen, and which it has not.

use std::ops::Range;

use crate::dataset::Dataset;
use crate::train::Header;
use crate::train::checkpoint::DataIdentity;
use crate::{Error, Result};

/// The inputs asked for, or the run's test inputs; an error unless the dataset holds them.
pub fn chosen_inputs(
    header: &Header,
    dataset: &Dataset,
    wanted: Option<Range<usize>>,
) -> Result<Range<usize>> {
    let inputs = wanted.unwrap_or_else(|| test_inputs(header, dataset));
    if inputs.is_empty() || inputs.end > dataset.inputs() {
        return Err(Error::Config {
            context: format!("inputs {}..{}", inputs.start, inputs.end),
            reason: format!(
                "{} has inputs 0..{}; choose at least one of them",
                dataset.path().display(),
                dataset.inputs()
            ),
        });
    }
    Ok(inputs)
}

/// The run's test inputs, if the dataset may hold the inputs that it was trained on; else all.
pub fn test_inputs(header: &Header, dataset: &Dataset) -> Range<usize> {
    if shares_inputs(&header.data, &DataIdentity::of(dataset)) {
        0..header.config.split.test.min(dataset.inputs())
    } else {
        0..dataset.inputs()
    }
}

/// Those of the inputs that the run was trained or validated on: their scores are no test.
pub fn seen_inputs(header: &Header, dataset: &Dataset, inputs: &Range<usize>) -> Range<usize> {
    if !shares_inputs(&header.data, &DataIdentity::of(dataset)) {
        return inputs.start..inputs.start;
    }
    let split = &header.config.split;
    let known = split
        .train
        .map(|train| split.test + split.validation + train);
    let end = known.map_or(inputs.end, |end| end.min(inputs.end));
    split.test.max(inputs.start).min(end)..end
}

/// The inputs that the run was trained on; none if the dataset does not hold them.
pub fn training_inputs(header: &Header, dataset: &Dataset) -> Range<usize> {
    let split = header.config.split.of(dataset.inputs());
    match split {
        Ok(split) if shares_inputs(&header.data, &DataIdentity::of(dataset)) => split.train,
        _ => 0..0,
    }
}

/// Whether input i of one is input i of the other. The same seed draws the same inputs at every
/// resolution and for most other constants, so these do not make inputs unseen.
fn shares_inputs(trained: &DataIdentity, given: &DataIdentity) -> bool {
    (&trained.problem, trained.seed) == (&given.problem, given.seed)
}
