//! The memory that a process may still take, and a refusal of what would take more.

mod available;
mod control_group;

pub use available::{available, check_room, gigabytes, kilobytes, spare_memory};
