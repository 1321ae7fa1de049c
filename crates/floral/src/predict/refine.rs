//! Fields on another grid over the same domain, by linear interpolation along each axis.

use crate::{Axis, Error, Field, Grid, Result};

/// Differences of coordinates, in units of the spacing, that count as rounding.
const ROUNDING: f64 = 1e-3;

/// How an axis continues beyond its points, as its coordinates tell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind {
    /// i/n of the unit interval, whose ends are the same point.
    Periodic,
    /// Times from one step after the beginning, which is not stored.
    Times,
    /// From its first point to its last.
    Closed,
}

impl Kind {
    pub(super) fn of(axis: &Axis) -> Self {
        let (h, points) = (axis.spacing(), &axis.coordinates);
        let near = |a: f64, b: f64| (a - b).abs() < ROUNDING * h;
        match (points.first(), points.last()) {
            (Some(&first), Some(&last)) if near(first, 0.0) && near(last + h, 1.0) => {
                Self::Periodic
            }
            (Some(&first), _) if near(first, h) => Self::Times,
            _ => Self::Closed,
        }
    }
}

/// The grid with other numbers of points over the same domain.
///
/// An axis of points i/n stays one, an axis that begins one step after zero is one of times and
/// does so again, and any other keeps its first and last point.
pub fn refined_grid(grid: &Grid, shape: &[usize]) -> Result<Grid> {
    if shape.len() != grid.dimensions() || shape.contains(&0) {
        return Err(Error::Shape {
            what: "the resolution".into(),
            found: shape.to_vec(),
            expected: grid.shape(),
        });
    }
    let axes = grid.axes.iter().zip(shape);
    Ok(Grid::new(
        axes.map(|(axis, &n)| refined_axis(axis, n)).collect(),
    ))
}

fn refined_axis(axis: &Axis, n: usize) -> Axis {
    let ends = axis.coordinates.first().zip(axis.coordinates.last());
    let (first, last) = ends.map_or((0.0, 0.0), |(first, last)| (*first, *last));
    match Kind::of(axis) {
        _ if n == axis.len() => axis.clone(),
        Kind::Periodic => Axis::periodic(&axis.name, n),
        Kind::Times => Axis::times(&axis.name, n, last),
        Kind::Closed => {
            let mut unit = Axis::closed(&axis.name, n);
            for coordinate in &mut unit.coordinates {
                *coordinate = first + (last - first) * *coordinate;
            }
            unit
        }
    }
}

/// The field on another grid, linear between its points: around the ends of a periodic axis,
/// beyond the ends of any other along the line through the last two points.
pub fn refined(field: &Field, from: &Grid, to: &Grid) -> Result<Field> {
    if field.grid_shape() != from.shape() || from.dimensions() != to.dimensions() {
        return Err(Error::Shape {
            what: "the field to interpolate".into(),
            found: field.grid_shape().to_vec(),
            expected: from.shape(),
        });
    }
    let mut values = field.values().to_vec();
    for (i, (old, new)) in from.axes.iter().zip(&to.axes).enumerate() {
        let inner: usize = from.axes[i + 1..].iter().map(Axis::len).product();
        values = along(&values, inner, old, new);
    }
    Field::from_values(field.channels(), &to.shape(), values)
}

/// values: [outer, old, inner] -> [outer, new, inner].
fn along(values: &[f64], inner: usize, old: &Axis, new: &Axis) -> Vec<f64> {
    if old == new {
        return values.to_vec();
    }
    let kind = Kind::of(old);
    let places: Vec<_> = new
        .coordinates
        .iter()
        .map(|x| place(old, kind, *x))
        .collect();
    let mut out = Vec::with_capacity(values.len() / old.len() * new.len());
    for block in values.chunks_exact(old.len() * inner) {
        for &(a, b, weight) in &places {
            let (a, b) = (&block[a * inner..][..inner], &block[b * inner..][..inner]);
            out.extend(a.iter().zip(b).map(|(a, b)| a + weight * (b - a)));
        }
    }
    out
}

/// The two points between which x lies, and the weight of the second.
pub(super) fn place(axis: &Axis, kind: Kind, x: f64) -> (usize, usize, f64) {
    let points = &axis.coordinates;
    let last = points.len() - 1;
    if last == 0 {
        return (0, 0, 0.0);
    }
    if kind == Kind::Periodic && x > points[last] {
        let weight = (x - points[last]) / (points[0] + 1.0 - points[last]);
        return (last, 0, weight);
    }
    let a = points.partition_point(|p| *p <= x).clamp(1, last) - 1;
    (a, a + 1, (x - points[a]) / (points[a + 1] - points[a]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_are_refined_over_the_same_domain() {
        let refine = |axis: Axis, n| refined_axis(&axis, n).coordinates;
        assert_eq!(
            refine(Axis::periodic("x", 4), 8),
            Axis::periodic("x", 8).coordinates
        );
        assert_eq!(
            refine(Axis::times("t", 4, 0.2), 8),
            Axis::times("t", 8, 0.2).coordinates
        );
        assert_eq!(
            refine(Axis::closed("x", 5), 9),
            Axis::closed("x", 9).coordinates
        );
    }

    #[test]
    fn linear_fields_are_refined_exactly() {
        let from = Grid::new(vec![Axis::times("t", 4, 0.2), Axis::closed("x", 5)]);
        let to = refined_grid(&from, &[12, 9]).unwrap();
        let linear = |grid: &Grid| {
            let value = |i: usize| 1.0 + 3.0 * grid.point(i)[0] - 2.0 * grid.point(i)[1];
            Field::scalar(grid, (0..grid.len()).map(value).collect())
        };
        let found = refined(&linear(&from), &from, &to).unwrap();
        for (found, expected) in found.values().iter().zip(linear(&to).values()) {
            assert!((found - expected).abs() < 1e-12);
        }
        assert!(refined_grid(&from, &[12]).is_err());
    }

    #[test]
    fn periodic_fields_are_linear_around_the_ends() {
        let from = Grid::new(vec![Axis::periodic("x", 4)]);
        let to = refined_grid(&from, &[8]).unwrap();
        let field = Field::scalar(&from, vec![1.0, 2.0, 4.0, 3.0]);
        let found = refined(&field, &from, &to).unwrap();
        assert_eq!(found.values(), [1.0, 1.5, 2.0, 3.0, 4.0, 3.5, 3.0, 2.0]);
    }
}
