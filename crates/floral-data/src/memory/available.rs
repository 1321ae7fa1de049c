//! The memory that a process may still allocate, as reported by the system.

use std::path::Path;

use super::control_group;
use crate::{Error, Result};

/// Bytes that can be allocated without swapping: the free memory of the machine, or the remainder
/// of a limit of the process's control group or address space if that is lower. `None` if the
/// system does not report it.
pub fn available() -> Option<u64> {
    let machine = std::fs::read_to_string("/proc/meminfo").ok();
    let machine = machine.and_then(|text| kilobytes(&text, "MemAvailable:"));
    let group = control_group::left(Path::new("/sys/fs/cgroup"), "/proc/self/cgroup");
    machine
        .into_iter()
        .chain(group)
        .chain(left_of_limit())
        .min()
}

/// Refuses a computation that exceeds the available memory. Its need in bytes is the product of
/// `numbers`; `advice` states what to choose instead.
pub fn check_room(what: &str, numbers: &[usize], advice: &str) -> Result<()> {
    let needed: f64 = numbers.iter().map(|number| *number as f64).product();
    // A vector has at most isize::MAX bytes.
    let available = available().unwrap_or(isize::MAX as u64) as f64;
    if needed < available {
        return Ok(());
    }
    Err(Error::config(
        what,
        format!(
            "would take {} of memory and {} are available; {advice}",
            gigabytes(needed),
            gigabytes(available)
        ),
    ))
}

/// Gigabytes in text, such as "3.2 GB".
pub fn gigabytes(bytes: f64) -> String {
    format!("{:.1} GB", bytes / 1e9)
}

/// Bytes left by the limit of the process's address space (`ulimit -v`), if there is one.
fn left_of_limit() -> Option<u64> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let taken = kilobytes(&status, "VmSize:")?;
    Some(address_space(&limits)?.saturating_sub(taken))
}

/// The limit of address space in `/proc/self/limits`; none for "unlimited".
fn address_space(limits: &str) -> Option<u64> {
    let entry = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max address space"))?;
    entry.split_whitespace().next()?.parse().ok()
}

/// Bytes of freed memory that a program may keep for reuse: a quarter of the available memory.
pub fn spare_memory() -> usize {
    let quarter = available().map_or(1 << 30, |bytes| bytes / 4);
    usize::try_from(quarter).unwrap_or(usize::MAX)
}

/// The entry `name   123 kB` of a file in the proc file system, in bytes.
pub fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let entry = text.lines().find_map(|line| line.strip_prefix(name))?;
    let number: u64 = entry.split_whitespace().next()?.parse().ok()?;
    Some(number * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_proc_files_are_read_in_bytes() {
        let text = "MemTotal:       24 kB\nMemAvailable:    3 kB\n";
        assert_eq!(kilobytes(text, "MemAvailable:"), Some(3 * 1024));
        assert_eq!(kilobytes(text, "VmHWM:"), None);
    }

    #[test]
    fn a_limit_of_the_address_space_is_read_and_none_is_none() {
        let limited =
            "Limit   Soft Limit  Hard Limit  Units\nMax address space  2048  4096  bytes\n";
        assert_eq!(address_space(limited), Some(2048));
        let unlimited = limited.replace("2048", "unlimited");
        assert_eq!(address_space(&unlimited), None);
    }

    #[test]
    fn sizes_beyond_memory_are_refused_also_where_their_product_is_no_number_of_bytes() {
        assert!(check_room("a field", &[8, 1000], "").is_ok());
        for numbers in [&[8, 10_000_000_000_000][..], &[usize::MAX; 4]] {
            let words = check_room("a grid", numbers, "choose fewer points");
            let words = words.unwrap_err().to_string();
            assert!(words.starts_with("a grid: would take"), "{words}");
            assert!(words.ends_with("choose fewer points"), "{words}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_machine_has_memory_left() {
        assert!(available().unwrap() > 1 << 20);
    }
}
