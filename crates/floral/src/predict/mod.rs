//! Prediction: from a trained run and an input to realizations of its solution.
//!
//! A [`Predictor`] is the best network of a run with its scales and its prior. For one input on one
//! grid, perhaps finer than the training grid, it becomes an [`InputPredictor`], which has derived
//! all that depends on the input alone and delivers realizations in physical units. [`Cases`] are
//! the inputs of a file; a [`Walk`] is the one loop over them, and a [`Consumer`] takes what it
//! predicts: a [`Job`] stores statistics, [`evaluate`](crate::evaluate) scores.

mod cases;
mod checks;
mod ensemble;
mod input;
mod interpolation;
mod job;
mod points_file;
mod predictor;
mod refine;
mod velocity;
mod walk;

pub use cases::{Case, Cases};
pub use ensemble::Ensemble;
pub use input::{InputPredictor, Sampling};
pub use interpolation::Interpolation;
pub use job::{Job, Stored};
pub use points_file::read_points;
pub use predictor::Predictor;
pub use refine::{refined, refined_grid};
pub use velocity::{BLOCK_VALUES, block_rows};
pub use walk::{Consumer, PredictionCost, Walk, WalkedInput};

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
