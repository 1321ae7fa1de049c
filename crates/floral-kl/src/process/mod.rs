//! A Gaussian process over a few coordinates of the input, with a length for each.
//!
//! All values of the target share one kernel, c(z, z') times a covariance between values that need
//! not be known. The prediction is a combination of training targets,
//!
//!   y(z) = m + c(z, Z) (C + noise)^-1 (Y - m)
//!
//! (Rasmussen & Williams, Gaussian Processes for Machine Learning, 2006). The [`coordinates`] are
//! parameters, which are channels that are constant over the domain, and leading coefficients of
//! fields. [`ard`] is the kernel, [`likelihood`] learns its parameters by `descent`, [`fit`] judges
//! and predicts.

mod ard;
mod coordinates;
mod fit;
mod likelihood;

pub(super) use ard::ArdKernel;
pub(super) use coordinates::Coordinates;
pub(super) use fit::ProcessFit;
