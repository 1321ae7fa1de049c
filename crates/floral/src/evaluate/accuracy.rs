//! Choice of the ODE solver for an evaluation.

use std::ops::Range;

use super::chosen_inputs;
use crate::Result;
use crate::dataset::Dataset;
use crate::observer::Observer;
use crate::predict::{Cases, ChosenSolver, Predictor, aligned_dataset};

/// The solver chosen by [`Predictor::solver_within`] for the first of the given inputs (by default
/// the run's test inputs), and the index of that input; `None` for a method that is not a flow.
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
