//! Progress of a fit, and a way to stop it.

use std::time::Duration;

use super::{Outlier, Symmetry};
use crate::{Error, Result};

/// Receives the progress of a fit and may stop it.
pub trait Observer: Sync {
    /// Something has happened.
    fn observe(&self, event: &Event<'_>) {
        let _ = event;
    }

    /// Whether the fit is to stop.
    fn should_stop(&self) -> bool {
        false
    }

    /// How much of a budget is left, if there is one: the fit then leaves out what it has no time for.
    fn time_left(&self) -> Option<Duration> {
        None
    }
}

/// What the data say of a problem's symmetries.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    /// Axes that close although they were not declared periodic.
    pub periodic: Vec<String>,
    /// Symmetries that were not declared.
    pub symmetries: Vec<Symmetry>,
    /// Declared ones with which left-out inputs are predicted worse; they are used all the same.
    pub contradicted: Vec<Symmetry>,
}

impl Found {
    /// Whether there is nothing to say.
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
        /// Of what: mean or variance.
        of: &'a str,
        /// Candidates that are fitted.
        done: usize,
        /// Candidates in all.
        total: usize,
    },
    /// The budget is spent before all candidates are fitted.
    Spent {
        /// Of what: mean or variance.
        of: &'a str,
        /// Candidates that are fitted.
        done: usize,
        /// Candidates in all.
        total: usize,
    },
    /// A step of the networks on what the blend misses is about to be taken.
    Stacking {
        /// Steps that are taken.
        done: usize,
        /// Steps in all.
        total: usize,
    },
    /// The budget allows networks fewer steps.
    Cut {
        /// Steps of each network.
        steps: usize,
        /// Steps without a budget.
        asked: usize,
    },
    /// A run of a training input is left out as faulty.
    Outlier(&'a Outlier),
    /// Symmetries are found in the data, or contradicted by them.
    Symmetries(&'a Found),
}

/// Ignores all events and never stops.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Observer for Silent {}

/// An error once the observer asks to stop.
pub(crate) fn go_on(observer: &dyn Observer) -> Result<()> {
    match observer.should_stop() {
        true => Err(Error::Interrupted),
        false => Ok(()),
    }
}
