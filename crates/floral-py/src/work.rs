//! Long work outside the interpreter: other Python threads run, Ctrl-C works, progress is reported.
//!
//! The calling thread hands the work to the pool and waits. At intervals it takes the interpreter lock
//! briefly, to handle signals and to call the caller's progress function; the worker threads never do.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use floral::{Event, Observer};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::error::{guarded, raised};
use crate::threads::pool;

/// The longest delay before Ctrl-C is handled.
const INTERVAL: Duration = Duration::from_millis(100);

/// Runs long work; `watcher` is called with stage, amount done, total and message.
pub fn watched<T: Send>(
    py: Python<'_>,
    watcher: Option<&Py<PyAny>>,
    work: impl FnOnce(&dyn Observer) -> floral::Result<T> + Send,
) -> PyResult<T> {
    let pool = pool()?;
    let watch = Watch::default();
    let mut stopped = None;
    let outcome = py.detach(|| {
        let (finish, finished) = sync_channel(1);
        pool.in_place_scope(|scope| {
            let watch = &watch;
            scope.spawn(move |_| drop(finish.send(guarded(|| work(watch)))));
            loop {
                match finished.recv_timeout(INTERVAL) {
                    Ok(outcome) => break Some(outcome),
                    // The pool dropped the work without running it to its end.
                    Err(RecvTimeoutError::Disconnected) => break None,
                    Err(RecvTimeoutError::Timeout) => {
                        if let Err(error) = Python::attach(|py| watch.report(py, watcher)) {
                            watch.stop.store(true, Ordering::SeqCst);
                            stopped.get_or_insert(error);
                        }
                    }
                }
            }
        })
    });
    match (stopped, outcome) {
        (Some(error), _) => Err(error),
        (None, Some(outcome)) => outcome?.map_err(|error| raised(py, error)),
        (None, None) => Err(PyRuntimeError::new_err("the work ended without an outcome")),
    }
}

/// Runs short work on all threads, without the interpreter lock.
pub fn short<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> floral::Result<T> + Send,
) -> PyResult<T> {
    let pool = pool()?;
    let outcome = py.detach(|| guarded(|| pool.install(work)))?;
    outcome.map_err(|error| raised(py, error))
}

/// State that the worker threads and the waiting thread share.
#[derive(Default)]
struct Watch {
    stop: AtomicBool,
    state: Mutex<State>,
}

/// The progress of the work.
#[derive(Default, Clone)]
struct State {
    stage: String,
    done: f64,
    total: f64,
    words: String,
    steps: f64,
    is_new: bool,
}

impl Watch {
    /// Handles pending signals, and reports new progress.
    fn report(&self, py: Python<'_>, watcher: Option<&Py<PyAny>>) -> PyResult<()> {
        py.check_signals()?;
        let state = {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            let now = state.clone();
            state.is_new = false;
            now
        };
        match watcher {
            Some(watcher) if state.is_new => {
                let State {
                    stage,
                    done,
                    total,
                    words,
                    ..
                } = state;
                watcher.call1(py, (stage, done, total, words)).map(|_| ())
            }
            _ => Ok(()),
        }
    }
}

impl State {
    fn begin(&mut self, stage: &str, done: f64, total: f64) {
        *self = Self {
            stage: stage.to_owned(),
            done,
            total,
            ..Self::default()
        };
    }

    /// Records progress; a new stage begins when the name or the total changes.
    fn reach(&mut self, stage: &str, done: f64, total: f64) {
        if self.stage != stage || self.total != total {
            self.begin(stage, done, total);
        }
        self.done = done;
    }
}

impl Observer for Watch {
    fn observe(&self, event: &Event<'_>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match *event {
            Event::Inputs { done, total } => state.begin("inputs", done as f64, total as f64),
            Event::Generated { .. } => state.done += 1.0,
            Event::Training {
                epoch,
                epochs,
                steps,
                ..
            } => {
                let [epoch, epochs, steps] = [epoch, epochs, steps].map(|n| n as f64);
                state.begin("training", epoch * steps, epochs * steps);
                state.steps = steps;
            }
            Event::Step { epoch, step, .. } => {
                state.done = epoch as f64 * state.steps + step as f64 + 1.0;
            }
            Event::Epoch(record) => {
                let (loss, validation) = (record.train_loss, record.validation_loss);
                state.words = format!("loss {loss:.4}, validation {validation:.4}");
            }
            Event::Fitting { of, done, total } => {
                state.reach(&format!("fitting the {of}"), done as f64, total as f64);
            }
            Event::Stacking { done, total, .. } => {
                state.reach("training the network", done as f64, total as f64);
            }
            Event::Realizations(progress) => {
                state.reach("realizations", progress.done as f64, progress.total as f64);
            }
            Event::Prediction {
                done,
                total,
                progress,
                ..
            } => {
                let share = progress.map_or(1.0, |p| p.done as f64 / p.total.max(1) as f64);
                state.reach("predictions", done as f64 + share, total as f64);
            }
            _ => return,
        }
        state.is_new = true;
    }

    fn should_stop(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }
}
