//! Progress on the terminal: a bar with the time left, or a line now and then where there is none.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicUsize, Ordering};

use floral::dataset::Observer;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Lines printed over a whole run when standard error is a file.
const LINES: usize = 10;

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
            bar: ProgressBar::hidden(),
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

impl Observer for InputProgress {
    fn started(&self, total: usize, done: usize) {
        self.total.store(total, Ordering::SeqCst);
        self.done.store(done, Ordering::SeqCst);
        if done > 0 && done < total {
            eprintln!(
                "{}: continuing, {done} of {total} inputs are there",
                self.title
            );
        }
        if self.plain {
            return;
        }
        let template = "{prefix} [{bar:30}] {pos}/{len} inputs, {per_sec}, {eta} left";
        let style = ProgressStyle::with_template(template).expect("a template of known keys");
        self.bar.set_style(style.progress_chars("=> "));
        self.bar.set_prefix(self.title.clone());
        self.bar.set_length(total as u64);
        self.bar.set_position(done as u64);
        // Finished inputs of an earlier run must not count for this run's speed.
        self.bar.reset_eta();
        self.bar.set_draw_target(ProgressDrawTarget::stderr());
    }

    fn finished_input(&self, _input: usize) {
        self.bar.inc(1);
        let done = self.done.fetch_add(1, Ordering::SeqCst) + 1;
        let total = self.total.load(Ordering::SeqCst);
        if self.plain && done * LINES / total != (done - 1) * LINES / total {
            eprintln!("{}: {done} of {total} inputs", self.title);
        }
    }
}
