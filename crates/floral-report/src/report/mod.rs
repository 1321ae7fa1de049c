//! Compares several runs with the truth, as numbers and as a report.
//!
//! [`compare()`] predicts test inputs with every run and gathers the numbers in a [`Comparison`].
//! [`predicted()`] does the same for new inputs, whose truth is unknown. Both yield a [`page`] for
//! a browser, and single figures and tables for a paper.

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
mod picture;
mod planes;
mod pooled;
mod predictions;
mod questions;
mod sections;
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
pub use options::{Found, Options};
pub use picture::Picture;
pub use questions::{
    AtShownInput, Learned, Observed, QuantityShown, Questions, RunQuantity, SensitivityShown,
};
pub use sections::page;
pub use summary::{Certainty, ChannelSummary, Summary};
pub use tables::scores;
pub use test_input::ScoredSummary;

#[cfg(test)]
mod channel_laws;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
