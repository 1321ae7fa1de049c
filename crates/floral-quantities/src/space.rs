//! What the evaluator needs of a domain: points, measure, derivatives, values at a place.

use crate::error::{Error, Result};
use crate::sparse::{Entry, Sparse};

/// A domain that fields live on: a tensor grid ([`crate::GridSpace`]) or a mesh.
///
/// Fields are slices of `[channel, point]`, one value per channel and point. Axes are counted in the
/// order of [`crate::Names::axes`].
pub trait Space {
    /// The number of points, those outside of the domain included.
    fn points(&self) -> usize;

    /// The number of axes: coordinates per point.
    fn axes(&self) -> usize;

    /// The coordinate of a point along an axis.
    fn coordinate(&self, axis: usize, point: usize) -> f64;

    /// The measure of each point, w_i in int u dx = sum_i w_i u_i.
    fn weights(&self) -> Vec<f64>;

    /// The derivative along an axis: (D u)_i = sum_j D_ij u_j.
    fn derivative(&self, axis: usize) -> Result<Sparse>;

    /// The weights that interpolate a field at a place, one coordinate per axis.
    fn interpolation(&self, place: &[f64]) -> Result<Vec<Entry>>;

    /// Whether a point belongs to the domain: values elsewhere are never read.
    fn is_inside(&self, _point: usize) -> bool {
        true
    }

    /// The part of the domain within all of these cuts. By default, for meshes, the points within
    /// bounds with their whole measure, those on a bound with half of it, so that both sides of a bound
    /// add up; planes are refused, as their points are not known.
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

/// The part of a domain between two coordinates of an axis; equal ones are a plane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cut {
    /// The axis.
    pub axis: usize,
    /// Where it begins; negative infinity at the beginning of the domain.
    pub from: f64,
    /// Where it ends; infinity at the end of the domain.
    pub to: f64,
}

impl Cut {
    /// The plane at a coordinate.
    pub fn plane(axis: usize, at: f64) -> Self {
        let (from, to) = (at, at);
        Self { axis, from, to }
    }

    /// Whether a coordinate lies in it, ends included.
    pub fn holds(&self, coordinate: f64) -> bool {
        (self.from..=self.to).contains(&coordinate)
    }

    /// The share of a point's measure: all of it inside, half of it on a bound.
    fn share(&self, coordinate: f64) -> f64 {
        match self.holds(coordinate) {
            true if coordinate == self.from || coordinate == self.to => 0.5,
            true => 1.0,
            false => 0.0,
        }
    }
}

/// Points and their measure: of a volume, or of a plane in one dimension less.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Section {
    /// The points, each once.
    pub points: Vec<usize>,
    /// The measure of each of them.
    pub weights: Vec<f64>,
}
