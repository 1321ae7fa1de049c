//! Which inputs of a dataset a run has seen, and which it has not.

use std::ops::Range;

use crate::dataset::Dataset;
use crate::train::Header;
use crate::{Error, Result};

/// The inputs asked for, or the run's test inputs; an error unless the dataset holds them.
pub fn chosen_inputs(
    header: &Header,
    dataset: &Dataset,
    wanted: Option<Range<usize>>,
) -> Result<Range<usize>> {
    let is_open = wanted.is_none();
    let inputs = wanted.unwrap_or_else(|| test_inputs(header, dataset));
    if is_open && inputs.is_empty() && dataset.inputs() > 0 {
        return Err(Error::Config {
            context: "test inputs".into(),
            reason: "the run kept none of its own data; name inputs, which it has seen, or give \
                     other data"
                .into(),
        });
    }
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
    if header.shares_inputs(dataset) {
        0..header.config.split.test_inputs().min(dataset.inputs())
    } else {
        0..dataset.inputs()
    }
}

/// Those of the inputs that the run was trained or validated on: their scores are no test.
pub fn seen_inputs(header: &Header, dataset: &Dataset, inputs: &Range<usize>) -> Range<usize> {
    if !header.shares_inputs(dataset) {
        return inputs.start..inputs.start;
    }
    let split = &header.config.split;
    let kept = split.test_inputs() + split.validation_inputs();
    let known = split.train.map(|train| kept + train);
    let end = known.map_or(inputs.end, |end| end.min(inputs.end));
    split.test_inputs().max(inputs.start).min(end)..end
}

/// The inputs that the run was trained on; none if the dataset does not hold them.
pub fn training_inputs(header: &Header, dataset: &Dataset) -> Range<usize> {
    let split = header.config.split.of(dataset.inputs());
    match split {
        Ok(split) if header.shares_inputs(dataset) => split.train,
        _ => 0..0,
    }
}
