//! Calibration: whether observations are distributed as the ensemble predicts.

pub mod coverage;
pub mod rank_histogram;
pub mod spread_skill;

pub use coverage::{Coverage, Interval, interval_coverage};
pub use rank_histogram::RankHistogram;
pub use spread_skill::SpreadSkill;
