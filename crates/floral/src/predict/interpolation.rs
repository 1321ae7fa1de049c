//! Values at scattered points from those of a grid, linear along each axis.

use super::refine::{Kind, place};
use crate::{Grid, Points};

/// The corners of the cell around each point, with their weights; the same for every field.
pub struct Interpolation {
    grid_points: usize,
    /// Position in memory and weight.
    corners: Vec<Vec<(usize, f64)>>,
}

impl Interpolation {
    /// For points within the domain of a grid, whose axes they have.
    pub fn new(points: &Points, grid: &Grid) -> Self {
        Self {
            grid_points: grid.len(),
            corners: (0..points.len())
                .map(|point| corners(points, point, grid))
                .collect(),
        }
    }

    /// Values at the points, of a field of so many values on the grid.
    pub fn values(&self, on_grid: usize) -> usize {
        on_grid / self.grid_points * self.corners.len()
    }

    /// values: [channel, grid...] -> [channel, point].
    pub fn apply(&self, values: &[f32]) -> Vec<f32> {
        let channels = values.chunks_exact(self.grid_points);
        let at = |channel: &[f32], corners: &[(usize, f64)]| {
            let terms = corners.iter().map(|(i, w)| w * f64::from(channel[*i]));
            terms.sum::<f64>() as f32
        };
        channels
            .flat_map(|channel| self.corners.iter().map(move |corners| at(channel, corners)))
            .collect()
    }
}

fn corners(points: &Points, point: usize, grid: &Grid) -> Vec<(usize, f64)> {
    let mut corners = vec![(0, 1.0)];
    for (axis, (_, along)) in grid.axes.iter().zip(&points.axes) {
        let (a, b, weight) = place(axis, Kind::of(axis), along[point]);
        let ends = [(a, 1.0 - weight), (b, weight)];
        let product = corners.iter().flat_map(|(index, w)| {
            let n = axis.len();
            ends.map(|(end, weight)| (index * n + end, w * weight))
        });
        corners = product.filter(|(_, weight)| *weight != 0.0).collect();
    }
    corners
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Axis;

    fn points(axes: &[(&str, &[f64])]) -> Points {
        let axes = axes.iter();
        Points {
            axes: axes
                .map(|(name, along)| ((*name).to_owned(), along.to_vec()))
                .collect(),
        }
    }

    #[test]
    fn a_bilinear_field_is_exact_anywhere_and_grid_points_keep_their_values() {
        let grid = Grid::new(vec![Axis::times("t", 4, 0.2), Axis::closed("x", 5)]);
        let value = |t: f64, x: f64| 1.0 + 3.0 * t - 2.0 * x + 4.0 * t * x;
        let channel = |shift: f64| {
            let points = (0..grid.len()).map(|i| grid.point(i));
            points
                .map(|p| (shift + value(p[0], p[1])) as f32)
                .collect::<Vec<_>>()
        };
        let fields = [channel(0.0), channel(10.0)].concat();
        let places = points(&[("t", &[0.05, 0.11, 0.2]), ("x", &[0.25, 0.37, 1.0])]);
        let found = Interpolation::new(&places, &grid).apply(&fields);
        assert_eq!(found[0], fields[1]);
        for (i, (t, x)) in [(0.05, 0.25), (0.11, 0.37), (0.2, 1.0)]
            .into_iter()
            .enumerate()
        {
            assert!((f64::from(found[i]) - value(t, x)).abs() < 1e-6);
            assert!((f64::from(found[3 + i]) - 10.0 - value(t, x)).abs() < 1e-5);
        }
    }

    #[test]
    fn periodic_axes_close_their_ring() {
        let grid = Grid::new(vec![Axis::periodic("x", 4)]);
        let places = points(&[("x", &[0.875, 1.0])]);
        let found = Interpolation::new(&places, &grid).apply(&[1.0, 2.0, 4.0, 3.0]);
        assert_eq!(found, [2.0, 1.0]);
    }
}
