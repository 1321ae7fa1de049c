//! Realizations in memory, in the precision that holds their spread.

use crate::storage::Precision;

/// Values of 32 or 64 bits.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Of 32 bits.
    Single(Vec<f32>),
    /// Of 64 bits.
    Double(Vec<f64>),
}

impl Values {
    /// None yet.
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

    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Single(all) => all.len(),
            Self::Double(all) => all.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value at a place, which is there.
    pub fn at(&self, place: usize) -> f64 {
        match self {
            Self::Single(all) => all[place].into(),
            Self::Double(all) => all[place],
        }
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = f64> {
        (0..self.len()).map(|place| self.at(place))
    }

    /// Removes all, and keeps the room.
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
