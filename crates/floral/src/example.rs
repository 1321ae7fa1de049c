//! A small one-dimensional dataset for the examples of this documentation.

use std::path::Path;

use crate::dataset::Dataset;
use crate::{Arrays, Axis, Field, Grid, Result};

/// Inputs k x for k = 1, ..., 8, each with low fidelity sin(k x) and four realizations
/// sin(k x) + e x.
pub fn example(folder: &Path) -> Result<Dataset> {
    let grid = Grid::new(vec![Axis::closed("x", 16)]);
    let on_grid = |f: &dyn Fn(f64) -> f64| {
        let x = grid.axes[0].coordinates.iter();
        Field::scalar(&grid, x.map(|x| f(*x)).collect())
    };
    let mut arrays = Arrays::new(grid.clone());
    for k in (1..=8).map(f64::from) {
        let high = [-0.1, -0.03, 0.03, 0.1].map(|e| on_grid(&|x| (k * x).sin() + e * x));
        let low = on_grid(&|x| (k * x).sin());
        arrays.push(&on_grid(&|x| k * x), Some(&low), &high)?;
    }
    arrays.write(folder.join("data.zarr"))
}
