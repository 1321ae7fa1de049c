//! The peak of this process's memory, if the system reports it.

use floral::cost::kilobytes;

/// Runs `work`; returns its outcome and the maximum of resident bytes, or `None` if the system does
/// not report it.
pub fn peak_of<T>(work: impl FnOnce() -> T) -> (T, Option<u64>) {
    let is_reset = reset();
    let outcome = work();
    (outcome, peak().filter(|_| is_reset))
}

/// Resets the peak to the bytes resident now: proc(5), /proc/pid/clear_refs.
fn reset() -> bool {
    std::fs::write("/proc/self/clear_refs", "5").is_ok()
}

fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    kilobytes(&status, "VmHWM:")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_was_touched_is_part_of_the_peak() {
        let size = 64 << 20;
        let (sum, peak) = peak_of(|| {
            let touched = vec![1u8; size];
            touched.iter().map(|&v| u64::from(v)).sum::<u64>()
        });
        assert_eq!(sum, size as u64);
        assert!(peak.is_none_or(|peak| peak >= size as u64));
    }
}
