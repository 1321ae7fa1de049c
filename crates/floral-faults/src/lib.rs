//! Faults of file operations, for the campaign and for tests: file operations pass through here, so
//! that nothing of it is in a build that ships.

pub mod injection;
