//! Everything that the network derives from the condition alone, computed once and shared.

use std::sync::Arc;

use burn::tensor::Tensor;
use floral_kernels::Modulation;

use crate::operator::grid_constants::GridConstants;
use crate::{Error, Result};

/// FiLM coefficients of each input, and the points of the grid or mesh.
///
/// A context of one row serves a batch of any size; otherwise [`select`](Self::select) assigns a
/// row to every sample of a batch. Under autodiff the gradients of all samples add up in the row
/// they share.
#[derive(Debug, Clone)]
pub struct Context {
    pub(crate) place: Place,
    pub(crate) lift: Modulation,
    pub(crate) layers: Vec<Modulation>,
    pub(crate) linear: Modulation,
}

/// The points of a field, for either kind of network.
#[derive(Debug, Clone)]
pub(crate) enum Place {
    Grid(Arc<GridConstants>),
    Nodes(Arc<NodeConstants>),
}

/// Coordinates and quadrature weights of points, on a device.
#[derive(Debug)]
pub(crate) struct NodeConstants {
    /// Rows and columns of the fields.
    pub grid: [usize; 2],
    /// [1, 1, point, channel]
    pub coordinates: Tensor<4>,
    /// Quadrature weights of sum one: [1, 1, point, 1].
    pub weights: Tensor<4>,
}

impl Context {
    /// Number of rows: one per input, or one per sample after [`select`](Self::select).
    pub fn rows(&self) -> usize {
        self.linear.rows.len()
    }

    /// Rows and columns of the grid; a line has one row, and a block has the rows of all its
    /// layers.
    pub fn grid(&self) -> [usize; 2] {
        match &self.place {
            Place::Grid(grid) => {
                let [nz, ny, nx] = grid.shape;
                [nz * ny, nx]
            }
            Place::Nodes(nodes) => nodes.grid,
        }
    }

    /// Whether the context fits a batch of this many samples on this grid.
    pub(crate) fn serves(&self, batch: usize, grid: [usize; 2]) -> bool {
        batch > 0 && [1, batch].contains(&self.rows()) && grid == self.grid()
    }

    /// The context of a batch whose sample i belongs to input `rows[i]`.
    pub fn select(&self, rows: &[usize]) -> Result<Self> {
        if let Some(&row) = rows.iter().find(|&&row| row >= self.rows()) {
            let rows = self.rows();
            return Err(Error::Row { row, rows });
        }
        Ok(self.map(|modulation| Modulation {
            coefficients: modulation.coefficients.clone(),
            rows: rows.iter().map(|&row| modulation.rows[row]).collect(),
        }))
    }

    fn map(&self, change: impl Fn(&Modulation) -> Modulation) -> Self {
        Self {
            place: self.place.clone(),
            lift: change(&self.lift),
            layers: self.layers.iter().map(&change).collect(),
            linear: change(&self.linear),
        }
    }
}
