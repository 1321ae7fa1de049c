//! The integrator that an accuracy needs for the inputs a run is judged on.

use std::ops::Range;

use super::chosen_inputs;
use crate::Result;
use crate::dataset::Dataset;
use crate::observer::Observer;
use crate::predict::{Cases, ChosenSolver, Predictor, aligned_dataset};

/// That of [`Predictor::solver_within`] for the first of the inputs, or of the run's test inputs, and
/// which one that is.
pub fn solver_within(
    predictor: &Predictor,
    dataset: &Dataset,
    inputs: Option<Range<usize>>,
    (accuracy, seed): (f64, u64),
    observer: &dyn Observer,
) -> Result<Option<(ChosenSolver, usize)>> {
    if !predictor.method().is_flow() {
        return Ok(None);
    }
    let (dataset, _) = aligned_dataset(predictor.header(), dataset)?;
    let first = chosen_inputs(predictor.header(), &dataset, inputs)?.start;
    let cases = Cases::of(&dataset)?;
    let case = (&cases.case(first)?, first as u64);
    let chosen = predictor.solver_within(accuracy, case, cases.grid(), seed, observer)?;
    Ok(chosen.map(|chosen| (chosen, first)))
}
