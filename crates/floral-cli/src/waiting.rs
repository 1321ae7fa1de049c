//! An estimate of the duration of predictions, printed after the first realizations.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use floral::sample;
use floral::{Event, Observer, counted};

use crate::duration;
use crate::progress::Progress;

/// Estimates shorter than this number of seconds are not printed.
const SHORT: f64 = 5.0;

/// Shows progress, and estimates the total time after the first realizations.
pub struct Waiting<'a> {
    progress: &'a Progress<'a>,
    /// Whether a standard error decides the number of realizations.
    is_open: bool,
    state: Mutex<State>,
}

/// What has been measured so far.
#[derive(Debug, Clone, Copy, PartialEq)]
enum State {
    /// Nothing has started.
    Nothing,
    /// Conditioning on the first of the remaining inputs.
    Begun { inputs: usize, at: Instant },
    /// Conditioning on the first input took `derivation` seconds; its realizations start.
    Derived {
        inputs: usize,
        derivation: f64,
        at: Instant,
        first: usize,
    },
    /// The estimate is printed.
    Estimated,
}

impl<'a> Waiting<'a> {
    /// Prints nothing until something has been measured.
    pub fn new(progress: &'a Progress<'a>, is_open: bool) -> Self {
        Self {
            progress,
            is_open,
            state: Mutex::new(State::Nothing),
        }
    }

    fn next(&self, state: State, event: &Event<'_>) -> State {
        match (state, event) {
            (State::Nothing, Event::Inputs { done, total }) => State::Begun {
                inputs: total.saturating_sub(*done),
                at: Instant::now(),
            },
            (
                State::Begun { inputs, at },
                Event::Prediction {
                    progress: Some(p), ..
                },
            ) => State::Derived {
                inputs,
                derivation: at.elapsed().as_secs_f64(),
                at: Instant::now(),
                first: p.done,
            },
            (
                State::Derived {
                    inputs,
                    derivation,
                    at,
                    first,
                },
                Event::Prediction {
                    progress: Some(p), ..
                },
            ) if p.done > first && (!self.is_open || p.done < p.total) => {
                let each = at.elapsed().as_secs_f64() / (p.done - first) as f64;
                self.estimate(inputs, derivation, each, *p);
                State::Estimated
            }
            (state, _) => state,
        }
    }

    fn estimate(&self, inputs: usize, derivation: f64, each: f64, progress: sample::Progress) {
        let sample::Progress { done, total, .. } = progress;
        let input = derivation + each * total as f64;
        let seconds = each * (total - done) as f64 + input * (inputs - 1) as f64;
        if seconds < SHORT {
            return;
        }
        let about = if self.is_open { "about " } else { "" };
        self.progress.message(&format!(
            "about {} for {} with {about}{} each",
            duration::readable(seconds),
            counted(inputs, "input"),
            counted(total, "realization")
        ));
    }
}

impl Observer for Waiting<'_> {
    fn observe(&self, event: &Event<'_>) {
        self.progress.observe(event);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        *state = self.next(*state, event);
    }

    fn should_stop(&self) -> bool {
        self.progress.should_stop()
    }
}
