//! The points at which a network sees fields: coordinates and quadrature weights.

use std::f64::consts::TAU;

use crate::Grid;
use crate::grid::{Axis, Mask};

/// Points with scaled coordinates and quadrature weights of mean one.
///
/// A grid axis is mapped from its domain, a mesh coordinate from the interval that the mesh covers,
/// to [-1, 1]; a periodic axis is mapped to a circle. Points of a mesh have its quadrature weights.
/// On an uneven axis the weight is the length around the point. Points outside a mask have weight
/// zero.
#[derive(Debug, Clone, PartialEq)]
pub struct Nodes {
    /// Points per axis; one number for a mesh.
    pub shape: Vec<usize>,
    /// Coordinate channels per point.
    pub channels: usize,
    /// [point, channel]
    pub coordinates: Vec<f32>,
    /// \[point\]
    pub weights: Vec<f32>,
}

impl Nodes {
    /// The points of a grid or mesh. A mask of another shape is ignored.
    pub fn of(grid: &Grid, mask: Option<&Mask>) -> Self {
        let (channels, coordinates) = match grid.mesh() {
            Some(mesh) => {
                let d = mesh.points().dimension();
                (d, boxed(&mesh.points().coordinates(), d))
            }
            None => (Self::channels_of(grid), along_axes(grid)),
        };
        let mut weights = match grid.weights() {
            Some(weights) => weights.to_vec(),
            None => of_axes(grid),
        };
        if let Some(mask) = mask.filter(|mask| mask.shape() == grid.shape()) {
            let pairs = weights.iter_mut().zip(mask.outside());
            pairs
                .filter(|(_, outside)| **outside)
                .for_each(|(weight, _)| *weight = 0.0);
        }
        let mean = weights.iter().sum::<f64>() / weights.len().max(1) as f64;
        Self {
            shape: grid.shape(),
            channels,
            coordinates,
            weights: weights.iter().map(|w| (w / mean) as f32).collect(),
        }
    }

    /// Number of coordinate channels on a grid; a periodic axis has two.
    pub fn channels_of(grid: &Grid) -> usize {
        match grid.mesh() {
            Some(mesh) => mesh.points().dimension(),
            None => grid.axes.iter().map(channels).sum(),
        }
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// Whether all points weigh the same.
    pub fn is_even(&self) -> bool {
        self.weights.windows(2).all(|pair| pair[0] == pair[1])
    }
}

fn channels(axis: &Axis) -> usize {
    1 + usize::from(axis.domain.is_periodic())
}

/// Coordinates mapped from their bounding box to [-1, 1]: [point, dimension].
fn boxed(coordinates: &[f64], dimension: usize) -> Vec<f32> {
    let range = |axis: usize| {
        let along = coordinates.iter().skip(axis).step_by(dimension);
        along.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
            (low.min(*x), high.max(*x))
        })
    };
    let ranges: Vec<_> = (0..dimension).map(range).collect();
    let place = |(i, x): (usize, &f64)| match ranges[i % dimension] {
        (low, high) if high > low => (2.0 * (x - low) / (high - low) - 1.0) as f32,
        _ => 0.0,
    };
    coordinates.iter().enumerate().map(place).collect()
}

/// Coordinates of the points of a grid, mapped from the domain of each axis: [point, channel].
fn along_axes(grid: &Grid) -> Vec<f32> {
    let place = |axis: &Axis, x: f64| {
        let unit = axis.domain.unit(x);
        match axis.domain.is_periodic() {
            true => vec![(TAU * unit).cos() as f32, (TAU * unit).sin() as f32],
            false => vec![(2.0 * unit - 1.0) as f32],
        }
    };
    let points = (0..grid.len()).map(|i| grid.point(i));
    points
        .flat_map(|point| {
            let axes = grid.axes.iter().zip(point);
            axes.flat_map(|(axis, x)| place(axis, x))
                .collect::<Vec<_>>()
        })
        .collect()
}

/// Products over axes of the lengths around the points; an even axis contributes one.
fn of_axes(grid: &Grid) -> Vec<f64> {
    let length = |axis: &Axis| -> Vec<f64> {
        let x = &axis.coordinates;
        if axis.is_even() || x.len() < 2 {
            return vec![1.0; x.len()];
        }
        let last = x.len() - 1;
        // The interval between the ends belongs half to each of them on a circle.
        let across = match axis.domain.is_periodic() {
            true => axis.domain.length() - (x[last] - x[0]),
            false => 0.0,
        };
        let before = |i: usize| i.checked_sub(1).map_or(across, |k| x[i] - x[k]);
        let after = |i: usize| x.get(i + 1).map_or(across, |next| next - x[i]);
        let around = |i: usize| (before(i) + after(i)) / 2.0;
        (0..x.len()).map(around).collect()
    };
    grid.axes.iter().fold(vec![1.0], |weights, axis| {
        let lengths = length(axis);
        let products = weights
            .iter()
            .flat_map(|w| lengths.iter().map(move |l| w * l));
        products.collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Domain;

    #[test]
    fn coordinates_are_those_of_the_domain_whatever_its_units() {
        let unit = Grid::new(vec![Axis::closed("y", 3), Axis::periodic("x", 4)]);
        let nodes = Nodes::of(&unit, None);
        assert_eq!((nodes.channels, nodes.len()), (3, 12));
        assert_eq!(nodes.coordinates[..3], [-1.0, 1.0, 0.0]);
        assert_eq!(nodes.coordinates[11 * 3], 1.0);
        assert!(nodes.is_even());
    }

    #[test]
    fn points_outside_of_a_mask_weigh_nothing_and_the_mean_stays_one() {
        let grid = Grid::new(vec![Axis::closed("x", 4)]);
        let mask = Mask::new(&[4], vec![true, false, false, false]).unwrap();
        let nodes = Nodes::of(&grid, Some(&mask));
        assert_eq!(nodes.weights[0], 0.0);
        assert!((nodes.weights.iter().sum::<f32>() - 4.0).abs() < 1e-6);
    }

    #[test]
    fn points_of_an_uneven_axis_weigh_what_lies_around_them() {
        let axis = Axis::from_coordinates("x", vec![0.0, 1.0, 4.0, 9.0]);
        let nodes = Nodes::of(&Grid::new(vec![axis]), None);
        let total = 9.0;
        let expected = [0.5, 2.0, 4.0, 2.5].map(|w| 4.0 * w / total);
        for (found, expected) in nodes.weights.iter().zip(expected) {
            assert!((f64::from(*found) - expected).abs() < 1e-6);
        }
    }

    #[test]
    fn the_ends_of_an_uneven_periodic_axis_share_the_interval_between_them() {
        let mut axis = Axis::from_coordinates("x", vec![0.0, 1.0, 4.0, 7.0]);
        axis.domain = Domain::periodic(0.0, 9.0);
        let nodes = Nodes::of(&Grid::new(vec![axis]), None);
        let expected = [1.5, 2.0, 3.0, 2.5].map(|w| 4.0 * w / 9.0);
        for (found, expected) in nodes.weights.iter().zip(expected) {
            assert!((f64::from(*found) - expected).abs() < 1e-6);
        }
    }
}
