//! A Gaussian process over a few coordinates of the input, with a length for each.
//!
//! The target is one kernel shared by all its values, c(z, z') times a covariance of values that need
//! not be known: the prediction is a combination of training targets,
//!
//!   y(z) = m + c(z, Z) (C + noise)^-1 (Y - m),
//!
//! with lengths, noise and the linear part of c by the marginal likelihood (Rasmussen & Williams,
//! Gaussian Processes for Machine Learning, 2006, section 5.4). [`coordinates`] are parameters, which
//! are channels that are constant over the domain, and leading coefficients of fields; [`likelihood`]
//! finds the kernel, [`fit`] judges and predicts.

mod coordinates;
mod fit;
mod likelihood;

pub(super) use coordinates::Coordinates;
pub(super) use fit::ProcessFit;
pub(super) use likelihood::ArdKernel;
