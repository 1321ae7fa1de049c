//! Which inputs of a dataset a run has not seen.

use std::ops::Range;

use crate::dataset::Dataset;
use crate::train::Header;
use crate::train::checkpoint::DataIdentity;

/// The run's test inputs, if the dataset holds the inputs that it was trained on, at this or
/// another resolution; else all.
pub fn test_inputs(header: &Header, dataset: &Dataset) -> Range<usize> {
    let same =
        without_resolution(header.data.clone()) == without_resolution(DataIdentity::of(dataset));
    match same {
        true => 0..header.config.split.test.min(dataset.inputs()),
        false => 0..dataset.inputs(),
    }
}

/// The same seed draws the same inputs at every resolution: testing on those that a coarser grid
/// was trained on would be no test.
fn without_resolution(mut data: DataIdentity) -> DataIdentity {
    if let Some(constants) = data.constants.as_mut().and_then(|c| c.as_object_mut()) {
        constants.remove("resolution");
    }
    data
}
