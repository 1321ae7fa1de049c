//! Reproduction: the paper's tables, our values beside the paper's.
//!
//! An [`Experiment`] is a file that says what to generate, train and evaluate, how a scale shrinks
//! it, and what the paper reports. A [`Plan`] is the list of cells that tables are made of; [`work`]
//! does what is missing of it in a [`Store`], where everything is found again by its content: the
//! same settings on the same data. A [`PaperTable`] shows what is there, and says of the rest why
//! it is not.

mod estimate;
mod experiment;
mod figures;
mod observer;
mod paper;
mod plan;
pub mod publish;
mod recipe;
mod store;
mod study;
mod tables;
mod work;

pub use estimate::Estimate;
pub use experiment::{Budget, DataConfig, EvaluationConfig, Experiment, PAPER_SCALE, Protocol};
pub use figures::{Figures, figures};
pub use observer::Observer;
pub use paper::{ByMethod, Paper, PaperScores, PaperTimes};
pub use plan::{Choice, Plan, Target};
pub use recipe::{DataRecipe, EvaluationRecipe, RunRecipe};
pub use store::{Record, Store};
pub use study::{Cell, Study};
pub use tables::{Entry, PaperTable, Provenance, System};
pub use work::{Expected, State, States, estimated, states, work};

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
