//! Prediction: from a trained run and an input to realizations of its solution.
//!
//! A [`Predictor`] is a trained model: the best network of a run, or its regression. For one input
//! on one grid, which may be finer than the training grid, it becomes an [`InputPredictor`], which
//! has computed all that depends on the input alone and delivers realizations in physical units.
//!
//! A [`PredictionSession`] opens new inputs for a run and checks them. [`Cases`] are the inputs of
//! a file. A [`Walk`] is the loop over inputs, runs and realizations that all predictions share; it
//! passes them to a [`Consumer`]. A [`Job`] stores statistics in a [`Destination`] through a
//! [`PredictionWriter`]; [`evaluate`](crate::evaluate) computes scores.

mod accuracy;
mod alignment;
mod case;
mod cases;
mod checked;
mod checks;
mod conditioned;
mod csv;
mod departure;
mod destination;
mod division;
mod enough;
mod ensemble;
mod input;
mod inputs;
pub mod interest;
mod job;
mod memory;
mod moments;
#[cfg_attr(not(feature = "networks"), path = "no_network_input.rs")]
mod network_input;
pub mod observe;
mod opening;
mod parameters;
mod places;
mod points_file;
mod prediction_layout;
mod prediction_store;
mod predictor;
mod read_cases;
mod regression_input;
mod sampling;
mod session;
mod threshold;
mod ugrid;
mod values;
#[cfg(feature = "networks")]
mod velocity;
mod vtk;
mod walk;

pub use accuracy::{ChosenSolver, USUAL_ACCURACY};
pub use alignment::{aligned_dataset, check_terms};
pub use case::{Case, InMemory};
pub use cases::Cases;
pub use checked::Checked;
pub use destination::Destination;
pub use ensemble::Ensemble;
pub use input::InputPredictor;
pub use inputs::InputSource;
pub use job::{Job, Stored};
pub use moments::{MomentSource, Moments};
pub use observe::Observations;
pub use opening::is_npz;
pub use parameters::ParameterTable;
pub use places::Places;
pub use points_file::read_points;
pub use prediction_layout::PredictionPlan;
pub use prediction_store::PredictionWriter;
pub use predictor::Predictor;
pub use sampling::{REALIZATIONS, Sampling};
pub use session::{NewInputs, PredictionOpening, PredictionSession};
pub use threshold::Threshold;
pub use values::Values;

pub use floral_flow::cost::{SAMPLING_VALUES as BLOCK_VALUES, sampling_block_rows as block_rows};
pub use walk::{Consumer, PredictionCost, Walk, WalkedInput};

pub use crate::field::refined;
pub use crate::grid::{Interpolation, refined_grid};

#[cfg(test)]
#[cfg(feature = "networks")]
pub(crate) mod testing;
#[cfg(test)]
#[cfg(feature = "networks")]
mod tests;
#[cfg(test)]
#[cfg(feature = "networks")]
mod transform_tests;
