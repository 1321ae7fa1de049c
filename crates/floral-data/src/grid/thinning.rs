//! Thinning: every s-th point of each axis, from the first on.
//!
//! Used for training on a coarser grid, by the low-fidelity solver of Darcy, and for the quantiles
//! in a report.

use super::{Axis, Grid};

/// A selection of regularly spaced points of a grid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thinning {
    shape: Vec<usize>,
    strides: Vec<usize>,
    /// Indices of the kept points in memory.
    kept: Vec<usize>,
}

impl Thinning {
    /// Keeps every s-th point of each axis of a grid with this shape.
    pub fn every(shape: &[usize], strides: &[usize]) -> Self {
        let points = shape.iter().product();
        let is_kept = |mut index: usize| {
            shape.iter().zip(strides).rev().all(|(&n, &stride)| {
                let position = index % n;
                index /= n;
                position.is_multiple_of(stride.max(1))
            })
        };
        Self {
            shape: shape.to_vec(),
            strides: strides.iter().map(|stride| *stride.max(&1)).collect(),
            kept: (0..points).filter(|&index| is_kept(index)).collect(),
        }
    }

    /// Keeps this number of points per axis, or one number for all axes; none unless the numbers of
    /// points are divisible by it.
    pub fn to(shape: &[usize], wanted: &[usize]) -> Option<Self> {
        let divides = |(&full, &wanted): (&usize, &usize)| {
            (wanted > 0 && full % wanted == 0).then(|| full / wanted)
        };
        let strides: Option<Vec<usize>> = match wanted {
            [one] => shape.iter().map(|n| divides((n, one))).collect(),
            _ if wanted.len() == shape.len() => shape.iter().zip(wanted).map(divides).collect(),
            _ => None,
        };
        Some(Self::every(shape, &strides?))
    }

    /// Indices of the kept points in memory.
    pub fn kept(&self) -> &[usize] {
        &self.kept
    }

    /// Number of kept points per axis.
    pub fn shape(&self) -> Vec<usize> {
        let axes = self.shape.iter().zip(&self.strides);
        axes.map(|(n, stride)| n.div_ceil(*stride)).collect()
    }

    /// The kept points as a grid, with the domain of the full grid.
    pub fn grid(&self, grid: &Grid) -> Grid {
        if self.kept.len() == grid.len() {
            return grid.clone();
        }
        let axes = grid.axes.iter().zip(&self.strides);
        let thinned = axes.map(|(axis, &stride)| Axis {
            coordinates: axis.coordinates.iter().copied().step_by(stride).collect(),
            ..axis.clone()
        });
        Grid {
            axes: thinned.collect(),
            mesh: grid.mesh.as_ref().and_then(|m| m.picked(&self.kept)),
        }
    }

    /// Thins a stack of fields: [.., point] -> [.., kept point].
    pub fn apply<T: Copy>(&self, values: &[T]) -> Vec<T> {
        picked(values, self.shape.iter().product(), &self.kept)
    }
}

/// Selects points of a stack of fields: [.., point] -> [.., selected point].
pub fn picked<T: Copy>(values: &[T], points: usize, at: &[usize]) -> Vec<T> {
    let fields = values.chunks_exact(points.max(1));
    fields
        .flat_map(|field| at.iter().map(|&index| field[index]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_second_point_of_every_third_row_is_taken() {
        let values: Vec<f64> = (0..48).map(f64::from).collect();
        let taken = Thinning::every(&[6, 4], &[3, 2]).apply(&values);
        assert_eq!(taken, [0.0, 2.0, 12.0, 14.0, 24.0, 26.0, 36.0, 38.0]);
    }

    #[test]
    fn the_first_point_stays_and_so_does_the_domain() {
        let grid = Grid::new(vec![Axis::times("t", 9, 0.2), Axis::periodic("x", 8)]);
        for strides in [[1, 1], [2, 4], [9, 8], [5, 3]] {
            let thinning = Thinning::every(&grid.shape(), &strides);
            let thinned = thinning.grid(&grid);
            assert_eq!(thinning.kept()[0], 0);
            assert_eq!(thinned.point(0), grid.point(0));
            assert_eq!(thinned.shape(), thinning.shape());
            assert_eq!(thinned.len(), thinning.kept().len());
            for (axis, full) in thinned.axes.iter().zip(&grid.axes) {
                assert_eq!(axis.domain, full.domain);
            }
            for (i, &kept) in thinning.kept().iter().enumerate() {
                assert_eq!(thinned.point(i), grid.point(kept));
            }
        }
    }

    #[test]
    fn a_thinned_periodic_axis_is_the_periodic_axis_of_fewer_points() {
        let grid = Grid::new(vec![Axis::periodic("x", 16)]);
        let thinned = Thinning::to(&[16], &[4]).unwrap().grid(&grid);
        assert_eq!(thinned, Grid::new(vec![Axis::periodic("x", 4)]));
    }

    #[test]
    fn resolutions_that_do_not_divide_are_refused() {
        let strides =
            |shape: &[usize], wanted: &[usize]| Thinning::to(shape, wanted).map(|t| t.strides);
        assert_eq!(strides(&[64, 64], &[16]), Some(vec![4, 4]));
        assert_eq!(strides(&[64, 128], &[16, 128]), Some(vec![4, 1]));
        assert_eq!(strides(&[64, 64], &[48]), None);
        assert_eq!(strides(&[64, 64], &[0]), None);
        assert_eq!(strides(&[64], &[8, 8]), None);
    }
}
