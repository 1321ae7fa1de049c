//! Progress on the terminal: a bar with the time left, or a line now and then where there is none.

use std::cell::Cell;
use std::io::IsTerminal;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use floral::compare::Step;
use floral::dataset;
use floral::sample;
use floral::train::{self, EpochRecord};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressFinish, ProgressStyle};

/// Lines printed over a whole run when standard error is a file.
const LINES: usize = 10;

/// A bar that appears once its length is known; hidden where standard error is no terminal.
fn show(bar: &ProgressBar, template: &str, title: &str, total: usize, done: usize) {
    let style = ProgressStyle::with_template(template).expect("a template of known keys");
    bar.set_style(style.progress_chars("=> "));
    bar.set_prefix(title.to_owned());
    bar.set_length(total as u64);
    bar.set_position(done as u64);
    // What an earlier run has done must not count for this run's speed.
    bar.reset_eta();
    bar.set_draw_target(ProgressDrawTarget::stderr());
}

/// Whether a line is due: a tenth of the way more is done.
fn is_due(done: usize, total: usize) -> bool {
    done * LINES / total.max(1) != (done - 1) * LINES / total.max(1)
}

/// Progress of a generation, input by input.
pub struct InputProgress {
    bar: ProgressBar,
    title: String,
    total: AtomicUsize,
    done: AtomicUsize,
    plain: bool,
}

impl InputProgress {
    /// Nothing is shown before the work is known.
    pub fn new(title: &str) -> Self {
        Self {
            bar: ProgressBar::hidden().with_finish(ProgressFinish::AndClear),
            title: title.to_owned(),
            total: AtomicUsize::new(0),
            done: AtomicUsize::new(0),
            plain: !std::io::stderr().is_terminal(),
        }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl dataset::Observer for InputProgress {
    fn started(&self, total: usize, done: usize) {
        self.total.store(total, Ordering::SeqCst);
        self.done.store(done, Ordering::SeqCst);
        if done > 0 && done < total {
            eprintln!(
                "{}: continuing, {done} of {total} inputs are there",
                self.title
            );
        }
        let template = "{prefix} [{bar:30}] {pos}/{len} inputs, {per_sec}, {eta} left";
        show(&self.bar, template, &self.title, total, done);
    }

    fn finished_input(&self, _input: usize) {
        self.bar.inc(1);
        let done = self.done.fetch_add(1, Ordering::SeqCst) + 1;
        let total = self.total.load(Ordering::SeqCst);
        if self.plain && is_due(done, total) {
            eprintln!("{}: {done} of {total} inputs", self.title);
        }
    }
}

/// Progress of a training run, epoch by epoch.
pub struct EpochProgress {
    bar: ProgressBar,
    title: String,
    among: Option<MultiProgress>,
    work: Cell<Work>,
    last: Cell<Instant>,
    plain: bool,
}

#[derive(Clone, Copy, Default)]
struct Work {
    epochs: usize,
    steps: usize,
    samples: usize,
}

impl EpochProgress {
    /// Nothing is shown before the work is known.
    pub fn new(title: &str) -> Self {
        Self {
            bar: ProgressBar::hidden().with_finish(ProgressFinish::AndClear),
            title: title.to_owned(),
            among: None,
            work: Cell::default(),
            last: Cell::new(Instant::now()),
            plain: !std::io::stderr().is_terminal(),
        }
    }

    /// One of several runs that go on side by side.
    pub fn among(bars: &MultiProgress, title: &str) -> Self {
        Self {
            among: Some(bars.clone()),
            ..Self::new(title)
        }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl train::Observer for EpochProgress {
    fn started(&self, epoch: usize, epochs: usize, steps: usize, samples: usize) {
        self.work.set(Work {
            epochs,
            steps,
            samples,
        });
        if epoch > 0 {
            eprintln!("{}: continuing after epoch {epoch} of {epochs}", self.title);
        }
        let template = "{prefix} [{bar:30}] {msg}, {eta} left at most";
        show(
            &self.bar,
            template,
            &self.title,
            epochs * steps,
            epoch * steps,
        );
        if let Some(bars) = &self.among {
            bars.add(self.bar.clone());
        }
        self.bar.set_message("first epoch");
        self.last.set(Instant::now());
    }

    fn finished_step(&self, epoch: usize, step: usize, _loss: f64) {
        self.bar
            .set_position((epoch * self.work.get().steps + step + 1) as u64);
    }

    fn finished_epoch(&self, record: &EpochRecord) {
        let Work {
            epochs, samples, ..
        } = self.work.get();
        let rate = samples as f64 / self.last.replace(Instant::now()).elapsed().as_secs_f64();
        let message = format!(
            "epoch {}/{epochs}, loss {:.4}, validation {:.4}, {rate:.0} samples/s",
            record.epoch, record.train_loss, record.validation_loss
        );
        if self.plain && (record.epoch == 1 || is_due(record.epoch, epochs)) {
            eprintln!("{}: {message}", self.title);
        }
        self.bar.set_message(message);
    }
}

/// Progress of predictions, realization by realization over all inputs.
pub struct RealizationProgress {
    bar: ProgressBar,
    title: String,
    among: Option<MultiProgress>,
    done: AtomicUsize,
    plain: bool,
}

impl RealizationProgress {
    /// Nothing is shown before the work is known.
    pub fn new(title: &str) -> Self {
        Self {
            bar: ProgressBar::hidden().with_finish(ProgressFinish::AndClear),
            title: title.to_owned(),
            among: None,
            done: AtomicUsize::new(0),
            plain: !std::io::stderr().is_terminal(),
        }
    }

    /// So many of the inputs are there from an earlier run.
    pub fn found(&self, done: usize, inputs: usize) {
        if done > 0 && done < inputs {
            eprintln!(
                "{}: continuing, {done} of {inputs} inputs are there",
                self.title
            );
        }
    }

    /// One of several that go on side by side.
    pub fn among(bars: &MultiProgress, title: &str) -> Self {
        Self {
            among: Some(bars.clone()),
            ..Self::new(title)
        }
    }

    /// The input at `position` of so many has come this far.
    pub fn advance(&self, position: usize, inputs: usize, progress: sample::Progress) {
        let total = inputs * progress.total;
        let done = position * progress.total + progress.done;
        let before = self.done.swap(done, Ordering::SeqCst);
        if before == 0 {
            let template = "{prefix} [{bar:30}] {pos}/{len} realizations, {per_sec}, {eta} left";
            show(&self.bar, template, &self.title, total, 0);
            if let Some(bars) = &self.among {
                bars.add(self.bar.clone());
            }
        }
        self.bar.set_position(done as u64);
        if self.plain && done * LINES / total.max(1) != before * LINES / total.max(1) {
            eprintln!("{}: {done} of {total} realizations", self.title);
        }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// Progress of a report, prediction by prediction.
pub struct StepProgress {
    bar: ProgressBar,
    done: AtomicUsize,
    plain: bool,
}

/// Parts of one prediction that the bar tells apart.
const PARTS: usize = 100;

impl StepProgress {
    /// Nothing is shown before the work is known.
    pub fn new() -> Self {
        Self {
            bar: ProgressBar::hidden().with_finish(ProgressFinish::AndClear),
            done: AtomicUsize::new(0),
            plain: !std::io::stderr().is_terminal(),
        }
    }

    /// A comparison has come this far.
    pub fn advance(&self, step: &Step) {
        let share = step
            .progress
            .map_or(PARTS, |p| PARTS * p.done / p.total.max(1));
        let (done, total) = (step.done * PARTS + share, step.total * PARTS);
        let before = self.done.swap(done, Ordering::SeqCst);
        if before == 0 {
            let template = "{prefix} [{bar:30}] {msg}, {eta} left";
            show(&self.bar, template, "report", total, 0);
        }
        self.bar.set_position(done as u64);
        let message = format!("{} of {} predictions, {}", step.done, step.total, step.run);
        if self.plain && done * LINES / total.max(1) != before * LINES / total.max(1) {
            eprintln!("report: {message}");
        }
        self.bar.set_message(message);
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
