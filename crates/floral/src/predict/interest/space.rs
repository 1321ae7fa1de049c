//! The space on which quantities of interest are integrated, differentiated and interpolated: a
//! grid with or without masked points, or a mesh.

use floral_quantities::{Entry, Error, GridAxis, GridSpace, Space, Sparse};

use super::refused;
use crate::grid::Mask;
use crate::mesh::{Mesh, Points, interpolation};
use crate::{Axis, AxisKind, Grid, Result};

/// A space that threads can share.
pub type SharedSpace = Box<dyn Space + Send + Sync>;

/// The space of a grid, or of the mesh that it carries. Points outside the domain have zero weight
/// and are never read.
pub fn space(grid: &Grid, mask: Option<&Mask>) -> Result<SharedSpace> {
    if let Some(mesh) = grid.mesh() {
        return Ok(Box::new(MeshSpace(mesh.clone())));
    }
    let axes = grid.axes.iter().map(along).collect::<Result<Vec<_>>>()?;
    let tensor = GridSpace::new(axes).map_err(refused)?;
    Ok(Box::new(match mask {
        None => tensor,
        Some(mask) => {
            let inside = mask.outside().iter().map(|outside| !outside).collect();
            tensor.with_mask(inside).map_err(refused)?
        }
    }))
}

/// The axis for integration; a time axis extends from the first stored time to the last.
fn along(axis: &Axis) -> Result<GridAxis> {
    let (name, coordinates) = (axis.name.clone(), axis.coordinates.clone());
    let along = match axis.domain.kind {
        AxisKind::Periodic => {
            let ends = [axis.domain.from, axis.domain.to];
            GridAxis::periodic(name, coordinates, ends)
        }
        AxisKind::Closed | AxisKind::Times => GridAxis::closed(name, coordinates),
    };
    along.map_err(refused)
}

/// A mesh with lumped quadrature weights, least-squares gradients and piecewise linear
/// interpolation.
struct MeshSpace(Mesh);

impl Space for MeshSpace {
    fn points(&self) -> usize {
        self.0.points().count()
    }

    fn axes(&self) -> usize {
        self.0.points().dimension()
    }

    fn coordinate(&self, axis: usize, point: usize) -> f64 {
        self.0.points().rows()[point][axis]
    }

    fn weights(&self) -> Vec<f64> {
        self.0.weights()
    }

    fn derivative(&self, axis: usize) -> floral_quantities::Result<Sparse> {
        let along = &self.0.gradients()[axis];
        Sparse::from_rows((0..along.rows()).map(|point| entries(along.row(point))))
    }

    fn interpolation(&self, place: &[f64]) -> floral_quantities::Result<Vec<Entry>> {
        let refused = |reason: String| Error::Config {
            context: format!("at {place:?}"),
            reason,
        };
        let points = Points::new(place, self.axes()).map_err(|e| refused(e.to_string()))?;
        let found = interpolation(&self.0, &points).map_err(|e| refused(e.to_string()))?;
        if found.outside > 0 {
            return Err(refused(
                "is outside of the mesh; choose a place in it".into(),
            ));
        }
        Ok(entries(found.matrix.row(0)))
    }
}

fn entries(row: impl Iterator<Item = (usize, f64)>) -> Vec<Entry> {
    row.map(|(point, factor)| Entry { point, factor }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{CellKind, Cells};

    /// The unit square as two triangles.
    fn square() -> SharedSpace {
        let corners = [0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0];
        let points = Points::new(&corners, 2).unwrap();
        let cells = Cells::new(CellKind::Triangle, vec![0, 1, 2, 0, 2, 3]).unwrap();
        let grid = Grid::on_mesh(Mesh::new(points, vec![cells]).unwrap());
        space(&grid, None).unwrap()
    }

    /// For u = 1 + 2 x + 3 y, integral, derivative and interpolated value are exact.
    #[test]
    fn linear_fields_on_a_mesh_are_integrated_derived_and_interpolated_exactly() {
        let square = square();
        let u: Vec<f64> = (0..4)
            .map(|i| 1.0 + 2.0 * square.coordinate(0, i) + 3.0 * square.coordinate(1, i))
            .collect();
        let product = |row: &[Entry]| row.iter().map(|e| e.factor * u[e.point]).sum::<f64>();
        let integral: f64 = square.weights().iter().zip(&u).map(|(w, u)| w * u).sum();
        assert!((integral - 3.5).abs() < 1e-12);
        for point in 0..4 {
            let slope = product(square.derivative(1).unwrap().row(point));
            assert!((slope - 3.0).abs() < 1e-10, "{slope}");
        }
        let there = product(&square.interpolation(&[0.25, 0.5]).unwrap());
        assert!((there - 3.0).abs() < 1e-12);
        let refusal = square.interpolation(&[2.0, 0.5]).unwrap_err();
        assert!(
            refusal.to_string().contains("outside of the mesh"),
            "{refusal}"
        );
    }
}
