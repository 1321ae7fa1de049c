//! Grids with other numbers of points over the same domain.

use super::{Axis, Grid};
use crate::{Error, Result};

/// The grid with `shape` points over the same domain, evenly spaced along each axis that changes.
pub fn refined_grid(grid: &Grid, shape: &[usize]) -> Result<Grid> {
    if shape.len() != grid.dimensions() || shape.contains(&0) {
        return Err(Error::shape("the resolution", shape.to_vec(), grid.shape()));
    }
    if shape == grid.shape() {
        return Ok(grid.clone());
    }
    if grid.mesh().is_some() {
        return Err(Error::config(
            "the resolution",
            "fields on a mesh have the points of that mesh; give inputs on a finer one \
                     instead",
        ));
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
    fn one_number_is_needed_per_axis() {
        let grid = Grid::new(vec![Axis::times("t", 4, 0.2), Axis::closed("x", 5)]);
        assert!(refined_grid(&grid, &[12]).is_err());
    }
}
