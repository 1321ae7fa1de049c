//! The story of several pieces of work in a row or side by side, as `quickstart` and `reproduce` have
//! them: each is watched by a [`Progress`].

use std::sync::{Mutex, PoisonError};

use floral::Observer;
use indicatif::MultiProgress;
use serde_json::json;

use crate::output::{self, Shown};
use crate::progress::Progress;

/// Tells of several pieces of work: when each begins, how it goes and what it came to.
pub struct Narrator<'a> {
    bars: MultiProgress,
    shown: Shown,
    stop: &'a dyn Observer,
    told: Mutex<Vec<String>>,
}

impl<'a> Narrator<'a> {
    /// Bars on a terminal, two lines a step elsewhere.
    pub fn new(stop: &'a dyn Observer) -> Self {
        Self {
            bars: MultiProgress::new(),
            shown: output::shown(),
            stop,
            told: Mutex::default(),
        }
    }

    /// Says nothing, and remembers what it would have said.
    #[cfg(test)]
    pub fn silent(stop: &'a dyn Observer) -> Self {
        Self {
            shown: Shown::Nothing,
            ..Self::new(stop)
        }
    }

    /// All that was told.
    #[cfg(test)]
    pub fn told(&self) -> Vec<String> {
        self.told
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// A line of the story.
    pub fn say(&self, line: &str) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.push(line.to_owned());
        if self.shown != Shown::Nothing {
            self.bars.suspend(|| output::progress(line, json!({})));
        }
    }

    /// Watches a piece of work, beside others that go on.
    pub fn watch(&self, title: &str) -> Progress<'a> {
        let shown = match self.shown {
            // The lines of the story are enough where there are no bars.
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
