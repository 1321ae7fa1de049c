//! Selects the inputs of a dataset that a run has seen or not seen.

use std::ops::Range;

use crate::dataset::Dataset;
use crate::train::Header;
use crate::{Error, Result};

/// The inputs asked for, or else the run's test inputs; refused unless the dataset contains them.
pub fn chosen_inputs(
    header: &Header,
    dataset: &Dataset,
    wanted: Option<Range<usize>>,
) -> Result<Range<usize>> {
    let is_open = wanted.is_none();
    let inputs = match wanted {
        Some(inputs) => inputs,
        None => test_inputs(header, dataset)?,
    };
    if is_open && inputs.is_empty() && dataset.inputs() > 0 {
        return Err(Error::config(
            "test inputs",
            "the run kept none of its own data; name inputs, which it has seen, or give \
                     other data",
        ));
    }
    if inputs.is_empty() || inputs.end > dataset.inputs() {
        return Err(Error::config(
            format!("inputs {}..{}", inputs.start, inputs.end),
            format!(
                "{} has inputs 0..{}; choose at least one of them",
                dataset.path().display(),
                dataset.inputs()
            ),
        ));
    }
    Ok(inputs)
}

/// The run's test inputs, if the dataset contains the run's own data in the same order. Otherwise
/// the inputs that the run has not seen if they are consecutive, and all inputs if they are not.
pub fn test_inputs(header: &Header, dataset: &Dataset) -> Result<Range<usize>> {
    let all = 0..dataset.inputs();
    if header.shares_inputs(dataset)? {
        return Ok(0..header.config.split.test_inputs().min(all.end));
    }
    let seen = header.seen_among(dataset, all.clone())?;
    Ok(unseen(&seen, all.clone()).unwrap_or(all))
}

/// The inputs that are not in `seen`, which is sorted, if they are consecutive.
fn unseen(seen: &[usize], all: Range<usize>) -> Option<Range<usize>> {
    let count = all.len() - seen.len();
    let is_seen = |input: &usize| seen.binary_search(input).is_ok();
    let first = all.clone().find(|input| !is_seen(input))?;
    let follows = !(first..first + count).any(|input| is_seen(&input));
    follows.then_some(first..first + count)
}

/// Indices of the inputs on which the run was trained or validated; their scores are not a test.
pub fn seen_inputs(
    header: &Header,
    dataset: &Dataset,
    inputs: &Range<usize>,
) -> Result<Vec<usize>> {
    header.seen_among(dataset, inputs.clone())
}

/// The inputs on which the run was trained; empty if the dataset does not contain them in the same
/// order.
pub fn training_inputs(header: &Header, dataset: &Dataset) -> Result<Range<usize>> {
    match header.config.split.of(dataset.inputs()) {
        Ok(split) if header.shares_inputs(dataset)? => Ok(split.train),
        _ => Ok(0..0),
    }
}

/// Indices as text with ranges, as in "0..3, 5, 8..10".
pub fn in_ranges(indices: &[usize]) -> String {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for &index in indices {
        match ranges.last_mut() {
            Some(range) if range.end == index => range.end = index + 1,
            _ => ranges.push(index..index + 1),
        }
    }
    let text = |range: &Range<usize>| match range.len() {
        1 => range.start.to_string(),
        _ => format!("{}..{}", range.start, range.end),
    };
    ranges.iter().map(text).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unseen_inputs_are_a_range_only_if_they_follow_each_other() {
        assert_eq!(unseen(&[0, 1, 2], 0..5), Some(3..5));
        assert_eq!(unseen(&[0, 4], 0..5), Some(1..4));
        assert_eq!(unseen(&[], 0..5), Some(0..5));
        assert_eq!(unseen(&[2], 0..5), None);
        assert_eq!(unseen(&[0, 1], 0..2), None);
    }

    #[test]
    fn indices_are_written_as_ranges() {
        assert_eq!(in_ranges(&[0, 1, 2, 5, 8, 9]), "0..3, 5, 8..10");
        assert_eq!(in_ranges(&[]), "");
    }
}
