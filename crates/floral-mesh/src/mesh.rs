//! A domain of points, with or without cells.

use crate::check;
use crate::measure::Quadrature;
use crate::points::corners;
use crate::{Cells, Error, Points};

/// Points [n, d] and the cells between them, checked.
///
/// All cells have the same topological dimension, a positive measure and positive orientation;
/// every point is a node of a cell; no two points coincide. A mesh without cells is a cloud of
/// points: the neighbours of a point are then the nearest points, and weights come from their
/// density.
///
/// ```
/// use floral_mesh::{CellKind, Cells, Mesh, Points};
///
/// let square = Points::new(&[0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0], 2)?;
/// let triangles = Cells::new(CellKind::Triangle, vec![0, 1, 2, 0, 2, 3])?;
/// let mesh = Mesh::new(square, vec![triangles])?;
/// let area: f64 = mesh.weights().iter().sum();
/// assert!((area - 1.0).abs() < 1e-12);
/// # Ok::<(), floral_mesh::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    points: Points,
    cells: Vec<Cells>,
    reoriented: usize,
}

impl Mesh {
    /// A mesh of points and blocks of cells; a cloud if there are no cells.
    ///
    /// Cells of negative orientation are mirrored: the direction in which nodes are listed is a
    /// convention of the program that wrote them (scikit-fem, SciPy and Delaunay codes have none),
    /// and the cell covers the same region. A cell that is only partly inverted is refused.
    ///
    /// On a line, points without cells are joined in their order along it, so that weights and
    /// interpolation are exact.
    ///
    /// # Errors
    /// With the first bad index: a node out of range or repeated in its cell; a cell of measure
    /// zero, folded, or of a dimension above that of the points; cells of different dimensions;
    /// repeated cells or coinciding points; points that are nodes of no cell.
    pub fn new(points: Points, mut cells: Vec<Cells>) -> Result<Self, Error> {
        cells.retain(|block| block.count() > 0);
        let order = check::distinct(&points)?;
        if cells.is_empty() && points.dimension() == 1 && points.count() > 1 {
            cells.push(check::lines_along(&order)?);
        }
        check::dimensions(&points, &cells)?;
        let mut reoriented = 0;
        for block in &mut cells {
            reoriented += check::cells(&points, block)?;
            check::distinct_cells(block)?;
        }
        if !cells.is_empty() {
            check::all_used(points.count(), &cells)?;
        }
        Ok(Self {
            points,
            cells,
            reoriented,
        })
    }

    /// The points.
    pub fn points(&self) -> &Points {
        &self.points
    }

    /// The blocks of cells; empty for a cloud.
    pub fn cells(&self) -> &[Cells] {
        &self.cells
    }

    /// Number of cells that [`new`](Self::new) mirrored to give them positive orientation.
    pub fn reoriented(&self) -> usize {
        self.reoriented
    }

    /// The topological dimension t of the domain: 2 for a surface in space, d for a cloud.
    pub fn dimension(&self) -> usize {
        self.cells
            .first()
            .map_or(self.points.dimension(), |block| block.kind().dimension())
    }

    /// The measure of every cell, block after block: length, area or volume.
    pub fn measures(&self) -> Vec<f64> {
        let quadratures = self.quadratures().map(|(_, q)| q.measure().abs());
        quadratures.collect()
    }

    /// Every cell with its quadrature.
    pub(crate) fn quadratures(&self) -> impl Iterator<Item = (&[usize], Quadrature)> {
        self.cells.iter().flat_map(move |block| {
            block.iter().map(move |nodes| {
                let corners = corners(&self.points, nodes);
                let dimension = self.points.dimension();
                (nodes, Quadrature::new(block.kind(), &corners, dimension))
            })
        })
    }
}
