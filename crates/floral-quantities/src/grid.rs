//! Tensor grids with any number of axes: measure, sections, derivatives and interpolation.

mod axis;
mod derivative;

pub use axis::GridAxis;

use crate::error::{Error, Result};
use crate::space::{Cut, Section, Space};
use crate::sparse::{Entry, Sparse};

/// A tensor grid. Points are numbered in row-major order: the last axis is the fastest.
///
/// Integrals are those of the multilinear interpolant, by the trapezoid rule along every axis, and
/// so exact for multilinear fields. This also holds between bounds such as `x < 0.5`, which may lie
/// between points. Times and other closed axes are integrated from their first to their last
/// coordinate.
///
/// With a mask, points outside the domain have no measure and are never read. A point inside has
/// the same measure as without a mask.
///
/// ```
/// use floral_quantities::{GridAxis, GridSpace, Space};
/// let x = GridAxis::closed("x", vec![0.0, 0.5, 1.0])?;
/// let y = GridAxis::periodic("y", vec![0.0, 1.0, 2.0, 3.0], [0.0, 4.0])?;
/// let grid = GridSpace::new(vec![x, y])?;
/// assert_eq!(grid.weights().iter().sum::<f64>(), 4.0);
/// # Ok::<(), floral_quantities::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct GridSpace {
    axes: Vec<GridAxis>,
    /// Distance in memory between neighbours along each axis.
    strides: Vec<usize>,
    points: usize,
    inside: Option<Vec<bool>>,
}

impl GridSpace {
    /// The grid of all combinations of coordinates.
    pub fn new(axes: Vec<GridAxis>) -> Result<Self> {
        if axes.is_empty() {
            return Err(Error::config("grid", "it has no axes; give at least one"));
        }
        let mut strides = vec![1; axes.len()];
        let mut points = 1_usize;
        for (stride, axis) in strides.iter_mut().zip(&axes).rev() {
            *stride = points;
            points = points
                .checked_mul(axis.len())
                .ok_or_else(|| Error::config("grid", "it has too many points to count"))?;
        }
        Ok(Self {
            axes,
            strides,
            points,
            inside: None,
        })
    }

    /// The same grid with a mask: whether each point belongs to the domain.
    pub fn with_mask(mut self, inside: Vec<bool>) -> Result<Self> {
        if inside.len() != self.points {
            return Err(Error::Length {
                what: "the mask",
                found: inside.len(),
                expected: self.points,
            });
        }
        self.inside = Some(inside);
        Ok(self)
    }

    /// The index of a point along an axis.
    fn position(&self, axis: usize, point: usize) -> usize {
        point / self.strides[axis] % self.axes[axis].len()
    }

    /// The weight of a point: the product of its weights along the axes.
    fn product(&self, along: &[Vec<f64>], point: usize) -> f64 {
        let factors = along.iter().enumerate();
        factors
            .map(|(axis, weights)| weights[self.position(axis, point)])
            .product()
    }

    /// The weights along each axis, restricted to the cuts.
    fn axis_weights(&self, cuts: &[Cut]) -> Result<Vec<Vec<f64>>> {
        let weights_of = |(index, axis): (usize, &GridAxis)| {
            let mine = || cuts.iter().filter(|cut| cut.axis == index);
            let from = mine().map(|cut| cut.from).fold(f64::NEG_INFINITY, f64::max);
            let to = mine().map(|cut| cut.to).fold(f64::INFINITY, f64::min);
            let mut planes = mine().filter(|cut| cut.from == cut.to);
            match planes.next() {
                // A plane together with bounds or another plane: empty unless all of them contain
                // it.
                Some(cut) if mine().all(|other| other.holds(cut.from)) => axis.plane(cut.from),
                Some(_) => Ok(vec![0.0; axis.len()]),
                None => Ok(axis.weights(from, to)),
            }
        };
        self.axes.iter().enumerate().map(weights_of).collect()
    }
}

impl Space for GridSpace {
    fn points(&self) -> usize {
        self.points
    }

    fn axes(&self) -> usize {
        self.axes.len()
    }

    fn coordinate(&self, axis: usize, point: usize) -> f64 {
        self.axes[axis].coordinates()[self.position(axis, point)]
    }

    fn is_inside(&self, point: usize) -> bool {
        self.inside.as_ref().is_none_or(|inside| inside[point])
    }

    fn weights(&self) -> Vec<f64> {
        let along: Vec<Vec<f64>> = self.axes.iter().map(GridAxis::whole).collect();
        let weight = |point| match self.is_inside(point) {
            true => self.product(&along, point),
            false => 0.0,
        };
        (0..self.points).map(weight).collect()
    }

    fn section(&self, cuts: &[Cut]) -> Result<Section> {
        let along = self.axis_weights(cuts)?;
        let mut section = Section::default();
        for point in (0..self.points).filter(|point| self.is_inside(*point)) {
            let weight = self.product(&along, point);
            if weight > 0.0 {
                section.points.push(point);
                section.weights.push(weight);
            }
        }
        Ok(section)
    }

    fn derivative(&self, axis: usize) -> Result<Sparse> {
        let rows: Result<Vec<Vec<Entry>>> = (0..self.points)
            .map(|point| self.derivative_at(axis, point))
            .collect();
        Sparse::from_rows(rows?)
    }

    fn interpolation(&self, place: &[f64]) -> Result<Vec<Entry>> {
        if place.len() != self.axes.len() {
            let reason = format!("give {} coordinates, one for each axis", self.axes.len());
            return Err(Error::config(format!("place {place:?}"), reason));
        }
        let mut entries = vec![Entry {
            point: 0,
            factor: 1.0,
        }];
        for ((axis, stride), coordinate) in self.axes.iter().zip(&self.strides).zip(place) {
            let nearby = axis.interpolation(*coordinate)?;
            let corners = |entry: Entry| {
                nearby.iter().map(move |near| Entry {
                    point: entry.point + near.point * stride,
                    factor: entry.factor * near.factor,
                })
            };
            entries = entries.into_iter().flat_map(corners).collect();
        }
        match entries.iter().all(|entry| self.is_inside(entry.point)) {
            true => Ok(entries),
            false => Err(Error::config(
                format!("place {place:?}"),
                "a grid point beside it lies outside of the domain; choose a place further inside",
            )),
        }
    }
}
