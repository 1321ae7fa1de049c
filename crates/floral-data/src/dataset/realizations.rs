//! The realizations of one input's solution, as returned by `reader.rs`, and exact moments.

use crate::Field;

/// The realizations of one input's solution: [realization, channel, grid...].
#[derive(Debug, Clone, PartialEq)]
pub struct Realizations {
    shape: Vec<usize>,
    values: Vec<f64>,
}

impl Realizations {
    pub(super) fn new(shape: Vec<usize>, values: Vec<f64>) -> Self {
        Self { shape, values }
    }

    /// [realization, channel, grid...]
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Number of realizations.
    pub fn len(&self) -> usize {
        self.shape[0]
    }

    /// Whether there are no realizations.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All values, realization by realization.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Consumes the realizations and returns their values.
    pub fn into_values(self) -> Vec<f64> {
        self.values
    }

    /// The values of each realization: [channel, grid...].
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        let size = self.shape[1..].iter().product::<usize>().max(1);
        self.values.chunks_exact(size)
    }
}

/// Mean and variance of a random solution at every point.
#[derive(Debug, Clone)]
pub struct ExactMoments {
    /// The mean field.
    pub mean: Field,
    /// The variance field.
    pub variance: Field,
}
