//! Progress and stopping: the one handle by which long work is watched and ended.
//!
//! Generation, training, sampling and evaluation all take a `&dyn Observer`; [`Silent`] watches
//! nothing, and an [`AtomicBool`] alone stops the work once it is set.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use floral_symmetry::Symmetry;

use crate::{Error, Result};

/// Receives the progress of long work, from any thread, and may request it to stop.
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
    /// Something has happened.
    fn observe(&self, event: &Event<'_>) {
        let _ = event;
    }

    /// Whether the work is to stop as soon as what is finished is safe.
    fn should_stop(&self) -> bool {
        false
    }
}

/// What happens in the course of long work.
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
    /// Work on inputs begins: `done` of `total` are there from an earlier call.
    Inputs {
        /// Inputs that are there.
        done: usize,
        /// Inputs in all.
        total: usize,
    },
    /// A dataset's input is computed and stored.
    Generated {
        /// Its index.
        input: usize,
    },
    /// Other ranks have computed and stored more of a dataset's inputs.
    GeneratedElsewhere {
        /// How many more.
        inputs: usize,
    },
    /// Training begins or goes on.
    Training {
        /// Epochs that are done.
        epoch: usize,
        /// Epochs at most.
        epochs: usize,
        /// Steps of an epoch.
        steps: usize,
        /// Samples of an epoch.
        samples: usize,
    },
    /// A step of training is done.
    Step {
        /// Its epoch, from 0.
        epoch: usize,
        /// Its number in the epoch, from 0.
        step: usize,
        /// Its loss.
        loss: f64,
    },
    /// An epoch is done.
    Epoch(&'a EpochRecord),
    /// A candidate among regressions is about to be fitted.
    Fitting {
        /// Of what: mean or variance.
        of: &'a str,
        /// Candidates that are fitted.
        done: usize,
        /// Candidates in all.
        total: usize,
    },
    /// A step of the networks that learn what regressions miss is about to be taken.
    Stacking {
        /// Steps that are taken.
        done: usize,
        /// Steps in all.
        total: usize,
        /// What is left of a budget.
        left: Option<Duration>,
    },
    /// A budget leaves no time for all of a fit: what is left out, for people.
    Budget(&'a str),
    /// A run of a training input is left out, as something went wrong with it.
    Outlier(&'a Outlier),
    /// Symmetries are found in the data, or contradicted by them.
    Symmetries(&'a FoundSymmetries),
    /// A block of one ensemble's realizations is delivered.
    Realizations(Progress),
    /// One of several predictions, each of one input by one run, has come this far.
    Prediction {
        /// The name of the run's method.
        method: &'a str,
        /// Predictions that are done.
        done: usize,
        /// Predictions in all.
        total: usize,
        /// How far the one under way is; none if it was there from an earlier call.
        progress: Option<Progress>,
    },
}

/// What an epoch came to.
#[derive(Debug, Clone, PartialEq)]
pub struct EpochRecord {
    /// Its number, from 1.
    pub epoch: usize,
    /// Mean loss over the training samples, while the weights moved.
    pub train_loss: f64,
    /// Mean loss over the validation samples, at its end.
    pub validation_loss: f64,
    /// Learning rate.
    pub learning_rate: f64,
    /// Largest norm of the gradient before clipping.
    pub gradient_norm: f64,
    /// Seconds since training began, over all sessions.
    pub seconds: f64,
    /// Whether the validation loss is the best so far.
    pub is_best: bool,
}

/// How far an ensemble is, and what it has cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// The realization that comes next: those before it are with the consumer.
    pub done: usize,
    /// Realizations in all.
    pub total: usize,
    /// Evaluations of the velocity, summed over realizations.
    pub evaluations: usize,
    /// Evaluations of a whole block, summed over blocks.
    pub block_evaluations: usize,
}

impl Progress {
    /// With what comes after it.
    #[must_use]
    pub fn and(self, after: Self) -> Self {
        Self {
            evaluations: self.evaluations + after.evaluations,
            block_evaluations: self.block_evaluations + after.block_evaluations,
            ..after
        }
    }
}

/// A run of a training input that is far from the others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outlier {
    /// The training input, from 0.
    pub input: usize,
    /// The run, from 0.
    pub realization: usize,
    /// Its distance from the other runs in units of the median one.
    pub distance: f64,
}

/// What the data say of a problem's symmetries.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FoundSymmetries {
    /// Axes that close although they were not declared periodic.
    pub periodic: Vec<String>,
    /// Symmetries that were not declared.
    pub symmetries: Vec<Symmetry>,
    /// Declared ones with which left-out inputs are predicted worse; they are used all the same.
    pub contradicted: Vec<Symmetry>,
}

/// Watches nothing and never stops.
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

/// An error once the observer asks to stop.
pub fn go_on(observer: &dyn Observer) -> Result<()> {
    if observer.should_stop() {
        return Err(Error::Interrupted);
    }
    Ok(())
}
