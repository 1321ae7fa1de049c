//! Comparison: several runs beside the truth, as the numbers of a report, and the report itself.
//!
//! [`compare()`] predicts test inputs with every run and gathers a [`Comparison`]: numbers alone.
//! [`predicted()`] does the same with new inputs, of which the truth is not known. From either come the
//! [`page`] that a browser shows, and single figures and tables for a paper.

mod band;
mod cache;
mod channel;
mod compared_run;
mod comparison;
mod curve_figures;
mod distribution;
mod explorer;
mod export;
mod gather;
mod histogram;
mod learning_figures;
mod map_figures;
mod names;
mod new_cases;
mod options;
mod pooled;
mod predictions;
mod story;
mod summary;
mod tables;
mod test_input;
mod view;

pub use band::Band;
pub use compared_run::check_data;
pub use comparison::{
    ChannelResult, ChannelTruth, Comparison, LowResult, RunResult, Setting, ShownInput,
};
pub use distribution::{Anomalies, Distribution, LEVELS};
pub use export::{Exported, curves_of_input, exports};
pub use gather::compare;
pub use new_cases::{NewFile, NewRun, predicted};
pub use options::Options;
pub use story::page;
pub use summary::{Certainty, ChannelSummary, Summary};
pub use tables::scores;
pub use test_input::ScoredSummary;

#[cfg(test)]
mod channel_laws;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
