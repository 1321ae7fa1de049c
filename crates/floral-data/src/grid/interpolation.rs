//! Linear interpolation from a grid, axis by axis: to another grid, to scattered points, or to
//! finer nodes over the same box. Between meshes it is a sparse matrix.

use floral_mesh::Sparse;

use super::{Axis, Grid, Points};
use crate::{Error, Result};

/// Position of a coordinate on an axis: two neighbouring points, and the weight of the second.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Place {
    below: usize,
    above: usize,
    weight: f64,
}

/// Positions of the target points in a grid; they apply to any field.
#[derive(Debug, Clone)]
pub struct Interpolation {
    /// Points per axis of the grid.
    shape: Vec<usize>,
    /// Along each axis of the grid, the positions of the target points.
    along: Vec<Vec<Place>>,
    /// Whether the targets are all combinations of positions (a grid), or point i has position i on
    /// each axis.
    is_product: bool,
    /// Between meshes: the matrix from values at points of one mesh to values at points of the
    /// other.
    matrix: Option<Sparse>,
}

impl Interpolation {
    /// Interpolates to points whose axes are those of the grid.
    pub fn to_points(grid: &Grid, points: &Points) -> Self {
        let wanted = points.axes.iter().map(|(_, along)| along);
        Self {
            shape: grid.shape(),
            along: places(grid, wanted),
            is_product: false,
            matrix: None,
        }
    }

    /// Interpolates to another grid. A periodic axis wraps around; beyond the ends of any other
    /// axis, the line through the last two points is continued. Between meshes, the interpolation
    /// is linear in the cells, or a local linear fit if there are no cells.
    pub fn to_grid(from: &Grid, to: &Grid) -> Result<Self> {
        let wanted = to.axes.iter().map(|axis| &axis.coordinates);
        let matrix = match (from.mesh(), to.mesh()) {
            (None, None) => None,
            (Some(one), Some(other)) => {
                let found = floral_mesh::interpolation(one, other.points());
                Some(found.map_err(|error| refusal(error.to_string()))?.matrix)
            }
            _ => {
                return Err(refusal(
                    "one of them lives on a mesh and the other on a grid; give both on the same"
                        .into(),
                ));
            }
        };
        Ok(Self {
            shape: from.shape(),
            along: places(from, wanted),
            is_product: true,
            matrix,
        })
    }

    /// Interpolates between nodes of the same box, both evenly spaced from end to end, with at
    /// least two nodes along each axis.
    pub fn between_nodes(from: &[usize], to: &[usize]) -> Self {
        let nodes = |(&m, &n): (&usize, &usize)| (0..n).map(|i| Place::of_node(i, m, n)).collect();
        Self {
            shape: from.to_vec(),
            along: from.iter().zip(to).map(nodes).collect(),
            is_product: true,
            matrix: None,
        }
    }

    /// Number of interpolated values for `on_grid` values on the grid.
    pub fn values(&self, on_grid: usize) -> usize {
        on_grid / self.grid_points() * self.points()
    }

    /// Interpolates a stack of fields: [.., grid...] -> [.., target point].
    pub fn apply<T: Copy + Into<f64>>(&self, values: &[T]) -> Vec<f64> {
        if let Some(matrix) = &self.matrix {
            let fields = values.chunks_exact(self.grid_points());
            let field = |field: &[T]| -> Vec<f64> { field.iter().map(|v| (*v).into()).collect() };
            return fields.flat_map(|f| matrix.apply(&field(f))).collect();
        }
        let mut wanted = Vec::with_capacity(self.values(values.len()));
        let mut places = Vec::with_capacity(self.shape.len());
        for field in values.chunks_exact(self.grid_points()) {
            for point in 0..self.points() {
                self.locate(point, &mut places);
                wanted.push(blend(field, &self.shape, &places));
            }
        }
        wanted
    }

    /// Applies the transpose to sparse entries (index, factor): from a stack [.., target point] to
    /// one [.., grid...].
    pub fn transposed(&self, entries: &[(usize, f64)]) -> Vec<(usize, f64)> {
        let (points, inner) = (self.points().max(1), self.grid_points());
        let mut all = Vec::new();
        for (place, factor) in entries {
            let (field, point) = (place / points, place % points);
            let corner = |(index, weight): (usize, f64)| (field * inner + index, factor * weight);
            all.extend(self.corners(point).into_iter().map(corner));
        }
        all
    }

    /// The grid points that determine the value at a target point, with their weights.
    fn corners(&self, point: usize) -> Vec<(usize, f64)> {
        if let Some(matrix) = &self.matrix {
            return matrix.row(point).collect();
        }
        let mut places = Vec::with_capacity(self.shape.len());
        self.locate(point, &mut places);
        let mut corners = vec![(0, 1.0)];
        for (place, len) in places.iter().zip(&self.shape) {
            let both = |(index, weight): (usize, f64)| {
                let below = (index * len + place.below, weight * (1.0 - place.weight));
                [below, (index * len + place.above, weight * place.weight)]
            };
            corners = corners.into_iter().flat_map(both).collect();
            corners.retain(|(_, weight)| *weight != 0.0);
        }
        corners
    }

    /// The positions of a target point along the axes; the last axis varies fastest.
    fn locate(&self, point: usize, places: &mut Vec<Place>) {
        places.clear();
        let mut stride = self.points();
        for along in &self.along {
            if self.is_product {
                stride /= along.len();
                places.push(along[point / stride % along.len()]);
            } else {
                places.push(along[point]);
            }
        }
    }

    fn points(&self) -> usize {
        let mut lengths = self.along.iter().map(Vec::len);
        if self.is_product {
            lengths.product()
        } else {
            lengths.next().unwrap_or(0)
        }
    }

    fn grid_points(&self) -> usize {
        self.shape.iter().product::<usize>().max(1)
    }
}

fn refusal(reason: String) -> Error {
    Error::config("interpolation", reason)
}

/// The positions of coordinates along each axis.
fn places<'a>(grid: &Grid, wanted: impl Iterator<Item = &'a Vec<f64>>) -> Vec<Vec<Place>> {
    let axes = grid.axes.iter().zip(wanted);
    axes.map(|(axis, along)| along.iter().map(|x| Place::of(axis, *x)).collect())
        .collect()
}

impl Place {
    /// The position of a coordinate on an axis.
    fn of(axis: &Axis, x: f64) -> Self {
        let (points, period) = (&axis.coordinates, axis.domain.length());
        let (Some(first), Some(last)) = (points.first(), points.last()) else {
            return Self::at(0);
        };
        if axis.domain.is_periodic() && (x < *first || x > *last) {
            let beyond = (x - last).rem_euclid(period);
            let seam = first + period - last;
            // Beyond the seam, the coordinate lies between two stored points.
            if beyond <= seam {
                return Self {
                    below: points.len() - 1,
                    above: 0,
                    weight: beyond / seam,
                };
            }
            return Self::among(points, last + beyond - period);
        }
        Self::among(points, x)
    }

    /// The position between points in increasing order, or beyond them.
    fn among(points: &[f64], x: f64) -> Self {
        if points.len() < 2 {
            return Self::at(0);
        }
        let below = points
            .partition_point(|p| *p <= x)
            .clamp(1, points.len() - 1)
            - 1;
        Self {
            below,
            above: below + 1,
            weight: (x - points[below]) / (points[below + 1] - points[below]),
        }
    }

    /// Node i of n, relative to m nodes of the same interval, both evenly spaced from end to end.
    fn of_node(i: usize, m: usize, n: usize) -> Self {
        // Integer arithmetic, so that common nodes of both grids coincide exactly.
        let below = (i * (m - 1) / (n - 1)).min(m - 2);
        let beyond = i * (m - 1) - below * (n - 1);
        Self {
            below,
            above: below + 1,
            weight: beyond as f64 / (n - 1) as f64,
        }
    }

    fn at(point: usize) -> Self {
        Self {
            below: point,
            above: point,
            weight: 0.0,
        }
    }
}

/// The interpolated value at these positions, recursing over the axes.
fn blend<T: Copy + Into<f64>>(field: &[T], shape: &[usize], places: &[Place]) -> f64 {
    let ([_, shape @ ..], [place, places @ ..]) = (shape, places) else {
        return field[0].into();
    };
    let inner: usize = shape.iter().product();
    let at = |i: usize| blend(&field[i * inner..][..inner], shape, places);
    at(place.below) * (1.0 - place.weight) + at(place.above) * place.weight
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Domain;

    fn points(axes: &[(&str, &[f64])]) -> Points {
        let axes = axes.iter();
        Points {
            axes: axes
                .map(|(name, along)| ((*name).to_owned(), along.to_vec()))
                .collect(),
            units: Vec::new(),
        }
    }

    #[test]
    fn a_bilinear_field_is_exact_anywhere_and_grid_points_keep_their_values() {
        let grid = Grid::new(vec![Axis::times("t", 4, 0.2), Axis::closed("x", 5)]);
        let value = |t: f64, x: f64| 1.0 + 3.0 * t - 2.0 * x + 4.0 * t * x;
        let channel = |shift: f64| {
            let points = (0..grid.len()).map(|i| grid.point(i));
            points
                .map(|p| shift + value(p[0], p[1]))
                .collect::<Vec<_>>()
        };
        let fields = [channel(0.0), channel(10.0)].concat();
        let places = points(&[("t", &[0.05, 0.11, 0.2]), ("x", &[0.25, 0.37, 1.0])]);
        let interpolation = Interpolation::to_points(&grid, &places);
        let found = interpolation.apply(&fields);
        assert_eq!(found.len(), interpolation.values(fields.len()));
        assert_eq!(found[0], fields[1]);
        for (i, (t, x)) in [(0.05, 0.25), (0.11, 0.37), (0.2, 1.0)]
            .into_iter()
            .enumerate()
        {
            assert!((found[i] - value(t, x)).abs() < 1e-14);
            assert!((found[3 + i] - 10.0 - value(t, x)).abs() < 1e-14);
        }
    }

    /// a . (I u) = (I' a) . u.
    #[test]
    fn the_transpose_sees_the_same() {
        let grid = Grid::new(vec![Axis::times("t", 4, 0.2), Axis::periodic("x", 5)]);
        let places = points(&[("t", &[0.05, 0.11]), ("x", &[0.95, 0.37])]);
        let interpolation = Interpolation::to_points(&grid, &places);
        let field: Vec<f64> = (0..40).map(|i| f64::from(i).sin()).collect();
        let entries = [(0, 2.0), (3, -1.0)];
        let read = |entries: &[(usize, f64)], field: &[f64]| -> f64 {
            entries
                .iter()
                .map(|(place, factor)| factor * field[*place])
                .sum()
        };
        let found = read(&interpolation.transposed(&entries), &field);
        assert!((found - read(&entries, &interpolation.apply(&field))).abs() < 1e-13);
    }

    #[test]
    fn a_trilinear_field_is_exact_at_points_and_on_a_finer_grid() {
        let axes = |n: [usize; 3]| {
            let z = Axis::over(Domain::closed(-1.0, 2.0), "z", n[0]);
            Grid::new(vec![
                z,
                Axis::times("t", n[1], 0.5),
                Axis::closed("x", n[2]),
            ])
        };
        let value = |p: &[f64]| {
            let (z, t, x) = (p[0], p[1], p[2]);
            1.0 + z - 2.0 * t + 3.0 * x + z * t - t * x + 2.0 * z * x + 4.0 * z * t * x
        };
        let field = |grid: &Grid| -> Vec<f64> {
            let points = (0..grid.len()).map(|i| grid.point(i));
            points.map(|p| value(&p)).collect()
        };
        let (coarse, fine) = (axes([4, 5, 3]), axes([9, 10, 8]));
        let found = Interpolation::to_grid(&coarse, &fine).unwrap();
        let found = found.apply(&field(&coarse));
        for (found, expected) in found.iter().zip(field(&fine)) {
            assert!((found - expected).abs() < 1e-13, "{found} {expected}");
        }
        let places = points(&[
            ("z", &[-0.7, 1.9]),
            ("t", &[0.2, 0.31]),
            ("x", &[0.9, 0.05]),
        ]);
        let found = Interpolation::to_points(&coarse, &places).apply(&field(&coarse));
        for (i, at) in [[-0.7, 0.2, 0.9], [1.9, 0.31, 0.05]].iter().enumerate() {
            assert!((found[i] - value(at)).abs() < 1e-13);
        }
    }

    #[test]
    fn a_grid_interpolated_to_itself_is_the_same_to_the_last_bit() {
        let grid = Grid::new(vec![Axis::times("t", 7, 0.3), Axis::periodic("x", 6)]);
        let field: Vec<f64> = (0..42).map(|i| f64::from(i).sin()).collect();
        assert_eq!(
            Interpolation::to_grid(&grid, &grid).unwrap().apply(&field),
            field
        );
    }

    #[test]
    fn periodic_axes_close_their_ring_however_often_it_is_walked_around() {
        let ring = [1.0f32, 2.0, 4.0, 3.0];
        for (from, to) in [(0.0, 1.0), (-180.0, 180.0)] {
            let domain = Domain::periodic(from, to);
            let grid = Grid::new(vec![Axis::over(domain, "x", 4)]);
            let at = [0.875, 1.0, 0.375, -0.125, 1.375, -0.625, 2.875];
            let along = at.map(|x| from + (to - from) * x);
            let found = Interpolation::to_points(&grid, &points(&[("x", &along)])).apply(&ring);
            assert_eq!(found, [2.0, 1.0, 3.0, 2.0, 3.0, 3.0, 2.0]);
        }
    }

    #[test]
    fn nodes_reproduce_bilinear_fields_and_meet_exactly() {
        let field = |n: usize| -> Vec<f64> {
            let at = |i: usize| i as f64 / (n - 1) as f64;
            let value = |x: f64, y: f64| 1.0 + 2.0 * x - 3.0 * y + 5.0 * x * y;
            (0..n * n).map(|k| value(at(k / n), at(k % n))).collect()
        };
        for (m, n) in [(4, 16), (2, 9), (16, 64), (8, 8)] {
            let fine = Interpolation::between_nodes(&[m, m], &[n, n]).apply(&field(m));
            let gaps = fine.iter().zip(field(n)).map(|(a, b)| (a - b).abs());
            assert!(gaps.fold(0.0, f64::max) < 1e-14);
        }
        let coarse: Vec<f64> = (0..25).map(|i| f64::from(i).cos()).collect();
        let fine = Interpolation::between_nodes(&[5, 5], &[9, 9]).apply(&coarse);
        for i in 0..25 {
            assert_eq!(fine[i / 5 * 18 + i % 5 * 2], coarse[i]);
        }
    }

    #[test]
    fn an_axis_of_one_point_is_constant() {
        let grid = Grid::new(vec![Axis::closed("x", 1)]);
        let finer = Grid::new(vec![Axis::closed("x", 3)]);
        assert_eq!(
            Interpolation::to_grid(&grid, &finer).unwrap().apply(&[7.0]),
            [7.0; 3]
        );
    }
}
