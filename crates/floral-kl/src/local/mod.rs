//! Local regression: the target at a point from low fidelity and input around it.
//!
//! The coefficients are the same at every point along the axes that roll, so that one input is as
//! many observations as it has points. [`filtering`] smooths and differentiates fields.
//! [`features`] computes the columns: filtered fields times functions of the [`positions`], or
//! their covariances with [`landmarks`], which [`choice`] selects, over learned [`lengths`].
//! [`fit`] finds the coefficients by [`normal`] equations, which [`evidence`] weights by the noise
//! of the means, at the points that [`thinning`] keeps.

mod choice;
mod evidence;
mod features;
mod filtering;
mod fit;
mod landmarks;
mod lengths;
mod normal;
mod positions;
mod thinning;

pub(super) use features::{Columns, LocalPlan};
pub(super) use fit::LocalFit;
pub(super) use landmarks::LandmarkPlan;
