//! Regular grids: named axes with their coordinates.

use serde::{Deserialize, Serialize};

/// One named axis and the coordinates of its points.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// The axis's name, also the name of its dimension on disk.
    pub name: String,
    /// Coordinates in increasing order.
    pub coordinates: Vec<f64>,
}

impl Axis {
    /// `n` points from 0 to 1, both ends included.
    pub fn closed(name: &str, n: usize) -> Self {
        let last = (n.max(2) - 1) as f64;
        Self::from_fn(name, n, |i| i as f64 / last)
    }

    /// `n` points i/n of the unit interval with its ends identified.
    pub fn periodic(name: &str, n: usize) -> Self {
        Self::from_fn(name, n, |i| i as f64 / n as f64)
    }

    /// The times `end/n, 2 end/n, ..., end`: the initial state is not stored.
    pub fn times(name: &str, n: usize, end: f64) -> Self {
        Self::from_fn(name, n, |i| end * (i + 1) as f64 / n as f64)
    }

    fn from_fn(name: &str, n: usize, coordinate: impl Fn(usize) -> f64) -> Self {
        Self {
            name: name.to_owned(),
            coordinates: (0..n).map(coordinate).collect(),
        }
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.coordinates.len()
    }

    /// Whether the axis has no points.
    pub fn is_empty(&self) -> bool {
        self.coordinates.is_empty()
    }

    /// Mean distance between neighbouring points; zero for a single point.
    pub fn spacing(&self) -> f64 {
        match self.coordinates.as_slice() {
            [first, .., last] => (last - first) / (self.len() - 1) as f64,
            _ => 0.0,
        }
    }
}

/// A tensor product of axes; the last one varies fastest in memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Grid {
    /// The axes, slowest first.
    pub axes: Vec<Axis>,
}

impl Grid {
    /// A grid of these axes.
    pub fn new(axes: Vec<Axis>) -> Self {
        Self { axes }
    }

    /// Number of points per axis.
    pub fn shape(&self) -> Vec<usize> {
        self.axes.iter().map(Axis::len).collect()
    }

    /// Number of points in all.
    pub fn len(&self) -> usize {
        self.axes.iter().map(Axis::len).product()
    }

    /// Whether the grid has no points.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of axes.
    pub fn dimensions(&self) -> usize {
        self.axes.len()
    }

    /// Coordinates of the point at position `index` in memory.
    pub fn point(&self, mut index: usize) -> Vec<f64> {
        let mut point = vec![0.0; self.dimensions()];
        for (coordinate, axis) in point.iter_mut().zip(&self.axes).rev() {
            *coordinate = axis.coordinates[index % axis.len()];
            index /= axis.len();
        }
        point
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_place_their_ends_where_they_say() {
        assert_eq!(
            Axis::closed("x", 5).coordinates,
            [0.0, 0.25, 0.5, 0.75, 1.0]
        );
        assert_eq!(Axis::periodic("x", 4).coordinates, [0.0, 0.25, 0.5, 0.75]);
        assert_eq!(Axis::times("t", 4, 2.0).coordinates, [0.5, 1.0, 1.5, 2.0]);
        assert_eq!(Axis::closed("x", 5).spacing(), 0.25);
    }

    #[test]
    fn the_last_axis_varies_fastest() {
        let grid = Grid::new(vec![Axis::closed("x", 2), Axis::closed("y", 3)]);
        assert_eq!(grid.point(1), [0.0, 0.5]);
        assert_eq!(grid.point(3), [1.0, 0.0]);
    }
}
