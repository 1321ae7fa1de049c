//! A Gaussian process over a few coordinates of the input, with a length for each.
//!
//! The target is one kernel shared by all its values, c(z, z') times a covariance of values that need
//! not be known: the prediction is a combination of training targets,
//!
//!   y(z) = m + c(z, Z) (C + noise)^-1 (Y - m)
//!
//! (Rasmussen & Williams, Gaussian Processes for Machine Learning, 2006). [`coordinates`] are
//! parameters, which are channels that are constant over the domain, and leading coefficients of
//! fields; [`ard`] is the kernel, [`likelihood`] finds its numbers by `descent`, [`fit`] judges and
//! predicts.

mod ard;
mod coordinates;
mod fit;
mod likelihood;

pub(super) use ard::ArdKernel;
pub(super) use coordinates::Coordinates;
pub(super) use fit::ProcessFit;
