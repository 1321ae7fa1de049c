//! Faults of file operations, for the campaign and for tests. The library's operations are routed
//! through this crate, so that no build that is shipped contains any of it.

pub mod injection;
