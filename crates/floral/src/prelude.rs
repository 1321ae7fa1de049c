//! The names that most programs need: `use floral::prelude::*`.
//!
//! | name | |
//! |---|---|
//! | [`Axis`], [`Grid`] | where values live |
//! | [`Field`] | values of one or more channels on a grid |
//! | [`Quantity`] | what the values of a channel are |
//! | [`Arrays`] | fields in memory, on their way to a dataset |
//! | [`Dataset`] | inputs, low fidelity and realizations in a Zarr store |
//! | [`LowSolver`] | computes low fidelity: a closure, a command or a type of your own |
//! | [`TrainConfig`], [`Method`] | the settings of a run, and its method |
//! | [`fit`] | from a dataset to a model that predicts, in one call |
//! | [`train`], [`RunFolder`] | the same in two steps, through a run folder that can be continued |
//! | [`Predictor`] | a model: what a run has learned, with its formula |
//! | [`Case`], [`Sampling`] | an input to predict, and how many realizations |
//! | [`Ensemble`] | realizations of its solution: mean, spread, quantiles, exceedance |
//! | [`evaluate`] | a model's predictions beside the truth |
//! | [`Observer`], [`Event`], [`Silent`] | progress, and a way to stop |
//! | [`Error`], [`Result`] | what can go wrong, and what to do |
//!
//! ```
//! use floral::prelude::*;
//!
//! let grid = Grid::new(vec![Axis::closed("x", 3)]);
//! let field = Field::scalar(&grid, vec![0.0, 1.0, 4.0]);
//! assert_eq!(field.channels(), 1);
//! ```

pub use crate::dataset::Dataset;
pub use crate::evaluate::evaluate;
pub use crate::low::LowSolver;
pub use crate::predict::{Case, Ensemble, Predictor, Sampling};
pub use crate::train::{Method, RunFolder, TrainConfig, train};
pub use crate::{Arrays, Axis, Error, Event, Field, Grid, Observer, Quantity, Result, Silent, fit};
