//! A mesh as the domain of fields: a grid with one axis, which counts the points of the mesh.

use std::sync::Arc;

use floral_mesh::{CellKind, Cells, Mesh, Points};
use serde::{Deserialize, Serialize};

use super::{Axis, Grid};

/// The name of the axis that counts the points of a mesh.
pub const POINT: &str = "point";

/// A mesh with its quadrature weights, shared by all grids on it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "StoredMesh", into = "StoredMesh")]
pub struct MeshDomain {
    mesh: Arc<Mesh>,
    weights: Arc<[f64]>,
}

impl MeshDomain {
    /// Computes the weights of a mesh once.
    pub fn new(mesh: Mesh) -> Self {
        let mut weights = mesh.weights();
        let mean = weights.iter().sum::<f64>() / weights.len() as f64;
        // Mean 1, so that weighted sums are comparable to sums over points.
        weights.iter_mut().for_each(|weight| *weight /= mean);
        Self {
            mesh: Arc::new(mesh),
            weights: weights.into(),
        }
    }

    /// The mesh.
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// Quadrature weights of the points, normalised to mean 1.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The points with these indices, without cells.
    pub(super) fn picked(&self, at: &[usize]) -> Option<Self> {
        let (points, d) = (self.mesh.points().rows(), self.mesh.points().dimension());
        let coordinates: Vec<f64> = at.iter().flat_map(|i| points[*i][..d].to_vec()).collect();
        let cloud = Mesh::new(Points::new(&coordinates, d).ok()?, Vec::new()).ok()?;
        Some(Self::new(cloud))
    }

    /// A description such as `1346 points, 2565 triangles`.
    pub fn label(&self) -> String {
        let cells = self.mesh.cells().iter();
        let cells = cells.map(|block| crate::counted(block.count(), block.kind().name()));
        let points = crate::counted(self.mesh.points().count(), "point");
        std::iter::once(points)
            .chain(cells)
            .collect::<Vec<_>>()
            .join(", ")
    }
}

/// Meshes are equal if their points and cells are equal.
impl PartialEq for MeshDomain {
    fn eq(&self, other: &Self) -> bool {
        let (one, other) = (&self.mesh, &other.mesh);
        Arc::ptr_eq(one, other) || (one.points() == other.points() && one.cells() == other.cells())
    }
}

impl Grid {
    /// A grid of the points of a mesh.
    pub fn on_mesh(mesh: Mesh) -> Self {
        let count = mesh.points().count();
        let counted = (0..count).map(|i| i as f64).collect();
        Self {
            axes: vec![Axis::from_coordinates(POINT, counted)],
            mesh: Some(MeshDomain::new(mesh)),
        }
    }

    /// A grid of a single point, for scalar solutions.
    pub fn single() -> Self {
        Self::new(vec![Axis::from_coordinates(POINT, vec![0.0])])
    }

    /// The mesh of the grid, if it has one.
    pub fn mesh(&self) -> Option<&Mesh> {
        self.mesh.as_ref().map(MeshDomain::mesh)
    }

    /// Quadrature weights of the points, normalised to mean 1; none for a grid without a mesh.
    pub fn weights(&self) -> Option<&[f64]> {
        self.mesh.as_ref().map(MeshDomain::weights)
    }
}

/// A mesh as stored in checkpoints.
#[derive(Serialize, Deserialize)]
struct StoredMesh {
    dimension: usize,
    /// Coordinates, [point, dimension].
    points: Vec<f64>,
    cells: Vec<StoredCells>,
}

#[derive(Serialize, Deserialize)]
struct StoredCells {
    kind: String,
    /// [cell, node]
    nodes: Vec<usize>,
}

impl From<MeshDomain> for StoredMesh {
    fn from(domain: MeshDomain) -> Self {
        let mesh = domain.mesh();
        let cells = mesh.cells().iter().map(|block| StoredCells {
            kind: block.kind().name().to_owned(),
            nodes: block.nodes().to_vec(),
        });
        Self {
            dimension: mesh.points().dimension(),
            points: mesh.points().coordinates(),
            cells: cells.collect(),
        }
    }
}

impl TryFrom<StoredMesh> for MeshDomain {
    type Error = String;

    fn try_from(stored: StoredMesh) -> Result<Self, String> {
        let faulty = |error: floral_mesh::Error| format!("its mesh cannot be: {error}");
        let points = Points::new(&stored.points, stored.dimension).map_err(faulty)?;
        let cells = stored.cells.into_iter().map(|block| {
            let kind = CellKind::of_name(&block.kind);
            let kind =
                kind.ok_or_else(|| format!("its mesh has unknown cells {:?}", block.kind))?;
            Cells::new(kind, block.nodes).map_err(faulty)
        });
        let cells = cells.collect::<Result<Vec<_>, _>>()?;
        Ok(Self::new(Mesh::new(points, cells).map_err(faulty)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two triangles, with opposite orientations of their node lists.
    fn square() -> Mesh {
        let points = Points::new(&[0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0], 2).unwrap();
        let cells = Cells::new(CellKind::Triangle, vec![0, 1, 2, 0, 3, 2]).unwrap();
        Mesh::new(points, vec![cells]).unwrap()
    }

    #[test]
    fn a_mesh_is_the_same_after_it_was_stored() {
        let grid = Grid::on_mesh(square());
        let text = serde_json::to_string(&grid).unwrap();
        assert_eq!(serde_json::from_str::<Grid>(&text).unwrap(), grid);
        assert!(grid.coincides(&grid.clone()));
        let plain = Grid::new(grid.axes.clone());
        assert!(!serde_json::to_string(&plain).unwrap().contains("mesh"));
        assert!(!plain.coincides(&grid));
    }

    #[test]
    fn weights_have_mean_one_and_follow_the_areas() {
        let grid = Grid::on_mesh(square());
        let weights = grid.weights().unwrap();
        assert!((weights.iter().sum::<f64>() - 4.0).abs() < 1e-12);
        assert!((weights[0] / weights[1] - 2.0).abs() < 1e-12);
    }

    #[test]
    fn a_stored_mesh_with_a_cell_out_of_range_is_refused() {
        let text = serde_json::to_string(&Grid::on_mesh(square())).unwrap();
        let damaged = text.replace("\"nodes\":[0,1,2", "\"nodes\":[0,1,9");
        let refusal = serde_json::from_str::<Grid>(&damaged).unwrap_err();
        assert!(
            refusal.to_string().contains("its mesh cannot be"),
            "{refusal}"
        );
    }
}
