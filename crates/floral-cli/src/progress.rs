//! Progress on standard error: a bar with the time left on a terminal, an occasional line elsewhere.
//!
//! [`Progress`] shows one long piece of work of the library; a
//! [`StepLog`](crate::step_log::StepLog) combines several.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use floral::kl::Symmetry;
use floral::observer::{FoundSymmetries, Outlier};
use floral::sample;
use floral::train::EpochRecord;
use floral::{Event, Observer};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressFinish, ProgressStyle};
use serde_json::{Value, json};

use crate::duration::readable;
use crate::interrupt;
use crate::output::{self, Shown};

/// Number of lines printed over a whole run when standard error is a file.
const LINES: usize = 10;

/// Number of events printed over a whole run with `--log json`.
const EVENTS: usize = 100;

/// Steps of the bar per prediction.
const PARTS: usize = 1000;

/// Shows the progress of one piece of work, and passes on the request to stop.
pub struct Progress<'a> {
    title: String,
    bar: ProgressBar,
    among: Option<MultiProgress>,
    shown: Shown,
    state: Mutex<State>,
    stop: &'a dyn Observer,
}

struct State {
    begun: bool,
    done: usize,
    total: usize,
    steps: usize,
    samples: usize,
    last: Instant,
}

impl Default for State {
    fn default() -> Self {
        Self {
            begun: false,
            done: 0,
            total: 0,
            steps: 0,
            samples: 0,
            last: Instant::now(),
        }
    }
}

impl<'a> Progress<'a> {
    /// Shows nothing until the amount of work is known.
    pub fn new(title: &str, stop: &'a dyn Observer) -> Self {
        Self {
            title: title.to_owned(),
            bar: ProgressBar::hidden().with_finish(ProgressFinish::AndClear),
            among: None,
            shown: output::shown(),
            state: Mutex::default(),
            stop,
        }
    }

    /// Runs work that a user waits for and that Ctrl-C stops.
    pub fn during<T, E: Into<anyhow::Error>>(
        title: &str,
        work: impl FnOnce(&Progress<'_>) -> Result<T, E>,
    ) -> anyhow::Result<T> {
        let progress = Progress::new(title, interrupt::flag()?);
        let outcome = work(&progress);
        progress.finish();
        outcome.map_err(Into::into)
    }

    /// The same progress, with its bar among others.
    pub fn among(self, bars: &MultiProgress, shown: Shown) -> Self {
        Self {
            among: Some(bars.clone()),
            shown,
            ..self
        }
    }

    /// Prints a line apart from the bar.
    pub fn message(&self, words: &str) {
        let line = format!("{}: {words}", self.title);
        self.bar.suspend(|| output::message(&line));
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    /// Shows the bar; `done` was completed by an earlier call.
    fn begin(&self, state: &mut State, template: &str, total: usize, done: usize) {
        *state = State {
            begun: true,
            done,
            total,
            ..State::default()
        };
        if self.shown != Shown::Bar {
            return;
        }
        let style = ProgressStyle::with_template(template).expect("a template of known keys");
        self.bar.set_style(style.progress_chars("=> "));
        self.bar.set_prefix(self.title.clone());
        self.bar.set_length(total as u64);
        self.bar.set_position(done as u64);
        // Work of an earlier call must not count towards the speed of this one.
        self.bar.reset_eta();
        self.bar.set_draw_target(ProgressDrawTarget::stderr());
        if let Some(bars) = &self.among {
            bars.add(self.bar.clone());
        }
    }

    /// Moves the bar; without a bar, prints a line per tenth, or an event per hundredth, of the
    /// work.
    fn advance(&self, state: &mut State, done: usize, message: impl Fn() -> String) {
        let total = state.total.max(1);
        let lines = match self.shown {
            Shown::Events => EVENTS,
            _ => LINES,
        };
        let part = |done: usize| done * lines / total;
        // `done` may decrease: if more realizations turn out to be needed, the finished share
        // falls.
        let is_due = part(done) > part(state.done);
        state.done = state.done.max(done);
        match self.shown {
            Shown::Bar => {
                self.bar.set_message(message());
                self.bar.set_position(done as u64);
            }
            Shown::Lines | Shown::Events if is_due => {
                self.report(&message(), done as f64 / total as f64, json!({}));
            }
            _ => {}
        }
    }

    /// Prints a line, with the finished share as a fact for programs.
    fn report(&self, words: &str, share: f64, mut facts: Value) {
        let title = &self.title;
        facts["title"] = json!(title);
        facts["share"] = json!(share.clamp(0.0, 1.0));
        output::progress(&format!("{title}: {words}"), facts);
    }

    fn inputs(&self, state: &mut State, done: usize, total: usize) {
        if done > 0 && done < total && self.shown != Shown::Nothing {
            let words = format!("continuing, {done} of {total} inputs are done");
            self.report(&words, done as f64 / total as f64, json!({}));
        }
        let template = "{prefix} [{bar:30}] {pos}/{len} inputs, {per_sec}, {eta} left";
        self.begin(state, template, total, done);
    }

    fn generated(&self, state: &mut State, inputs: usize) {
        let (done, total) = (state.done + inputs, state.total);
        self.advance(state, done, || format!("{done} of {total} inputs"));
    }

    fn training(&self, state: &mut State, epoch: usize, epochs: usize, steps: usize) {
        if epoch > 0 && self.shown != Shown::Nothing {
            let words = format!("continuing after epoch {epoch} of {epochs}");
            self.report(&words, epoch as f64 / epochs as f64, json!({}));
        }
        let template = "{prefix} [{bar:30}] {msg}, {eta} left at most";
        self.begin(state, template, epochs * steps, epoch * steps);
        state.steps = steps;
        self.bar.set_message("first epoch");
    }

    fn fitting(&self, state: &mut State, of: &str, done: usize, total: usize) {
        if !state.begun || done == 0 {
            let template = "{prefix} [{bar:30}] {msg}, {eta} left";
            self.begin(state, template, total, done);
        }
        let message = || format!("{done} of {total} candidates for the {of} fitted");
        self.advance(state, done, message);
    }

    fn stacking(&self, state: &mut State, done: usize, total: usize, left: Option<Duration>) {
        if !state.begun || done == 0 {
            let template = "{prefix} [{bar:30}] {msg}, {eta} left";
            self.begin(state, template, total, done);
        }
        let message = || {
            let left =
                left.map(|left| format!(", {} of the budget left", readable(left.as_secs_f64())));
            let left = left.unwrap_or_default();
            format!(
                "{done} of {total} steps of the network on the residual of the regressions{left}"
            )
        };
        self.advance(state, done, message);
    }

    fn epoch(&self, state: &mut State, record: &EpochRecord) {
        let seconds = state.last.elapsed().as_secs_f64();
        state.last = Instant::now();
        let (rate, epochs) = (
            state.samples as f64 / seconds,
            state.total / state.steps.max(1),
        );
        let message = format!(
            "epoch {}/{epochs}, loss {:.4}, validation {:.4}, {rate:.0} samples/s",
            record.epoch, record.train_loss, record.validation_loss
        );
        self.bar.set_message(message.clone());
        let tenth = |epoch: usize| epoch * LINES / epochs.max(1);
        let is_due = record.epoch == 1 || tenth(record.epoch) != tenth(record.epoch - 1);
        // A program may need every epoch.
        if self.shown == Shown::Events || self.shown == Shown::Lines && is_due {
            let facts = json!({
                "epoch": record.epoch,
                "epochs": epochs,
                "train_loss": record.train_loss,
                "validation_loss": record.validation_loss,
                "learning_rate": record.learning_rate,
                "is_best": record.is_best,
            });
            self.report(&message, record.epoch as f64 / epochs as f64, facts);
        }
    }

    fn prediction(&self, state: &mut State, event: &Event<'_>) {
        let Event::Prediction {
            method,
            done,
            total,
            progress,
        } = *event
        else {
            return;
        };
        if !state.begun || state.total != total * PARTS {
            let template = "{prefix} [{bar:30}] {msg}, {eta} left";
            self.begin(state, template, total * PARTS, done * PARTS);
        }
        let share = |p: sample::Progress| PARTS * p.done / p.total.max(1);
        let parts = done * PARTS + progress.map_or(PARTS, share);
        let done = parts / PARTS;
        let message = || match progress {
            Some(p) if p.total > 1 => format!(
                "{done} of {total} predictions, {method}, {} of {} realizations",
                p.done, p.total
            ),
            _ => format!("{done} of {total} predictions, {method}"),
        };
        self.advance(state, parts, message);
    }
}

/// Which realization is left out, and why.
fn left_out(outlier: &Outlier) -> String {
    format!(
        "realization {} of training input {} is left out as an outlier: it is {:.0} times as far from \
         the others of its input as is typical",
        outlier.realization, outlier.input, outlier.distance
    )
}

/// The symmetries that were found, and those that the data contradict.
fn symmetries(found: &FoundSymmetries) -> Vec<String> {
    let list = |all: &[Symmetry]| {
        let names: Vec<String> = all.iter().map(Symmetry::to_string).collect();
        names.join(" ")
    };
    let mut notes = Vec::new();
    if !found.periodic.is_empty() {
        notes.push(format!(
            "periodic axes found in the data: {}",
            found.periodic.join(", ")
        ));
    }
    if !found.symmetries.is_empty() {
        notes.push(format!(
            "symmetries found in the data: {}",
            list(&found.symmetries)
        ));
    }
    if !found.contradicted.is_empty() {
        notes.push(format!(
            "held-out inputs are predicted worse with {}; it is used as declared: remove it unless it \
             is known to hold",
            list(&found.contradicted)
        ));
    }
    notes
}

impl Observer for Progress<'_> {
    fn observe(&self, event: &Event<'_>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let state = &mut *state;
        match *event {
            Event::Inputs { done, total } => self.inputs(state, done, total),
            Event::Generated { .. } => self.generated(state, 1),
            Event::GeneratedElsewhere { inputs } => self.generated(state, inputs),
            Event::Training {
                epoch,
                epochs,
                steps,
                samples,
            } => {
                self.training(state, epoch, epochs, steps);
                state.samples = samples;
            }
            Event::Step { epoch, step, .. } => {
                let done = epoch * state.steps + step + 1;
                state.done = done;
                self.bar.set_position(done as u64);
            }
            Event::Epoch(record) => self.epoch(state, record),
            Event::Prediction { .. } => self.prediction(state, event),
            Event::Fitting { of, done, total } => self.fitting(state, of, done, total),
            Event::Stacking { done, total, left } => self.stacking(state, done, total, left),
            Event::Budget(words) => self.bar.suspend(|| output::note(words)),
            Event::Outlier(outlier) => self.bar.suspend(|| output::note(&left_out(outlier))),
            Event::Symmetries(found) => self.bar.suspend(|| output::notes(&symmetries(found))),
            _ => {}
        }
    }

    fn should_stop(&self) -> bool {
        self.stop.should_stop()
    }
}
