//! Heads: the learned part of a conditional Karhunen-Loeve expansion.
//!
//! A realization is low fidelity + m + d (sum_j phi_j xi_j + remainder), with the mean m and the
//! deviation d at every point given. Two things are learned here, each in a folder:
//!
//! - [`factors`]: a network from an input to its factor fields phi_j and a correction of m;
//! - [`coefficients`]: the law of the numbers xi_j, Gaussian or a flow in as many dimensions.
//!
//! Both go down their gradients by the same `descent`.

pub mod coefficients;
mod descent;
pub mod factors;

pub use coefficients::Law;
pub use factors::Heads;
