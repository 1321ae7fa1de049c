//! Calibration: whether observations fall where the ensemble says they should.

pub mod coverage;
pub mod rank_histogram;
pub mod spread_skill;

pub use coverage::{Coverage, Interval, interval_coverage};
pub use rank_histogram::RankHistogram;
pub use spread_skill::SpreadSkill;
