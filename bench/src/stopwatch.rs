//! The best of several rounds within a budget of time.

use std::time::Instant;

use floral::Result;

use crate::processor_time::Moment;

/// How long to measure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stopwatch {
    /// Seconds after which no further round begins.
    pub seconds: f64,
    /// Rounds at most, besides the first.
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
    /// The first round warms caches and allocators, and counts only if there is time for no other. On one thread
    /// the time is that of the processor, to which other programs do not add.
    pub fn best<T>(&self, work: impl FnMut() -> Result<T>) -> Result<f64> {
        if rayon::current_num_threads() == 1 {
            return self.best_undisturbed(work);
        }
        self.least(work, |start| start.elapsed().as_secs_f64(), Instant::now)
    }

    /// The same of work on this machine's processors, as if no other program used them: seconds of the
    /// clock, or of processor time where these are fewer.
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
