//! Numbers for decisions: arrays in, estimates with intervals out; no storage, no network.
//!
//! - [`law`]: distributions of parameters by name, from TOML; `sequence` has points that fill a
//!   cube evenly;
//! - [`design`]: the points at which Sobol indices are estimated; [`sobol`]: first-order and total
//!   indices of a stochastic output, corrected for its noise; [`interval`]: their intervals, which
//!   include the uncertainty of a surrogate; [`share`]: the parts of a variance due to input,
//!   inherent randomness and ignorance;
//! - [`control_variate`]: a mean from few expensive runs and a surrogate, without the surrogate's
//!   bias; [`budget`]: how to split a budget between the two;
//! - [`process`]: a Gaussian process of a quantity over a few coordinates; [`acquisition`]: which
//!   inputs to simulate so that the quantity becomes known; [`estimate`]: one estimate from a
//!   process and another predictor;
//! - [`student`]: quantiles of the normal and of Student's distribution.
//!
//! ```
//! use floral_decisions::design::Design;
//! use floral_decisions::law::Laws;
//! use floral_decisions::sobol::Sums;
//!
//! let laws = Laws::parse("load = { law = 'uniform', low = 0, high = 1 }\nlength = { law = 'normal', mean = 2, std = 0.1 }")?;
//! let design = Design::new(laws.varying(), 512, 0)?;
//! let mut all = Vec::new();
//! for block in 0..design.blocks() {
//!     let mut sums = Sums::new(2, 1);
//!     for row in 0..design.block_rows() {
//!         let values = design.row(block, row).map(|unit| {
//!             let x = laws.values(&unit);
//!             vec![3.0 * x[0] + 10.0 * x[1]]
//!         });
//!         sums.add(&values);
//!     }
//!     all.push(sums);
//! }
//! let indices = floral_decisions::sobol::indices(&all)?;
//! let share = 9.0 / 12.0 / (9.0 / 12.0 + 1.0);
//! assert!((indices.first[0].value - share).abs() < 0.02);
//! # Ok::<(), floral_decisions::Error>(())
//! ```

pub mod acquisition;
pub mod budget;
pub mod control_variate;
pub mod design;
mod error;
pub mod estimate;
pub mod interval;
mod kernels;
pub mod law;
pub mod process;
mod sequence;
pub mod share;
pub mod sobol;
pub mod student;

pub use error::{Error, Result};
