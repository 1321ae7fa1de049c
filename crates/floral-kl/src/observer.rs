//! Progress of a fit, and a way to stop it.

use std::time::Duration;

use super::{Outlier, Symmetry};
use crate::{Error, Result};

/// Receives the progress of a fit and may stop it.
pub trait Observer: Sync {
    /// Called at every event.
    fn observe(&self, event: &Event<'_>) {
        let _ = event;
    }

    /// Whether the fit should stop.
    fn should_stop(&self) -> bool {
        false
    }

    /// The time that a budget leaves, if there is one; the fit leaves out what it has no time for.
    fn time_left(&self) -> Option<Duration> {
        None
    }
}

/// Symmetries found in the data, and declared symmetries that the data contradict.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    /// Axes that are periodic although they were not declared so.
    pub periodic: Vec<String>,
    /// Symmetries that were not declared.
    pub symmetries: Vec<Symmetry>,
    /// Declared symmetries with which left-out inputs are predicted worse; they are used all the
    /// same.
    pub contradicted: Vec<Symmetry>,
}

impl Found {
    /// Whether nothing was found and nothing contradicted.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A step of a fit.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A candidate regression is about to be fitted.
    Fitting {
        /// The target: mean or variance.
        of: &'a str,
        /// Number of candidates fitted so far.
        done: usize,
        /// Number of candidates.
        total: usize,
    },
    /// The budget is spent before all candidates are fitted.
    Spent {
        /// The target: mean or variance.
        of: &'a str,
        /// Number of candidates fitted so far.
        done: usize,
        /// Number of candidates.
        total: usize,
    },
    /// The networks on the error of the blend are about to take a step.
    Stacking {
        /// Steps taken so far.
        done: usize,
        /// Number of steps.
        total: usize,
    },
    /// The budget allows fewer steps of the networks.
    Cut {
        /// Steps of each network.
        steps: usize,
        /// Steps of each network without a budget.
        asked: usize,
    },
    /// A run of a training input is faulty and left out.
    Outlier(&'a Outlier),
    /// Symmetries are found in the data, or contradicted by them.
    Symmetries(&'a Found),
}

/// Ignores all events and never stops.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Observer for Silent {}

/// Returns an error once the observer asks to stop.
pub(crate) fn go_on(observer: &dyn Observer) -> Result<()> {
    match observer.should_stop() {
        true => Err(Error::Interrupted),
        false => Ok(()),
    }
}
