//! Progress of several pieces of work, one after another or in parallel, in `quickstart` and
//! `reproduce`: a line per step, and a [`Progress`] for each piece.

use std::sync::{Mutex, PoisonError};

use floral::Observer;
use indicatif::MultiProgress;
use serde_json::json;

use crate::output::{self, Shown};
use crate::progress::Progress;

/// Logs steps, and shows the progress of each.
pub struct StepLog<'a> {
    bars: MultiProgress,
    shown: Shown,
    stop: &'a dyn Observer,
    lines: Mutex<Vec<String>>,
}

impl<'a> StepLog<'a> {
    /// Shows bars on a terminal, and two lines per step elsewhere.
    pub fn new(stop: &'a dyn Observer) -> Self {
        Self {
            bars: MultiProgress::new(),
            shown: output::shown(),
            stop,
            lines: Mutex::default(),
        }
    }

    /// Prints nothing; records the lines.
    #[cfg(test)]
    pub fn silent(stop: &'a dyn Observer) -> Self {
        Self {
            shown: Shown::Nothing,
            ..Self::new(stop)
        }
    }

    /// All lines so far.
    #[cfg(test)]
    pub fn lines(&self) -> Vec<String> {
        self.lines
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Adds a line.
    pub fn line(&self, line: &str) {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.push(line.to_owned());
        if self.shown != Shown::Nothing {
            self.bars.suspend(|| output::progress(line, json!({})));
        }
    }

    /// Shows the progress of a piece of work, next to that of others.
    pub fn watch(&self, title: &str) -> Progress<'a> {
        let shown = match self.shown {
            // Without bars, the lines of the steps are enough.
            Shown::Lines => Shown::Nothing,
            other => other,
        };
        Progress::new(title, self.stop).among(&self.bars, shown)
    }

    /// Whether the work is to stop.
    pub fn should_stop(&self) -> bool {
        self.stop.should_stop()
    }
}
