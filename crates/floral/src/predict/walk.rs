//! The one loop that predicts: every input, its condition, the realizations of every run.
//!
//! What becomes of them is a [`Consumer`]'s: statistics in a store ([`Job`](super::Job)), scores
//! beside the truth ([`evaluate`](crate::evaluate)), the summaries of a report.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use super::departure::departures;
use super::{Case, Cases, InputPredictor, Predictor, Sampling};
use crate::kl::Prediction;
use crate::observer::{Event, Observer, go_on};
use crate::sample::Progress;
use crate::{Error, Grid, Result};

/// Which inputs are predicted, by which runs, and how.
pub struct Walk<'a> {
    /// The runs; every input is predicted by each before the next input.
    pub predictors: &'a [&'a Predictor],
    /// The inputs of a file.
    pub cases: &'a Cases<'a>,
    /// Those of them that are predicted.
    pub inputs: Range<usize>,
    /// What the only run has derived from the only input already, if anything.
    pub derived: Option<&'a InputPredictor<'a>>,
    /// How realizations are made.
    pub sampling: &'a Sampling,
    /// Receives progress, and may request to stop.
    pub observer: &'a dyn Observer,
}

/// One input on its way through a walk.
pub struct WalkedInput<'a> {
    /// Its position in the walk.
    pub position: usize,
    /// Its index in the file.
    pub index: usize,
    /// Its fields.
    pub case: &'a Case,
    /// Their grid.
    pub grid: &'a Grid,
}

/// What a prediction has cost.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PredictionCost {
    /// Realizations and evaluations.
    pub progress: Progress,
    /// Seconds, conditioning included.
    pub seconds: f64,
}

/// Takes what a [`Walk`] predicts, in its order.
pub trait Consumer {
    /// Whether the input at this position is wanted; asked before it is read.
    fn wants(&self, position: usize) -> bool {
        let _ = position;
        true
    }

    /// An input is read, and its predictions begin.
    fn input(&mut self, input: &WalkedInput) -> Result<()> {
        let _ = input;
        Ok(())
    }

    /// The prediction by a run begins; answers with the first realization that is wanted, or none
    /// if all of it is there.
    fn begin(&mut self, run: usize, input: &WalkedInput) -> Result<Option<usize>>;

    /// How many realizations of the prediction under way are wanted, where that depends on them; asked
    /// before the first and whenever that number is reached.
    fn wanted(&self) -> Option<usize> {
        None
    }

    /// All that depends on the input alone is derived; before the realizations.
    fn derived(&mut self, predicted: &InputPredictor<'_>) {
        let _ = predicted;
    }

    /// Mean and variances in closed form, of methods that have them; before the realizations.
    fn moments(&mut self, moments: &Prediction) {
        let _ = moments;
    }

    /// A realization, [channel, point], and the evaluations of the network that it took.
    fn realization(&mut self, index: usize, values: &[f64], evaluations: usize) -> Result<()>;

    /// The prediction by a run is complete.
    fn end(&mut self, run: usize, input: &WalkedInput, cost: PredictionCost) -> Result<()>;
}

impl Walk<'_> {
    /// Predicts what the consumer wants.
    pub fn run(&self, consumer: &mut dyn Consumer) -> Result<()> {
        for position in 0..self.inputs.len() {
            if consumer.wants(position) {
                self.run_at(position, consumer)?;
            }
        }
        Ok(())
    }

    /// Predicts the input at this position alone, for callers that take inputs side by side.
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

    /// Hands over realizations of an input from `first` on, as many as are wanted so far.
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
        // All that depends on the input alone is derived, and realizations begin.
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
    /// Realizations that the consumer wants, as far as it knows.
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

/// Names the input at which a prediction failed, and first of all what is unusual about it.
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
