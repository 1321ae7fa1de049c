//! Reports the progress of all ranks to the observer of rank 0, and distributes a request to stop.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::{Counter, Ranks, agreed};
use crate::observer::{Event, Observer};
use crate::{Error, Result};

/// Interval between messages to other ranks.
const BETWEEN_WORDS: Duration = Duration::from_millis(300);

/// Tracks one rank's share of the work on inputs; on rank 0, reports the progress of all ranks.
pub struct Watch<'a> {
    ranks: &'a dyn Ranks,
    observer: &'a dyn Observer,
    /// Value of the counter of finished inputs before the work, on rank 0.
    before: u64,
    /// Inputs finished on this rank but not yet counted.
    uncounted: AtomicU64,
    /// On rank 0: inputs of other ranks reported so far.
    reported: AtomicU64,
    is_stopped: AtomicBool,
    last: Mutex<Instant>,
}

impl<'a> Watch<'a> {
    /// Starts a watch; a collective call.
    pub fn new(ranks: &'a dyn Ranks, observer: &'a dyn Observer) -> Result<Self> {
        let before = ranks.is_first().then(|| ranks.count(Counter::Done, 0));
        ranks.gather(Vec::new(), &mut || {})?;
        Ok(Self {
            ranks,
            observer,
            before: before.transpose()?.unwrap_or(0),
            uncounted: AtomicU64::new(0),
            reported: AtomicU64::new(0),
            is_stopped: AtomicBool::new(false),
            last: Mutex::new(Instant::now()),
        })
    }

    /// Records a finished input of this rank.
    pub fn done(&self) {
        if !self.ranks.is_first() {
            self.uncounted.fetch_add(1, Ordering::SeqCst);
        }
        self.talk();
    }

    /// Exchanges progress with other ranks, at most once per interval.
    pub fn talk(&self) {
        if self.ranks.size() == 1 || !self.is_time() {
            return;
        }
        if self.ranks.is_first() {
            self.hear();
        } else {
            let uncounted = self.uncounted.swap(0, Ordering::SeqCst);
            // A rank that cannot be reached has exited.
            let _ = self.ranks.count(Counter::Done, uncounted);
        }
        let stops = self.ranks.count(Counter::Stop, 0).is_ok_and(|n| n > 0);
        self.is_stopped.fetch_or(stops, Ordering::SeqCst);
    }

    /// Waits until every rank has finished its share. A rank with an error does not wait; an
    /// interrupted rank does, because the others learn of the interruption.
    pub fn finished<T>(&self, done: Result<T>) -> Result<T> {
        match done {
            Ok(_) | Err(Error::Interrupted) => agreed(self.ranks, done, &mut || self.talk()),
            Err(error) => Err(error),
        }
    }

    /// Reports the inputs that other ranks have finished since the last call.
    fn hear(&self) {
        let all = self.ranks.count(Counter::Done, 0).unwrap_or(self.before);
        let others = all.saturating_sub(self.before);
        let inputs = others - self.reported.swap(others, Ordering::SeqCst).min(others);
        if inputs > 0 {
            let inputs = inputs as usize;
            self.observer.observe(&Event::GeneratedElsewhere { inputs });
        }
    }

    fn is_time(&self) -> bool {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let is_time = last.elapsed() > BETWEEN_WORDS;
        if is_time {
            *last = Instant::now();
        }
        is_time
    }
}

impl Observer for Watch<'_> {
    fn observe(&self, event: &Event<'_>) {
        self.talk();
        if self.ranks.is_first() {
            self.observer.observe(event);
        }
    }

    fn should_stop(&self) -> bool {
        self.talk();
        if self.observer.should_stop() && !self.is_stopped.swap(true, Ordering::SeqCst) {
            // Other ranks learn of the stop; a failure means that they have exited.
            let _ = self.ranks.count(Counter::Stop, 1);
        }
        self.is_stopped.load(Ordering::SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Threads;
    use super::*;

    /// Counts the inputs reported by other ranks.
    #[derive(Default)]
    struct Counter(AtomicU64);

    impl Observer for Counter {
        fn observe(&self, event: &Event<'_>) {
            if let Event::GeneratedElsewhere { inputs } = event {
                self.0.fetch_add(*inputs as u64, Ordering::SeqCst);
            }
        }
    }

    #[test]
    fn rank_0_hears_of_all_and_a_stop_reaches_every_rank() {
        let stop = AtomicBool::new(false);
        let counter = Counter::default();
        let ends = Threads::run(3, 1, |ranks| {
            let observer: &dyn Observer = match ranks.rank() {
                0 => &counter,
                1 => &stop,
                _ => &crate::Silent,
            };
            let watch = Watch::new(ranks, observer)?;
            (0..7).for_each(|_| watch.done());
            while ranks.is_first() && counter.0.load(Ordering::SeqCst) < 14 {
                watch.talk();
            }
            // Set after rank 0 has received all reports, and thus after every rank has begun.
            stop.fetch_or(ranks.is_first(), Ordering::SeqCst);
            while !watch.should_stop() {
                watch.talk();
            }
            Ok(())
        });
        assert!(ends.iter().all(Result::is_ok));
        assert_eq!(counter.0.load(Ordering::SeqCst), 14);
    }
}
