//! Tools for regression on scattered points, such as those of a mesh.
//!
//! [`clusters`] merges points that are close compared with the width of a filter, [`bank`] filters
//! fields, [`sampling`] chooses points in proportion to their weights, [`noise`] draws smoothed
//! white noise and finds nearest neighbours. A point counts by its quadrature weight, so that
//! refining a part of a mesh does not change what is learned.

mod bank;
mod clusters;
mod noise;
mod sampling;

pub(crate) use bank::Bank;
pub(crate) use clusters::Clusters;
pub(crate) use noise::{SmoothNoise, neighbours, spacing};
pub(crate) use sampling::sampled;

use crate::Lattice;

/// Square roots of the weights of scattered points, by which fields are multiplied before inner
/// products are taken; `None` on a grid, whose points all count the same.
pub(crate) fn roots(lattice: &Lattice) -> Option<Vec<f64>> {
    let points = lattice.points()?;
    Some(points.weights().iter().map(|w| w.sqrt()).collect())
}

/// Fields [.., point] times one factor per point, if there are factors.
pub(crate) fn times(mut fields: Vec<f64>, factors: Option<&[f64]>) -> Vec<f64> {
    if let Some(factors) = factors {
        let values = fields.iter_mut().zip(factors.iter().cycle());
        values.for_each(|(v, factor)| *v *= factor);
    }
    fields
}

/// Coordinates of a point, from 0 to 1; missing ones are zero.
fn place(coordinates: &[Vec<f64>], point: usize) -> [f64; 3] {
    std::array::from_fn(|k| coordinates.get(k).map_or(0.0, |c| c[point]))
}
