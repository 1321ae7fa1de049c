//! Grids with other numbers of points over the same domain, and fields carried over to them.

use super::{Axis, Grid, Interpolation};
use crate::{Error, Field, Result};

/// The grid with other numbers of points over the same domain, evenly spaced.
pub fn refined_grid(grid: &Grid, shape: &[usize]) -> Result<Grid> {
    if shape.len() != grid.dimensions() || shape.contains(&0) {
        return Err(Error::Shape {
            what: "the resolution".into(),
            found: shape.to_vec(),
            expected: grid.shape(),
        });
    }
    let refined = |(axis, &n): (&Axis, &usize)| {
        if n == axis.len() {
            axis.clone()
        } else {
            axis.resampled(n)
        }
    };
    let axes = grid.axes.iter().zip(shape);
    Ok(Grid::new(axes.map(refined).collect()))
}

/// The field on another grid, by linear [`Interpolation`].
pub fn refined(field: &Field, from: &Grid, to: &Grid) -> Result<Field> {
    if field.grid_shape() != from.shape() || from.dimensions() != to.dimensions() {
        return Err(Error::Shape {
            what: "the field to interpolate".into(),
            found: field.grid_shape().to_vec(),
            expected: from.shape(),
        });
    }
    if from.coincides(to) {
        return Ok(field.clone());
    }
    let values = Interpolation::to_grid(from, to).apply(field.values());
    Field::from_values(field.channels(), &to.shape(), values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Domain;

    #[test]
    fn axes_are_refined_over_the_same_domain() {
        for axis in [
            Axis::periodic("x", 4),
            Axis::times("t", 4, 0.2),
            Axis::closed("x", 5),
            Axis::over(Domain::periodic(-180.0, 180.0), "x", 4),
        ] {
            let expected = Axis::over(axis.domain, &axis.name, 8);
            let grid = refined_grid(&Grid::new(vec![axis]), &[8]).unwrap();
            assert_eq!(grid.axes, [expected]);
        }
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
