//! Sparse matrices in compressed rows, for derivatives.

use crate::error::{Error, Result};

/// One entry of a row: a point and its factor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Entry {
    /// The point.
    pub point: usize,
    /// Its factor.
    pub factor: f64,
}

/// A square sparse matrix over the points of a space.
#[derive(Debug, Clone, PartialEq)]
pub struct Sparse {
    /// Start of each row among the entries, followed by their number.
    starts: Vec<usize>,
    entries: Vec<Entry>,
}

impl Sparse {
    /// A matrix with these rows, one per point; entries of the same point are added.
    pub fn from_rows(rows: impl IntoIterator<Item = Vec<Entry>>) -> Result<Self> {
        let (mut starts, mut entries) = (vec![0], Vec::new());
        for row in rows {
            entries.extend(row);
            starts.push(entries.len());
        }
        let points = starts.len() - 1;
        match entries.iter().find(|entry| entry.point >= points) {
            None => Ok(Self { starts, entries }),
            Some(entry) => Err(Error::config(
                "sparse matrix",
                format!(
                    "an entry is for point {} of {points}; give one row per point",
                    entry.point
                ),
            )),
        }
    }

    /// The number of rows.
    pub fn points(&self) -> usize {
        self.starts.len() - 1
    }

    /// The entries of a row.
    #[inline]
    pub fn row(&self, point: usize) -> &[Entry] {
        &self.entries[self.starts[point]..self.starts[point + 1]]
    }

    /// The product of its transpose with a vector; rows with a zero component in the vector are not
    /// read.
    pub(crate) fn transposed_product(&self, vector: &[f64]) -> Vec<f64> {
        let mut product = vec![0.0; self.points()];
        for (point, weight) in vector.iter().enumerate().filter(|(_, w)| **w != 0.0) {
            for entry in self.row(point) {
                product[entry.point] += weight * entry.factor;
            }
        }
        product
    }
}
