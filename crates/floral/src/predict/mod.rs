//! Prediction: from a trained run and an input to realizations of its solution.
//!
//! A [`Predictor`] is the best network of a run with its scales and its prior. For one input on one
//! grid, perhaps finer than the training grid, it becomes an [`InputPredictor`], which has derived
//! all that depends on the input alone and delivers realizations in physical units.

mod checks;
mod input;
mod predictor;
mod refine;
mod velocity;

pub use input::{InputPredictor, Sampling};
pub use predictor::Predictor;
pub use refine::{refined, refined_grid};
pub use velocity::{BLOCK_VALUES, block_rows};

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
