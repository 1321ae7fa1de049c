//! The properties of a domain that the evaluator needs: points, measure, derivatives, values at a
//! place.

use crate::error::{Error, Result};
use crate::sparse::{Entry, Sparse};

/// A domain on which fields are defined: a tensor grid ([`crate::GridSpace`]) or a mesh.
///
/// Fields are slices of `[channel, point]`, one value per channel and point. Axes are in the order
/// of [`crate::Names::axes`].
pub trait Space {
    /// Number of points, including those outside the domain.
    fn points(&self) -> usize;

    /// Number of axes: coordinates per point.
    fn axes(&self) -> usize;

    /// The coordinate of a point along an axis.
    fn coordinate(&self, axis: usize, point: usize) -> f64;

    /// The measure of each point, w_i in int u dx = sum_i w_i u_i.
    fn weights(&self) -> Vec<f64>;

    /// The derivative along an axis: (D u)_i = sum_j D_ij u_j.
    fn derivative(&self, axis: usize) -> Result<Sparse>;

    /// The weights that interpolate a field at a place, given by one coordinate per axis.
    fn interpolation(&self, place: &[f64]) -> Result<Vec<Entry>>;

    /// Whether a point belongs to the domain; values at other points are never read.
    fn is_inside(&self, _point: usize) -> bool {
        true
    }

    /// The part of the domain within all of these cuts. The default, for meshes, takes the points
    /// within bounds with their whole measure, and points on a bound with half of it, so that the
    /// two sides of a bound add up. It refuses planes, because their points are not known.
    fn section(&self, cuts: &[Cut]) -> Result<Section> {
        if let Some(cut) = cuts.iter().find(|cut| cut.from == cut.to) {
            let context = format!("the plane at {}", cut.from);
            let reason =
                "a mesh has no planes; choose a layer, such as x > 0.99, or values by at(...)";
            return Err(Error::config(context, reason));
        }
        let weights = self.weights();
        if weights.len() != self.points() {
            return Err(Error::Length {
                what: "the measure",
                found: weights.len(),
                expected: self.points(),
            });
        }
        let share = |point: usize| -> f64 {
            let shares = cuts
                .iter()
                .map(|cut| cut.share(self.coordinate(cut.axis, point)));
            shares.product()
        };
        let is_within = |point: &usize| self.is_inside(*point) && share(*point) > 0.0;
        let points: Vec<usize> = (0..self.points()).filter(is_within).collect();
        let weights = points
            .iter()
            .map(|point| weights[*point] * share(*point))
            .collect();
        Ok(Section { points, weights })
    }
}

/// The part of a domain between two coordinates along an axis; equal coordinates define a plane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cut {
    /// The axis.
    pub axis: usize,
    /// Lower end; negative infinity for the start of the domain.
    pub from: f64,
    /// Upper end; infinity for the end of the domain.
    pub to: f64,
}

impl Cut {
    /// The plane at a coordinate.
    pub fn plane(axis: usize, at: f64) -> Self {
        let (from, to) = (at, at);
        Self { axis, from, to }
    }

    /// Whether the cut contains a coordinate, ends included.
    pub fn holds(&self, coordinate: f64) -> bool {
        (self.from..=self.to).contains(&coordinate)
    }

    /// The share of a point's measure inside the cut: half of it on a bound.
    fn share(&self, coordinate: f64) -> f64 {
        match self.holds(coordinate) {
            true if coordinate == self.from || coordinate == self.to => 0.5,
            true => 1.0,
            false => 0.0,
        }
    }
}

/// Points and their measure: of a volume, or of a plane with one dimension less.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Section {
    /// The points, each once.
    pub points: Vec<usize>,
    /// The measure of each of them.
    pub weights: Vec<f64>,
}
