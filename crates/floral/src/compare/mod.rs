//! Comparison: several runs beside the truth, as the numbers of a report, and the report itself.
//!
//! [`compare()`] predicts test inputs with every run and gathers a [`Comparison`]: numbers alone.
//! From them come the [`page`] that a browser shows, and single figures and tables for a paper.

mod answer;
mod cache;
mod comparison;
mod contestant;
mod curve_figures;
mod explorer;
mod export;
mod gather;
mod histogram;
mod likeness;
mod map_figures;
mod names;
mod options;
mod sketch;
mod story;
mod tables;

pub use answer::Answer;
pub use comparison::{Comparison, LowResult, Portrait, RunResult, Setting};
pub use export::{Exported, exports};
pub use gather::compare;
pub use likeness::{Anomalies, LEVELS, Likeness};
pub use options::{Options, Step};
pub use sketch::Sketch;
pub use story::page;

#[cfg(test)]
mod tests;
