//! Kernel regression: the target of an input from those of inputs that resemble it.
//!
//! Equivalent to Gaussian process regression on the training set enlarged by every symmetry. Along
//! axes that roll the Gram matrix is block circulant: [`spectrum`] diagonalises it by Fourier
//! transforms, [`gram`] fills one small matrix a frequency, [`decomposition`] finds the
//! eigenvectors, [`system`] and [`fit`] solve them; [`neighbours`] finds
//! the position in which a training input resembles another most.

mod covariance;
mod decomposition;
mod fit;
mod gram;
mod neighbours;
mod spectrum;
mod system;
#[cfg(test)]
mod tests;

pub(super) use covariance::{Covariance, Kernel, matern52};
pub(super) use fit::{KernelFit, over_mean};
pub(super) use gram::Resemblance;
pub(super) use neighbours::{Nearest, Neighbours, Placed};
