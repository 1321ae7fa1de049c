//! Local regression: the target at a point from low fidelity and input around it.
//!
//! The coefficients are the same at every point of the axes along which the problem rolls, so that
//! one input holds as many observations as it has points. [`filtering`] smooths and differentiates,
//! [`features`] makes the columns, times [`positions`] or compared with [`landmarks`] over learned
//! [`lengths`], [`fit`] finds the coefficients by [`normal`] equations, weighed by what [`evidence`]
//! says of chance, at the points that [`thinning`] leaves.

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
