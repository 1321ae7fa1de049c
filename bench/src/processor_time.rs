//! Processor time of this process, to which other programs on the machine do not contribute.

use std::fs;
use std::time::{Duration, Instant};

/// Clock ticks per second in proc(5), 100 on all systems that Rust supports.
const TICKS: f64 = 100.0;

/// Time after which workers without work have stopped running.
const SETTLING: Duration = Duration::from_millis(2);

/// Processor seconds of a process, from proc(5).
#[derive(Debug, Clone, Copy)]
struct Spent {
    /// Of the running threads, from schedstat, to the nanosecond.
    running: f64,
    /// Of all threads, those that have ended included, from stat, to the tick.
    all: f64,
}

impl Spent {
    /// Of this process; `None` on systems without proc(5).
    fn now() -> Option<Self> {
        let threads = fs::read_dir("/proc/self/task").ok()?;
        let nanoseconds = threads.flatten().filter_map(|thread| {
            let text = fs::read_to_string(thread.path().join("schedstat")).ok()?;
            text.split_whitespace().next()?.parse::<f64>().ok()
        });
        let running = nanoseconds.sum::<f64>() / 1e9;
        let text = fs::read_to_string("/proc/self/stat").ok()?;
        // Names of programs may contain blanks. Fields are numbered from 1: the name is field 2, and
        // the user and system times are fields 14 and 15.
        let (_, after_name) = text.rsplit_once(')')?;
        let ticks = after_name.split_whitespace().skip(11).take(2);
        let ticks = ticks.map(|field| field.parse::<f64>().ok());
        let all = ticks.sum::<Option<f64>>()? / TICKS;
        Some(Self { running, all })
    }

    /// Seconds since an earlier state. If threads have ended since then, their time is missing in
    /// `running`; otherwise `running` is more precise.
    fn since(self, earlier: Self) -> f64 {
        let running = self.running - earlier.running;
        let all = self.all - earlier.all;
        let is_missing = all - running > 2.0 / TICKS;
        if is_missing { all } else { running }
    }
}

/// A moment, on both the wall clock and the processor clock.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment {
    clock: Instant,
    processor: Option<Spent>,
}

impl Moment {
    pub(crate) fn now() -> Self {
        Self {
            clock: Instant::now(),
            processor: Spent::now(),
        }
    }

    /// Seconds since that moment that the work would take on an otherwise idle machine: elapsed
    /// time, or processor time if that is shorter. With several threads, processor time exceeds
    /// elapsed time by a factor of up to their number.
    pub(crate) fn undisturbed_seconds(&self) -> f64 {
        let clock = self.clock.elapsed().as_secs_f64();
        // The kernel books the time of a worker when it stops running: just after the work it may
        // still look for more, and up to a tick of its time would be missing.
        std::thread::sleep(SETTLING);
        let processor = Spent::now().zip(self.processor);
        let spent = processor.map(|(now, then)| now.since(then));
        let spent = spent.filter(|seconds| *seconds > 0.0);
        spent.map_or(clock, |seconds| clock.min(seconds))
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    fn compute() -> f64 {
        (0..100_000_000).map(|i| f64::from(i).sqrt()).sum()
    }

    /// One test, because the processor time is that of the whole process.
    #[test]
    fn computing_takes_processor_time_and_waiting_does_not() {
        let start = Moment::now();
        let sum = std::thread::spawn(compute).join().unwrap();
        let of_ended_thread = start.undisturbed_seconds();
        assert!(sum > 0.0 && of_ended_thread > 0.0);
        let start = Moment::now();
        std::thread::sleep(Duration::from_millis(300));
        let waited = start.undisturbed_seconds();
        assert!(waited < 0.3, "{waited}");
        let start = Moment::now();
        assert!(compute() > 0.0);
        let computed = start.undisturbed_seconds();
        assert!(computed > waited, "{computed} {waited}");
    }
}
