//! Cost of either kind of network: Fourier operator or slice attention.

use super::memory::parameters;
use super::{Load, Memory, block_rows, slices};
use crate::network::Backbone;

impl Backbone {
    /// Number of weights.
    pub fn parameters(&self) -> f64 {
        match self {
            Self::Fno(sizes) => parameters(sizes),
            Self::Slices(sizes) => slices::parameters(sizes),
        }
    }

    /// Memory for training on a grid, or on a mesh with this number of points.
    pub fn memory(&self, grid: &[usize], load: &Load) -> Memory {
        match self {
            Self::Fno(sizes) => Memory::of_training(sizes, grid, load),
            Self::Slices(sizes) => slices::memory(sizes, grid.iter().product(), load),
        }
    }

    /// Samples per training block for this number of points, if the device has room for them.
    pub fn block_rows(&self, points: usize) -> usize {
        match self {
            Self::Fno(_) => block_rows(points),
            Self::Slices(_) => slices::block_rows(points),
        }
    }
}
