//! Regression on scattered points, such as those of a mesh: what axes are to a grid.
//!
//! [`clusters`] merges points that are close beside the width of a filter, [`bank`] filters fields,
//! [`sampling`] takes points in proportion to their weights, [`noise`] smooths white noise and says how
//! smooth a field is. A point counts by its quadrature weight, so that refining a part of a mesh does not
//! change what is learned.

mod bank;
mod clusters;
mod noise;
mod sampling;

pub(crate) use bank::Bank;
pub(crate) use clusters::Clusters;
pub(crate) use noise::{SmoothNoise, neighbours, spacing};
pub(crate) use sampling::sampled;

use crate::Lattice;

/// Roots of the weights of scattered points, by which fields are multiplied where inner products are
/// taken; none on a grid, whose points count the same.
pub(crate) fn roots(lattice: &Lattice) -> Option<Vec<f64>> {
    let points = lattice.points()?;
    Some(points.weights().iter().map(|w| w.sqrt()).collect())
}

/// Fields [.., point] times a number a point, if there is one.
pub(crate) fn times(mut fields: Vec<f64>, factors: Option<&[f64]>) -> Vec<f64> {
    if let Some(factors) = factors {
        let values = fields.iter_mut().zip(factors.iter().cycle());
        values.for_each(|(v, factor)| *v *= factor);
    }
    fields
}

/// Coordinates from 0 to 1 of a point, the missing ones zero.
fn place(coordinates: &[Vec<f64>], point: usize) -> [f64; 3] {
    std::array::from_fn(|k| coordinates.get(k).map_or(0.0, |c| c[point]))
}
