//! The fastest of several rounds within a time budget.

use std::time::Instant;

use floral::Result;

use crate::processor_time::Moment;

/// The duration of a measurement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stopwatch {
    /// Seconds after which no further round starts.
    pub seconds: f64,
    /// Maximum number of rounds besides the first.
    pub rounds: usize,
}

impl Stopwatch {
    /// A single round.
    pub const ONCE: Self = Self {
        seconds: 0.0,
        rounds: 0,
    };

    /// Seconds of the fastest round.
    ///
    /// The first round warms caches and allocators, and counts only if there is no time for
    /// another. On one thread processor time is measured, to which other programs do not
    /// contribute.
    pub fn best<T>(&self, work: impl FnMut() -> Result<T>) -> Result<f64> {
        if rayon::current_num_threads() == 1 {
            return self.best_undisturbed(work);
        }
        self.least(work, |start| start.elapsed().as_secs_f64(), Instant::now)
    }

    /// Seconds of the fastest round on this machine's CPU, as if no other program used it: elapsed
    /// time, or processor time if that is shorter.
    pub fn best_undisturbed<T>(&self, work: impl FnMut() -> Result<T>) -> Result<f64> {
        self.least(work, Moment::undisturbed_seconds, Moment::now)
    }

    fn least<T, M>(
        &self,
        mut work: impl FnMut() -> Result<T>,
        since: impl Fn(&M) -> f64,
        now: impl Fn() -> M,
    ) -> Result<f64> {
        let (begun, start) = (Instant::now(), now());
        work()?;
        let first = since(&start);
        let mut best = f64::INFINITY;
        for _ in 0..self.rounds {
            if begun.elapsed().as_secs_f64() > self.seconds {
                break;
            }
            let start = now();
            work()?;
            best = best.min(since(&start));
        }
        Ok(if best.is_finite() { best } else { first })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_done_once_more_than_there_are_rounds_and_once_if_there_is_no_time() {
        for (seconds, expected) in [(1e6, 4), (0.0, 1)] {
            let mut count = 0;
            let watch = Stopwatch { seconds, rounds: 3 };
            let best = watch.best(|| {
                count += 1;
                Ok(())
            });
            assert!(best.unwrap() >= 0.0);
            assert_eq!(count, expected);
        }
    }

    #[test]
    fn a_failure_ends_the_measurement() {
        let watch = Stopwatch {
            seconds: 1.0,
            rounds: 3,
        };
        let failed = watch.best(|| Err::<(), _>(floral::Error::Row { row: 1, rows: 1 }));
        assert!(failed.is_err());
    }
}
