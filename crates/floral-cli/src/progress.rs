//! Progress on standard error: a bar with the time left on a terminal, a line now and then elsewhere.
//!
//! [`Progress`] watches one long piece of work of the library; a [`Narrator`] tells of several in a
//! row or side by side, as `quickstart` and `reproduce` have them.

use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use floral::sample;
use floral::train::EpochRecord;
use floral::{Event, Observer};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressFinish, ProgressStyle};

use crate::output::tell;

/// Lines printed over a whole run when standard error is a file.
const LINES: usize = 10;

/// Parts of one prediction that a bar tells apart.
const PARTS: usize = 1000;

/// Shows how one piece of work goes, and hands on the wish to stop.
pub struct Progress<'a> {
    title: String,
    bar: ProgressBar,
    among: Option<MultiProgress>,
    shown: Shown,
    state: Mutex<State>,
    stop: &'a dyn Observer,
}

/// What is shown of the events.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    Bar,
    Lines,
    Nothing,
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
    /// Nothing is shown before the work is known.
    pub fn new(title: &str, stop: &'a dyn Observer) -> Self {
        let shown = if std::io::stderr().is_terminal() {
            Shown::Bar
        } else {
            Shown::Lines
        };
        Self {
            title: title.to_owned(),
            bar: ProgressBar::hidden().with_finish(ProgressFinish::AndClear),
            among: None,
            shown,
            state: Mutex::default(),
            stop,
        }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    /// The bar appears, so much of it done by an earlier call.
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
        // What an earlier call has done must not count for this one's speed.
        self.bar.reset_eta();
        self.bar.set_draw_target(ProgressDrawTarget::stderr());
        if let Some(bars) = &self.among {
            bars.add(self.bar.clone());
        }
    }

    /// Moves the bar; a tenth of the way more is a line where there is no bar.
    fn advance(&self, state: &mut State, done: usize, message: impl Fn() -> String) {
        let tenth = |done: usize| done * LINES / state.total.max(1);
        let is_due = tenth(done) != tenth(state.done);
        state.done = done;
        match self.shown {
            Shown::Bar => {
                self.bar.set_message(message());
                self.bar.set_position(done as u64);
            }
            Shown::Lines if is_due => tell(&format!("{}: {}", self.title, message())),
            _ => {}
        }
    }

    fn inputs(&self, state: &mut State, done: usize, total: usize) {
        if done > 0 && done < total && self.shown != Shown::Nothing {
            let title = &self.title;
            tell(&format!(
                "{title}: continuing, {done} of {total} inputs are there"
            ));
        }
        let template = "{prefix} [{bar:30}] {pos}/{len} inputs, {per_sec}, {eta} left";
        self.begin(state, template, total, done);
    }

    fn training(&self, state: &mut State, epoch: usize, epochs: usize, steps: usize) {
        if epoch > 0 && self.shown != Shown::Nothing {
            let title = &self.title;
            tell(&format!(
                "{title}: continuing after epoch {epoch} of {epochs}"
            ));
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
        if self.shown == Shown::Lines && is_due {
            tell(&format!("{}: {message}", self.title));
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

impl Observer for Progress<'_> {
    fn observe(&self, event: &Event<'_>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let state = &mut *state;
        match *event {
            Event::Inputs { done, total } => self.inputs(state, done, total),
            Event::Generated { .. } => {
                let (done, total) = (state.done + 1, state.total);
                self.advance(state, done, || format!("{done} of {total} inputs"));
            }
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
            _ => {}
        }
    }

    fn should_stop(&self) -> bool {
        self.stop.should_stop()
    }
}

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
        let shown = if std::io::stderr().is_terminal() {
            Shown::Bar
        } else {
            Shown::Lines
        };
        Self {
            bars: MultiProgress::new(),
            shown,
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
            self.bars.suspend(|| tell(line));
        }
    }

    /// Watches a piece of work, beside others that go on.
    pub fn watch(&self, title: &str) -> Progress<'a> {
        Progress {
            among: Some(self.bars.clone()),
            // The lines of the story are enough where there are no bars.
            shown: if self.shown == Shown::Bar {
                Shown::Bar
            } else {
                Shown::Nothing
            },
            ..Progress::new(title, self.stop)
        }
    }

    /// Whether the work is to stop.
    pub fn should_stop(&self) -> bool {
        self.stop.should_stop()
    }
}
