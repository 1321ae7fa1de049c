//! The cores that this process may run on.

use std::num::NonZero;

/// Their list as the system reports it, by which ranks detect that they share cores; empty where the
/// system does not report it.
pub fn allowed() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mut lines = status.lines();
    let line = lines.find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    line.unwrap_or_default().trim().to_owned()
}

/// Their number.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}
