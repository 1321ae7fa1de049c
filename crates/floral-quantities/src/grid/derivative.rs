//! Derivatives along an axis of a grid, of second order at every point.

use super::GridSpace;
use crate::error::{Error, Result};
use crate::space::Space;
use crate::sparse::Entry;

/// A point of a stencil: its index, and its distance from the centre along the axis.
#[derive(Clone, Copy)]
struct Neighbour {
    point: usize,
    distance: f64,
}

impl GridSpace {
    /// The derivative at a point of the parabola through it and two neighbours: one on each side,
    /// or both on the same side at an end of the domain. It is exact for quadratic fields at any
    /// spacing. With a single neighbour it is the slope of the line to it.
    pub(super) fn derivative_at(&self, axis: usize, point: usize) -> Result<Vec<Entry>> {
        if !self.is_inside(point) {
            return Ok(Vec::new());
        }
        let centre = Neighbour {
            point,
            distance: 0.0,
        };
        let near = |steps| self.neighbour(axis, point, steps);
        let stencil: Vec<Neighbour> = match (near(-1), near(1)) {
            (Some(before), Some(after)) => vec![before, centre, after],
            (None, Some(after)) => [centre, after].into_iter().chain(near(2)).collect(),
            (Some(before), None) => [before, centre].into_iter().chain(near(-2)).collect(),
            (None, None) => return Err(self.no_neighbour(axis, point)),
        };
        Ok(slopes(&stencil))
    }

    /// The point at a distance of some steps, if it is inside the domain.
    fn neighbour(&self, axis: usize, point: usize, steps: isize) -> Option<Neighbour> {
        let along = &self.axes[axis];
        let (n, here) = (along.len() as isize, self.position(axis, point) as isize);
        let there = here + steps;
        let turns = there.div_euclid(n);
        let shift = match along.period() {
            Some(period) => turns as f64 * period,
            None if turns == 0 => 0.0,
            None => return None,
        };
        let index = there.rem_euclid(n) as usize;
        let coordinates = along.coordinates();
        let stride = self.strides[axis];
        let neighbour = point - here as usize * stride + index * stride;
        self.is_inside(neighbour).then(|| Neighbour {
            point: neighbour,
            distance: coordinates[index] + shift - coordinates[here as usize],
        })
    }

    fn no_neighbour(&self, axis: usize, point: usize) -> Error {
        let along = &self.axes[axis];
        let at = along.coordinates()[self.position(axis, point)];
        let context = format!("derivative along {}", along.name());
        let reason =
            format!("a point at {at} has no neighbour in the domain; leave out the derivative");
        Error::config(context, reason)
    }
}

/// Derivatives at 0 of the Lagrange polynomials of the stencil:
/// l_k'(0) = sum_{m != k} 1 / (d_k - d_m) prod_{j != k, m} -d_j / (d_k - d_j).
/// Fornberg (1988), Mathematics of Computation 51.
fn slopes(stencil: &[Neighbour]) -> Vec<Entry> {
    let d: Vec<f64> = stencil.iter().map(|neighbour| neighbour.distance).collect();
    let others = |k: usize| (0..d.len()).filter(move |m| *m != k);
    let slope = |k: usize| -> f64 {
        let term = |m: usize| -> f64 {
            let product: f64 = others(k)
                .filter(|j| *j != m)
                .map(|j| -d[j] / (d[k] - d[j]))
                .product();
            product / (d[k] - d[m])
        };
        others(k).map(term).sum()
    };
    let entry = |(k, neighbour): (usize, &Neighbour)| Entry {
        point: neighbour.point,
        factor: slope(k),
    };
    stencil.iter().enumerate().map(entry).collect()
}
