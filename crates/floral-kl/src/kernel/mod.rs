//! Kernel regression: predicts the target of an input from those of similar inputs.
//!
//! Equivalent to Gaussian process regression on the training set enlarged by every symmetry. Along
//! axes that roll the Gram matrix is block circulant: [`spectrum`] diagonalises it by Fourier
//! transforms. [`gram`] compares inputs and [`rows`] holds those of a fit. [`decomposition`] finds
//! the eigenvectors of one small matrix per frequency, [`system`] and [`fit`] solve with them,
//! [`fitted`] and [`posterior`] are the result. [`neighbours`] finds the position in which a
//! training input is closest to another input.

mod covariance;
mod decomposition;
mod fit;
mod fitted;
mod gram;
mod neighbours;
mod posterior;
mod rows;
mod spectrum;
mod system;
#[cfg(test)]
mod tests;

pub(super) use covariance::{Covariance, Kernel, matern52};
pub(super) use fit::over_mean;
pub(super) use fitted::KernelFit;
use gram::Resemblance;
pub(super) use neighbours::{Nearest, Neighbours, Placed};
pub(super) use posterior::{Part, Posterior};
pub(super) use rows::{Rows, SharedRows};
