//! The names that most programs need: `use floral::prelude::*`.
//!
//! | name | |
//! |---|---|
//! | [`Axis`], [`Grid`] | coordinates of the points of a field |
//! | [`Field`] | values of one or more channels on a grid |
//! | [`Quantity`] | name and units of a channel |
//! | [`Arrays`] | fields in memory, to be written as a dataset |
//! | [`Dataset`] | inputs, low fidelity and realizations in a Zarr store |
//! | [`LowSolver`] | low-fidelity solver: a closure, a command or a type of your own |
//! | [`TrainConfig`], [`Method`] | settings and method of a run |
//! | [`fit`] | from a dataset to a trained model in one call |
//! | [`train`], [`RunFolder`] | the same in two steps, with a run folder that can be continued |
//! | [`Predictor`] | a trained model |
//! | [`Case`], [`Sampling`] | an input to predict; number of realizations, seed and solver |
//! | [`Ensemble`] | predicted realizations of one input: mean, spread, quantiles, exceedance |
//! | [`evaluate`] | scores of a model's predictions against the truth |
//! | [`Observer`], [`Event`], [`Silent`] | progress reports and cancellation |
//! | [`Error`], [`Result`] | errors, each with the remedy in its message |
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
