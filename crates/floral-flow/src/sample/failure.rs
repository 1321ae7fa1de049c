//! Why a row did not reach time 1, and what to try.

use crate::Error;

/// The ways in which an integration ends early.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Failure {
    /// The velocity is infinite or not a number.
    NotFinite,
    /// The step that the tolerance requires is so small that rounding dominates.
    StepTooSmall(f64),
    /// More evaluations of the velocity than allowed.
    TooManyEvaluations(usize),
}

impl Failure {
    /// The library's error for this failure, with the row and its time.
    pub(super) fn at(self, row: usize, time: f64) -> Error {
        Error::numerical(
            format!("row {row} at time {time:.6}: {}", self.what()),
            self.advice(),
        )
    }

    fn what(self) -> String {
        match self {
            Self::NotFinite => "the velocity is not finite".into(),
            Self::StepTooSmall(step) => format!("the step has shrunk to {step:.1e}"),
            Self::TooManyEvaluations(limit) => {
                format!("the velocity would be evaluated more than {limit} times")
            }
        }
    }

    fn advice(self) -> &'static str {
        match self {
            Self::NotFinite => {
                "check the start state and the training for values that grow without bound, or try \
                 more steps or a tighter tolerance"
            }
            Self::StepTooSmall(_) => {
                "loosen the tolerance, or try a fixed-step method: the velocity is too rough here"
            }
            Self::TooManyEvaluations(_) => {
                "loosen the tolerance, allow more evaluations, or try a fixed-step method"
            }
        }
    }
}
