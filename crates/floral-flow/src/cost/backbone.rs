//! The cost of a network of either kind.

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

    /// The memory of training on a grid, or on a mesh of this number of points.
    pub fn memory(&self, grid: &[usize], load: &Load) -> Memory {
        match self {
            Self::Fno(sizes) => Memory::of_training(sizes, grid, load),
            Self::Slices(sizes) => slices::memory(sizes, grid.iter().product(), load),
        }
    }

    /// Samples of a block of training on this number of points, where the device has room for them.
    pub fn block_rows(&self, points: usize) -> usize {
        match self {
            Self::Fno(_) => block_rows(points),
            Self::Slices(_) => slices::block_rows(points),
        }
    }
}
