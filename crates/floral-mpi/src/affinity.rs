//! The processor cores on which this process may run.

use std::num::NonZero;

/// The list of cores as the system reports it; empty if it does not. Ranks compare it to detect
/// that they share cores.
pub fn allowed() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mut lines = status.lines();
    let line = lines.find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    line.unwrap_or_default().trim().to_owned()
}

/// The number of cores.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}
