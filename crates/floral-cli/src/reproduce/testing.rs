//! A tiny experiment: every step runs, but nothing is learned.

use super::experiment::Experiment;

pub const TINY: &str = include_str!("../../tests/tiny.toml");

/// The experiment exactly as in its file.
pub fn tiny() -> Experiment {
    Experiment::parse(TINY, super::experiment::PAPER_SCALE, "tiny.toml").expect("as written above")
}
