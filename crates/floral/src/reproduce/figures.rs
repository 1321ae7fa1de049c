//! The figures: one page for each system, with all its finished runs beside the truth.

use std::path::PathBuf;

use super::plan::{Plan, Target};
use super::store::Store;
use super::work::{State, States};
use crate::compare::Options;

/// Realizations at most for pictures, in which more cannot be seen.
const REALIZATIONS: usize = 200;

/// What the page of one system shows.
#[derive(Debug, Clone)]
pub struct Figures {
    /// The experiment.
    pub name: String,
    /// The dataset, whose test inputs are shown.
    pub data: PathBuf,
    /// The finished runs: sizes, then training resolutions, each in the order of the methods.
    pub runs: Vec<PathBuf>,
    /// How many runs are not there.
    pub missing: usize,
    /// How predictions are made.
    pub options: Options,
}

/// The figures of every system of a plan.
pub fn figures(plan: &Plan, store: &Store, states: &States) -> Vec<Figures> {
    let studies = plan.studies.iter().enumerate();
    let of_study = |(position, study): (usize, &super::study::Study)| {
        let cells = plan.cells_of(Target::Figures, position);
        let count = cells.len();
        let is_done = |name: &String| matches!(states.get(name), Some(State::Done(_)));
        let done = cells.iter().filter(|cell| is_done(&cell.evaluation_name()));
        let runs: Vec<PathBuf> = done.map(|cell| store.run(cell)).collect();
        let evaluation = study.experiment.options();
        Figures {
            name: study.experiment.name.clone(),
            data: store.data(study),
            missing: count - runs.len(),
            runs,
            options: Options {
                realizations: evaluation.realizations.min(REALIZATIONS),
                seed: evaluation.seed,
                solver: evaluation.solver,
                reference: evaluation.reference,
                ..Options::default()
            },
        }
    };
    studies.map(of_study).collect()
}
