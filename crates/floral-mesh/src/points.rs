//! Points in one, two or three dimensions.

use crate::Error;
use crate::measure::Vec3;

/// Larger coordinates overflow when volumes are computed.
const LARGEST: f64 = 1e100;

/// Finite points, [n, d] with d = 1, 2 or 3.
///
/// Each is stored with three coordinates, zero beyond d, so that one geometry serves every
/// dimension.
#[derive(Clone, Debug, PartialEq)]
pub struct Points {
    dimension: usize,
    rows: Vec<[f64; 3]>,
}

impl Points {
    /// Points from coordinates [n, d], one point after another.
    ///
    /// # Errors
    /// If d is not 1, 2 or 3, if there are no points, if coordinates are missing, or if one is not
    /// finite.
    pub fn new(coordinates: &[f64], dimension: usize) -> Result<Self, Error> {
        if !(1..=3).contains(&dimension) {
            return Err(Error::PointDimension { dimension });
        }
        if coordinates.is_empty() {
            return Err(Error::NoPoints);
        }
        if !coordinates.len().is_multiple_of(dimension) {
            let numbers = coordinates.len();
            return Err(Error::Coordinates { numbers, dimension });
        }
        let count = coordinates.len() / dimension;
        if u32::try_from(count).is_err() {
            return Err(Error::TooManyPoints { count });
        }
        let bad = |x: &f64| x.is_nan() || x.abs() > LARGEST;
        if let Some(at) = coordinates.iter().position(bad) {
            return Err(Error::NotFinite {
                point: at / dimension,
                axis: at % dimension,
                value: coordinates[at],
            });
        }
        let rows = coordinates.chunks_exact(dimension).map(padded).collect();
        Ok(Self { dimension, rows })
    }

    /// The number of coordinates of a point, d.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// The number of points, n; at least one.
    pub fn count(&self) -> usize {
        self.rows.len()
    }

    /// All points with three coordinates, zero beyond d.
    pub fn rows(&self) -> &[[f64; 3]] {
        &self.rows
    }

    /// The coordinates, [n, d].
    pub fn coordinates(&self) -> Vec<f64> {
        self.rows
            .iter()
            .flat_map(|row| &row[..self.dimension])
            .copied()
            .collect()
    }

    /// Drops those last coordinates that are equal at all points, but keeps at least `least`
    /// coordinates.
    ///
    /// VTK stores a plane mesh with a third coordinate of zero: such a mesh has d = 2.
    pub fn flattened(mut self, least: usize) -> Self {
        let first = self.rows[0];
        while self.dimension > least.max(1) {
            let axis = self.dimension - 1;
            if self.rows.iter().any(|row| row[axis] != first[axis]) {
                break;
            }
            self.rows.iter_mut().for_each(|row| row[axis] = 0.0);
            self.dimension -= 1;
        }
        self
    }

    /// The points with these indices, in this order.
    pub(crate) fn select(&self, indices: &[usize]) -> Self {
        Self {
            dimension: self.dimension,
            rows: indices.iter().map(|&i| self.rows[i]).collect(),
        }
    }
}

fn padded(row: &[f64]) -> [f64; 3] {
    // Adding zero turns -0.0 into 0.0, so that equal points have equal bits.
    std::array::from_fn(|axis| row.get(axis).map_or(0.0, |x| x + 0.0))
}

/// The points of a cell.
pub(crate) fn corners(points: &Points, nodes: &[usize]) -> Vec<Vec3> {
    nodes.iter().map(|&node| points.rows()[node]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plane_with_a_constant_third_coordinate_is_two_dimensional() {
        let points = Points::new(&[0.0, 0.0, 5.0, 1.0, 0.0, 5.0, 0.0, 1.0, 5.0], 3).unwrap();
        let flat = points.flattened(1);
        assert_eq!(flat.dimension(), 2);
        assert_eq!(flat.coordinates(), [0.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn the_first_coordinate_that_is_not_finite_is_named() {
        let refused = Points::new(&[0.0, 1.0, 2.0, f64::NAN], 2);
        let Err(Error::NotFinite { point, axis, .. }) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!((point, axis), (1, 1));
        assert!(Points::new(&[f64::INFINITY], 1).is_err());
    }

    #[test]
    fn shapes_that_are_not_points_are_refused() {
        assert!(matches!(Points::new(&[], 2), Err(Error::NoPoints)));
        assert!(matches!(
            Points::new(&[1.0; 3], 2),
            Err(Error::Coordinates { .. })
        ));
        assert!(matches!(
            Points::new(&[1.0; 4], 4),
            Err(Error::PointDimension { .. })
        ));
    }
}
