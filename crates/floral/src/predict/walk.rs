//! The prediction loop: for every input and every run, all realizations.
//!
//! A [`Consumer`] uses the realizations: for statistics in a store ([`Job`](super::Job)), scores
//! against the truth ([`evaluate`](crate::evaluate)), or the summaries of a report.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use super::departure::departures;
use super::{Case, Cases, InputPredictor, Predictor, Sampling};
use crate::kl::Prediction;
use crate::observer::{Event, Observer, go_on};
use crate::sample::Progress;
use crate::{Error, Grid, Result};

/// A loop over inputs and runs that draws realizations.
pub struct Walk<'a> {
    /// The runs; each input is predicted by all runs before the next input.
    pub predictors: &'a [&'a Predictor],
    /// All inputs of a source.
    pub cases: &'a Cases<'a>,
    /// Indices of the inputs to predict.
    pub inputs: Range<usize>,
    /// The predictor of the only input by the only run, if it is already computed.
    pub derived: Option<&'a InputPredictor<'a>>,
    /// Number of realizations, seed and solver.
    pub sampling: &'a Sampling,
    /// Receives progress and may request a stop.
    pub observer: &'a dyn Observer,
}

/// The current input of a walk.
pub struct WalkedInput<'a> {
    /// Position in the walk, from 0.
    pub position: usize,
    /// Index in the source.
    pub index: usize,
    /// The input and its low fidelity.
    pub case: &'a Case,
    /// The grid of both fields.
    pub grid: &'a Grid,
}

/// Cost of the prediction for one input.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PredictionCost {
    /// Numbers of realizations and network evaluations.
    pub progress: Progress,
    /// Time in seconds, including the preparation for the input.
    pub seconds: f64,
}

/// Receives the predictions of a [`Walk`], in order.
pub trait Consumer {
    /// Whether the input at this position is wanted; called before it is read.
    fn wants(&self, position: usize) -> bool {
        let _ = position;
        true
    }

    /// Called when an input has been read, before its predictions.
    fn input(&mut self, input: &WalkedInput) -> Result<()> {
        let _ = input;
        Ok(())
    }

    /// Called before the prediction by a run. Returns the index of the first wanted realization, or
    /// `None` if none is wanted.
    fn begin(&mut self, run: usize, input: &WalkedInput) -> Result<Option<usize>>;

    /// Number of realizations wanted for the current prediction, if it depends on their values;
    /// called before the first one and whenever that number is reached.
    fn wanted(&self) -> Option<usize> {
        None
    }

    /// Called when the predictor of the input is ready, before the realizations.
    fn derived(&mut self, predicted: &InputPredictor<'_>) {
        let _ = predicted;
    }

    /// Receives mean and variances that are known without drawing, before the realizations.
    fn moments(&mut self, moments: &Prediction) {
        let _ = moments;
    }

    /// Receives a realization, [channel, point], and the number of network evaluations that it
    /// took.
    fn realization(&mut self, index: usize, values: &[f64], evaluations: usize) -> Result<()>;

    /// Called when the prediction by a run is complete.
    fn end(&mut self, run: usize, input: &WalkedInput, cost: PredictionCost) -> Result<()>;
}

impl Walk<'_> {
    /// Predicts all inputs that the consumer wants.
    pub fn run(&self, consumer: &mut dyn Consumer) -> Result<()> {
        for position in 0..self.inputs.len() {
            if consumer.wants(position) {
                self.run_at(position, consumer)?;
            }
        }
        Ok(())
    }

    /// Predicts only the input at this position, for callers that process inputs in parallel.
    pub fn run_at(&self, position: usize, consumer: &mut dyn Consumer) -> Result<()> {
        go_on(self.observer)?;
        let index = self.inputs.start + position;
        let case = self.cases.case(index)?;
        let input = WalkedInput {
            position,
            index,
            case: &case,
            grid: self.cases.grid(),
        };
        consumer.input(&input)?;
        for run in 0..self.predictors.len() {
            let predicted = self.predict(run, &input, consumer);
            let header = self.predictors[run].header();
            let label = || self.cases.label(index);
            predicted.map_err(|error| at_input(label(), &departures(header, &case), error))?;
        }
        Ok(())
    }

    fn predict(&self, run: usize, input: &WalkedInput, consumer: &mut dyn Consumer) -> Result<()> {
        go_on(self.observer)?;
        let predictor = self.predictors[run];
        let within = Within {
            observer: self.observer,
            method: predictor.method().title(),
            done: input.position * self.predictors.len() + run,
            total: self.inputs.len() * self.predictors.len(),
            wanted: AtomicUsize::new(0),
        };
        let Some(first) = consumer.begin(run, input)? else {
            within.report(None);
            return Ok(());
        };
        let start = Instant::now();
        let own;
        let predicted = match self.derived {
            Some(derived) => derived,
            None => {
                own = self.cases.predicted(predictor, input.case)?;
                &own
            }
        };
        consumer.derived(predicted);
        if let Some(moments) = predicted.moments() {
            consumer.moments(moments);
        }
        let index = input.index as u64;
        let mut progress = self.deliver(predicted, (index, first), &within, consumer)?;
        while consumer
            .wanted()
            .is_some_and(|wanted| wanted > progress.done)
        {
            let next = (index, progress.done);
            progress = progress.and(self.deliver(predicted, next, &within, consumer)?);
        }
        let seconds = start.elapsed().as_secs_f64();
        consumer.end(run, input, PredictionCost { progress, seconds })
    }

    /// Passes realizations of an input to the consumer, from index `first` up to the number wanted
    /// so far.
    fn deliver(
        &self,
        predicted: &InputPredictor<'_>,
        (index, first): (u64, usize),
        within: &Within<'_>,
        consumer: &mut dyn Consumer,
    ) -> Result<Progress> {
        let sampling = Sampling {
            realizations: consumer.wanted().unwrap_or(self.sampling.realizations),
            ..*self.sampling
        };
        // The preparation for the input is done, and realizations follow.
        within.report(Some(Progress {
            done: first,
            total: sampling.realizations,
            ..Progress::default()
        }));
        let consume = |realization: usize, values: &[f64], cost: usize| {
            let taken = consumer.realization(realization, values, cost);
            let wanted = consumer.wanted().unwrap_or(0);
            within.wanted.store(wanted, Ordering::Relaxed);
            taken
        };
        predicted.deliver_from(first, index, &sampling, within, consume)
    }
}

/// Reports the progress of one ensemble to the observer of a walk.
struct Within<'a> {
    observer: &'a dyn Observer,
    method: &'a str,
    done: usize,
    total: usize,
    /// Number of realizations that the consumer wants so far.
    wanted: AtomicUsize,
}

impl Within<'_> {
    fn report(&self, progress: Option<Progress>) {
        self.observer.observe(&Event::Prediction {
            method: self.method,
            done: self.done,
            total: self.total,
            progress,
        });
    }
}

impl Observer for Within<'_> {
    fn observe(&self, event: &Event<'_>) {
        if let Event::Realizations(progress) = event {
            let wanted = self.wanted.load(Ordering::Relaxed);
            self.report(Some(Progress {
                total: progress.total.max(wanted),
                ..*progress
            }));
        }
    }

    fn should_stop(&self) -> bool {
        self.observer.should_stop()
    }
}

/// Adds the name of the input to the error of a failed prediction, and how the input departs from
/// the training range.
pub(super) fn at_input(label: Option<String>, departures: &[String], error: Error) -> Error {
    let Error::Numerical { what, advice } = error else {
        return error;
    };
    let what = match departures {
        [] => what,
        _ => format!("{}; there, {what}", departures.join("; ")),
    };
    let what = match label {
        Some(label) => format!("{label}: {what}"),
        None => what,
    };
    Error::numerical(what, advice)
}
