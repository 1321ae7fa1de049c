//! FLORAL learns the distribution of the residual between a low-fidelity solution and the true one.
//!
//! This example fits a model to fields in memory and predicts an ensemble for a new input:
//!
//! ```
//! use floral::predict::{Case, Sampling};
//! use floral::train::TrainConfig;
//! use floral::{Arrays, Axis, Field, Grid, Silent, fit};
//!
//! let grid = Grid::new(vec![Axis::closed("x", 16)]);
//! let on_grid = |f: &dyn Fn(f64) -> f64| {
//!     let x = grid.axes[0].coordinates.iter();
//!     Field::scalar(&grid, x.map(|x| f(*x)).collect())
//! };
//! // Eight inputs k x with the low fidelity sin(k x), and four true solutions of each.
//! let mut arrays = Arrays::new(grid.clone());
//! for k in 1..=8 {
//!     let input = on_grid(&|x| f64::from(k) * x);
//!     let low = on_grid(&|x| (f64::from(k) * x).sin());
//!     let high = [-0.1, -0.03, 0.03, 0.1].map(|e| on_grid(&|x| (f64::from(k) * x).sin() + e * x));
//!     arrays.push(&input, Some(&low), &high)?;
//! }
//! # let folder = tempfile::tempdir().unwrap();
//! # let folder = folder.path();
//! let dataset = arrays.write(folder.join("data.zarr"))?;
//! let settings = TrainConfig::default();
//! let model = fit(&dataset, folder.join("run"), &settings, &Silent)?;
//! let case = Case {
//!     input: on_grid(&|x| 2.5 * x),
//!     low: Some(on_grid(&|x| (2.5 * x).sin())),
//! };
//! let sampling = Sampling {
//!     realizations: 32,
//!     ..Sampling::default()
//! };
//! let ensemble = model.sample(&case, 0, &grid, &sampling, &Silent)?;
//! assert_eq!(ensemble.shape(), [32, 1, 16]);
//! let (mean, deviation) = (ensemble.mean()?, ensemble.deviation()?);
//! let upper = ensemble.quantile(0.95)?;
//! # assert!(mean.values().iter().chain(deviation.values()).all(|v| v.is_finite()));
//! # assert!(upper.values().iter().zip(mean.values()).all(|(u, m)| u >= m));
//! # Ok::<(), floral::Error>(())
//! ```
//!
//! Long computations take an [`Observer`], which receives their progress and can stop them:
//! [`Silent`], an [`AtomicBool`](std::sync::atomic::AtomicBool), or your own implementation.
//! [`set_up`] sets the number of threads.
//!
//! [`prelude`] has the names that most programs need, each with an example. The modules, in the
//! order in which data pass through them:
//!
//! - [`grid`], [`mesh`], [`field`], [`quantity`], [`units`]: domains, values on them, names and
//!   units;
//! - [`problem`]: stochastic problems with a high-fidelity and a low-fidelity solver;
//! - [`dataset`]: solutions in a Zarr store: generated or imported, and read input by input;
//! - [`inspect`]: a summary of a dataset, and how much its low-fidelity solver helps;
//! - [`low`]: low fidelity computed on demand by a user's solver, or a stand-in for it;
//! - [`transform`]: functions of solution values that keep predictions in the physical range;
//! - [`kl`]: the default method, a conditional Karhunen-Loève expansion;
//! - [`train`]: from a dataset to a run folder with checkpoints; [`device`]: processors for
//!   networks;
//! - [`predict`]: from a run and new inputs to realizations of their solutions;
//! - [`evaluate`] and [`metric`]: scores of a run's predictions against the truth;
//! - [`suggest`]: which inputs to simulate next; [`learn`]: the loop of fitting, choosing and
//!   solving;
//! - [`sensitivity`]: distributions of quantities over random parameters or a pool of inputs, and
//!   which parameters matter;
//! - [`unbiased`]: an unbiased mean of a quantity from a few fresh high-fidelity runs.
//!
//! Further modules serve the command, the Python package and the benchmarks. They are hidden here
//! and may change at any time.

pub mod evaluate;
mod example;
mod fit;
pub mod kl;
pub mod learn;
#[cfg(not(feature = "networks"))]
mod no_networks;
pub mod predict;
pub mod prelude;
pub mod sensitivity;
mod set_up;
#[doc(hidden)]
pub mod settings;
pub mod suggest;
pub mod train;
pub mod unbiased;
#[cfg(feature = "networks")]
#[doc(hidden)]
pub mod verify;

pub use floral_data::{
    Advice, Arrays, Axis, AxisKind, Checksum, Error, Event, Field, Grid, Note, Observer, Points,
    Quantities, Quantity, Result, Silent, error, field, grid, inspect, low, mesh, metric, observer,
    quantity, transform, units,
};
#[doc(hidden)]
pub use floral_data::{counted, ranks, storage};
#[doc(hidden)]
pub use floral_flow::{flow, network, sample};
#[doc(hidden)]
pub use floral_kernels::memory;
#[cfg(feature = "networks")]
pub use floral_networks::device;
#[cfg(feature = "networks")]
#[doc(hidden)]
pub use floral_networks::operator;
pub use floral_problems as problem;
#[doc(hidden)]
pub use floral_random as random;
#[cfg(not(feature = "networks"))]
pub use no_networks::device;

#[doc(hidden)]
pub use example::example;
pub use fit::fit;
pub use set_up::set_up;
#[doc(hidden)]
pub use set_up::{asked_outside, most_threads};

/// Datasets: inputs, low-fidelity solutions and realizations of the high-fidelity solution,
/// generated from a [`problem`] or imported, and read input by input.
pub mod dataset {
    pub use floral_data::dataset::*;
    pub use floral_problems::{Outcome, Request, generate, generate_across};
}

#[doc(hidden)]
/// Cost of a network: operations and memory by formula, and the memory available on this machine.
pub mod cost {
    pub use floral_data::memory::{available, check_room, kilobytes, spare_memory};
    pub use floral_flow::cost::*;
    #[cfg(feature = "networks")]
    pub use floral_networks::training::blocks::{sampling_rows, training_rows};

    /// Peak memory of training, estimated before it starts.
    pub mod memory {
        pub use floral_data::memory::gigabytes;
        pub use floral_flow::cost::memory::*;
    }
}
