//! What a comparison is asked for, and how far it is.

use crate::evaluate;
use crate::sample::Progress;

/// What to compare, and how.
#[derive(Debug, Clone)]
pub struct Options {
    /// How the scores are taken.
    pub evaluation: evaluate::Options,
    /// How many of the inputs are shown, the first ones.
    pub shown: usize,
    /// How many realizations are kept of each to be shown.
    pub kept: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            evaluation: evaluate::Options {
                realizations: 500,
                ..evaluate::Options::default()
            },
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
