//! Processor time of this process, to which other programs on the machine do not contribute.

use std::fs;
use std::time::Instant;

/// Processor seconds of all running threads of this process, from schedstat in proc(5), in
/// nanoseconds; `None` on systems without it. Threads that have ended are not counted.
fn processor_seconds() -> Option<f64> {
    let threads = fs::read_dir("/proc/self/task").ok()?;
    let nanoseconds = threads.flatten().filter_map(|thread| {
        let text = fs::read_to_string(thread.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<f64>().ok()
    });
    Some(nanoseconds.sum::<f64>() / 1e9)
}

/// A moment, on both the wall clock and the processor clock.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment {
    clock: Instant,
    processor: Option<f64>,
}

impl Moment {
    pub(crate) fn now() -> Self {
        Self {
            clock: Instant::now(),
            processor: processor_seconds(),
        }
    }

    /// Seconds since that moment that the work would take on an otherwise idle machine: elapsed
    /// time, or processor time if that is shorter. With several threads, processor time exceeds
    /// elapsed time by a factor of up to their number.
    pub(crate) fn undisturbed_seconds(&self) -> f64 {
        let clock = self.clock.elapsed().as_secs_f64();
        let processor = processor_seconds().zip(self.processor);
        // The time of threads that have ended since then is lost.
        let spent = processor.map(|(now, then)| now - then);
        let spent = spent.filter(|seconds| *seconds > 0.0);
        spent.map_or(clock, |seconds| clock.min(seconds))
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn waiting_takes_no_processor_time_and_computing_does() {
        let start = Moment::now();
        std::thread::sleep(Duration::from_millis(300));
        assert!(start.clock.elapsed() >= Duration::from_millis(300));
        let waited = start.undisturbed_seconds();
        assert!(waited < 0.3, "{waited}");
        let start = Moment::now();
        let mut sum = 0.0f64;
        while start.undisturbed_seconds() < 0.05 {
            (0..10_000).for_each(|i| sum += f64::from(i).sqrt());
        }
        assert!(sum > 0.0 && start.clock.elapsed() >= Duration::from_millis(50));
    }
}
