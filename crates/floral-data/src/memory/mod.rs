//! The memory that a process may still allocate, and a check of planned allocations.

mod available;
mod control_group;

pub use available::{available, check_room, gigabytes, kilobytes, spare_memory};
