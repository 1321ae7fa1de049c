//! What a comparison is asked for, and how far it is.

use std::ops::Range;

use crate::sample::{OdeSolver, Progress};

/// What to compare, and how.
#[derive(Debug, Clone)]
pub struct Options {
    /// Realizations per input of generative methods.
    pub realizations: usize,
    /// The seed of the priors.
    pub seed: u64,
    /// The integrator.
    pub solver: OdeSolver,
    /// The inputs over which scores are taken; the runs' test inputs if absent.
    pub inputs: Option<Range<usize>>,
    /// Fresh realizations per input that show the truth of a built-in problem.
    pub reference: usize,
    /// How many of the inputs are shown, the first ones.
    pub shown: usize,
    /// How many realizations are kept of each to be shown.
    pub kept: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            realizations: 500,
            seed: 0,
            solver: OdeSolver::default(),
            inputs: None,
            reference: 1000,
            shown: 5,
            kept: 8,
        }
    }
}

/// How far a comparison is.
#[derive(Debug, Clone, Copy)]
pub struct Step<'a> {
    /// The run that predicts.
    pub run: &'a str,
    /// Predictions, of one input by one run each, that are done.
    pub done: usize,
    /// How many there will be.
    pub total: usize,
    /// How far the prediction under way is; none if it was kept from an earlier report.
    pub progress: Option<Progress>,
}
