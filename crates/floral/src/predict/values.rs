//! Realizations in memory, in the precision that resolves their spread.

use crate::storage::Precision;

/// Values in single or double precision.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Single precision.
    Single(Vec<f32>),
    /// Double precision.
    Double(Vec<f64>),
}

impl Values {
    /// An empty list in this precision.
    pub fn new(precision: Precision) -> Self {
        match precision {
            Precision::F32 => Self::Single(Vec::new()),
            Precision::F64 => Self::Double(Vec::new()),
        }
    }

    /// Adds values, rounded to the precision.
    pub fn extend(&mut self, values: &[f64]) {
        match self {
            Self::Single(all) => all.extend(values.iter().map(|v| *v as f32)),
            Self::Double(all) => all.extend_from_slice(values),
        }
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        match self {
            Self::Single(all) => all.len(),
            Self::Double(all) => all.len(),
        }
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value at an index; panics if the index is out of range.
    pub fn at(&self, place: usize) -> f64 {
        match self {
            Self::Single(all) => all[place].into(),
            Self::Double(all) => all[place],
        }
    }

    /// Iterates over all values.
    pub fn iter(&self) -> impl Iterator<Item = f64> {
        (0..self.len()).map(|place| self.at(place))
    }

    /// Removes all values but keeps the allocated memory.
    pub fn clear(&mut self) {
        match self {
            Self::Single(all) => all.clear(),
            Self::Double(all) => all.clear(),
        }
    }
}

impl From<Vec<f32>> for Values {
    fn from(values: Vec<f32>) -> Self {
        Self::Single(values)
    }
}

impl From<Vec<f64>> for Values {
    fn from(values: Vec<f64>) -> Self {
        Self::Double(values)
    }
}
