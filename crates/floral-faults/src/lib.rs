//! Faults of file operations, for the campaign and for tests: the library is told to pass by here, so
//! that nothing of it is in a build that ships.

pub mod injection;
