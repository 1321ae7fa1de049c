//! Progress and interruption: one handle observes long computations and stops them.
//!
//! Generation, training, sampling and evaluation all take a `&dyn Observer`. [`Silent`] ignores
//! every event and never stops the work. An [`AtomicBool`] stops the work once it is set.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use floral_symmetry::Symmetry;

use crate::{Error, Result};

/// Receives the progress of long computations, from any thread, and may request a stop.
///
/// ```
/// use std::sync::atomic::{AtomicUsize, Ordering};
/// use floral_data::{Event, Observer};
///
/// struct Counter(AtomicUsize);
///
/// impl Observer for Counter {
///     fn observe(&self, _: &Event<'_>) {
///         self.0.fetch_add(1, Ordering::Relaxed);
///     }
///
///     fn should_stop(&self) -> bool {
///         self.0.load(Ordering::Relaxed) > 100
///     }
/// }
///
/// let counter = Counter(AtomicUsize::new(0));
/// counter.observe(&Event::Inputs { done: 0, total: 8 });
/// assert!(!counter.should_stop());
/// ```
pub trait Observer: Sync {
    /// Called for every event.
    fn observe(&self, event: &Event<'_>) {
        let _ = event;
    }

    /// Whether to stop as soon as finished work is safely stored.
    fn should_stop(&self) -> bool {
        false
    }
}

/// An event in the course of a long computation.
///
/// ```
/// use floral_data::Event;
///
/// let words = match (Event::Inputs { done: 2, total: 8 }) {
///     Event::Inputs { done, total } => format!("{done} of {total} inputs"),
///     _ => String::new(),
/// };
/// assert_eq!(words, "2 of 8 inputs");
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Event<'a> {
    /// Work on inputs begins; an earlier call has finished `done` of `total`.
    Inputs {
        /// Finished inputs.
        done: usize,
        /// Total number of inputs.
        total: usize,
    },
    /// An input of a dataset has been computed and stored.
    Generated {
        /// Its index.
        input: usize,
    },
    /// Other ranks have computed and stored more inputs of the dataset.
    GeneratedElsewhere {
        /// Number of additional inputs.
        inputs: usize,
    },
    /// Training begins or resumes.
    Training {
        /// Finished epochs.
        epoch: usize,
        /// Maximum number of epochs.
        epochs: usize,
        /// Steps per epoch.
        steps: usize,
        /// Samples per epoch.
        samples: usize,
    },
    /// A training step is finished.
    Step {
        /// Its epoch, from 0.
        epoch: usize,
        /// Its number in the epoch, from 0.
        step: usize,
        /// Its loss.
        loss: f64,
    },
    /// An epoch is finished.
    Epoch(&'a EpochRecord),
    /// A candidate regression is about to be fitted.
    Fitting {
        /// The target of the regression: mean or variance.
        of: &'a str,
        /// Candidates fitted so far.
        done: usize,
        /// Total number of candidates.
        total: usize,
    },
    /// A training step is about to start, of the networks that learn the residual of the
    /// regressions.
    Stacking {
        /// Finished steps.
        done: usize,
        /// Total number of steps.
        total: usize,
        /// Remaining time, if there is a budget.
        left: Option<Duration>,
    },
    /// The time budget does not allow the whole fit: a description of the omitted part.
    Budget(&'a str),
    /// A realization of a training input is left out because it is an outlier.
    Outlier(&'a Outlier),
    /// Symmetries have been found in the data or contradicted by them.
    Symmetries(&'a FoundSymmetries),
    /// A block of realizations of one ensemble has been delivered.
    Realizations(Progress),
    /// Progress over several predictions, each of one input by one run.
    Prediction {
        /// The name of the run's method.
        method: &'a str,
        /// Finished predictions.
        done: usize,
        /// Total number of predictions.
        total: usize,
        /// Progress of the current prediction; none if an earlier call had finished it.
        progress: Option<Progress>,
    },
}

/// Results of one epoch.
#[derive(Debug, Clone, PartialEq)]
pub struct EpochRecord {
    /// Number of the epoch, from 1.
    pub epoch: usize,
    /// Mean loss over the training samples, averaged while the weights change.
    pub train_loss: f64,
    /// Mean loss over the validation samples at the end of the epoch.
    pub validation_loss: f64,
    /// Learning rate.
    pub learning_rate: f64,
    /// Largest gradient norm before clipping.
    pub gradient_norm: f64,
    /// Seconds since training began, over all sessions.
    pub seconds: f64,
    /// Whether the validation loss is the best so far.
    pub is_best: bool,
}

/// Progress of an ensemble, and its cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// Index of the next realization; all earlier ones have been delivered.
    pub done: usize,
    /// Total number of realizations.
    pub total: usize,
    /// Evaluations of the velocity, summed over realizations.
    pub evaluations: usize,
    /// Evaluations of a whole block, summed over blocks.
    pub block_evaluations: usize,
}

impl Progress {
    /// Progress `after`, with the evaluations of `self` added.
    #[must_use]
    pub fn and(self, after: Self) -> Self {
        Self {
            evaluations: self.evaluations + after.evaluations,
            block_evaluations: self.block_evaluations + after.block_evaluations,
            ..after
        }
    }
}

/// A realization of a training input that is far from the others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outlier {
    /// The training input, from 0.
    pub input: usize,
    /// The realization, from 0.
    pub realization: usize,
    /// Its distance from the other realizations, divided by the median distance.
    pub distance: f64,
}

/// Symmetries of a problem found in the data.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FoundSymmetries {
    /// Axes found to be periodic without being declared so.
    pub periodic: Vec<String>,
    /// Undeclared symmetries.
    pub symmetries: Vec<Symmetry>,
    /// Declared symmetries that increase the error on left-out inputs; they are used nevertheless.
    pub contradicted: Vec<Symmetry>,
}

/// Ignores every event and never stops the work.
///
/// ```
/// use floral_data::{Observer, Silent};
///
/// assert!(!Silent.should_stop());
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Observer for Silent {}

/// Stops the work once it is set.
impl Observer for AtomicBool {
    fn should_stop(&self) -> bool {
        self.load(Ordering::SeqCst)
    }
}

/// Fails with `Error::Interrupted` once the observer requests a stop.
pub fn go_on(observer: &dyn Observer) -> Result<()> {
    if observer.should_stop() {
        return Err(Error::Interrupted);
    }
    Ok(())
}
