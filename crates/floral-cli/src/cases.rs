//! New inputs, as `sample` and `report` take them: a dataset, a NumPy archive, or other files.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, ensure};
use floral::low::OnDemand;
use floral::predict::{Cases, Predictor, is_npz};
use floral::problem::Resolution;

use crate::{data, low};

/// The inputs of a file as a run sees them, with low fidelity where the run needs it.
pub fn opened_cases(
    path: &Path,
    predictor: &Predictor,
    resolution: Option<&Resolution>,
    low: Option<Arc<OnDemand>>,
) -> Result<Cases<'static>> {
    let file = if is_npz(path) {
        path.to_owned()
    } else {
        data::dataset(path)?
    };
    let cases = Cases::open_with(&file, predictor, resolution, low)?;
    ensure!(!cases.lacks_low(), low::absence(predictor, path));
    Ok(cases)
}

/// Those of the inputs that were asked for, or all of them.
pub fn chosen_inputs(
    asked: Option<&Range<usize>>,
    path: &Path,
    cases: &Cases<'_>,
) -> Result<Range<usize>> {
    let inputs = asked.cloned().unwrap_or(0..cases.inputs());
    ensure!(
        !inputs.is_empty() && inputs.end <= cases.inputs(),
        "--inputs {}..{}: {} has inputs 0..{}",
        inputs.start,
        inputs.end,
        path.display(),
        cases.inputs()
    );
    Ok(inputs)
}
