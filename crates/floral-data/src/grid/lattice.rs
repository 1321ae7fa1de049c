//! A grid as the lattice used by symmetries and regressions.

use floral_symmetry::{Lattice, LatticeAxis, Points};

use super::{AxisKind, Grid, POINT};

/// Axes with a periodic domain become periodic. A mesh of more than one point becomes scattered
/// points with weights.
impl From<&Grid> for Lattice {
    fn from(grid: &Grid) -> Self {
        let mesh = grid.mesh().zip(grid.weights());
        if let Some((mesh, weights)) = mesh.filter(|(mesh, _)| mesh.points().count() > 1) {
            let (rows, d) = (mesh.points().rows(), mesh.points().dimension());
            let along = |k: usize| rows.iter().map(|row| row[k]).collect();
            let coordinates: Vec<Vec<f64>> = (0..d).map(along).collect();
            return Self::of_points(POINT, Points::new(&coordinates, weights, mesh.dimension()));
        }
        let axes = grid.axes.iter().map(|axis| LatticeAxis {
            name: axis.name.clone(),
            len: axis.len(),
            periodic: axis.domain.kind == AxisKind::Periodic,
            even: axis.is_even(),
        });
        Self::new(axes.collect())
    }
}
