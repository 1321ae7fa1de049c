//! Everything the network derives from the condition alone, to be shared by all that use it.

use std::sync::Arc;

use floral_kernels::Modulation;

use crate::operator::grid_constants::GridConstants;
use crate::{Error, Result};

/// The FiLM coefficients of each input, and its grid.
///
/// One row serves a batch of any size; otherwise [`select`](Self::select) gives every sample of
/// a batch its row. Under autodiff the gradients of all samples reach the row they share.
#[derive(Debug, Clone)]
pub struct Context {
    pub(crate) grid: Arc<GridConstants>,
    pub(crate) lift: Modulation,
    pub(crate) layers: Vec<Modulation>,
    pub(crate) linear: Modulation,
}

impl Context {
    /// The number of inputs, or of samples that were given theirs.
    pub fn rows(&self) -> usize {
        self.linear.rows.len()
    }

    /// Rows and columns of the grid; a line has one row, and a block those of all its layers.
    pub fn grid(&self) -> [usize; 2] {
        let [nz, ny, nx] = self.grid.shape;
        [nz * ny, nx]
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
            grid: self.grid.clone(),
            lift: change(&self.lift),
            layers: self.layers.iter().map(&change).collect(),
            linear: change(&self.linear),
        }
    }
}
