//! Sparse matrices in compressed rows.

/// A sparse matrix A [rows, columns], stored row by row with columns in increasing order.
#[derive(Clone, Debug, PartialEq)]
pub struct Sparse {
    columns: usize,
    /// Start of each row in `indices` and `values`, followed by their length.
    starts: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
}

impl Sparse {
    /// A matrix from its rows, each a list of (column, value); entries of the same column are
    /// added.
    ///
    /// # Panics
    /// If a column is not below `columns`.
    pub fn from_rows(columns: usize, rows: impl IntoIterator<Item = Vec<(usize, f64)>>) -> Self {
        let mut matrix = Self {
            columns,
            starts: vec![0],
            indices: Vec::new(),
            values: Vec::new(),
        };
        for row in rows {
            matrix.push(row);
        }
        matrix
    }

    fn push(&mut self, mut row: Vec<(usize, f64)>) {
        row.sort_unstable_by_key(|&(column, _)| column);
        let start = self.indices.len();
        for (column, value) in row {
            assert!(column < self.columns, "column {column} of {}", self.columns);
            let index = u32::try_from(column).expect("points are counted by 32 bits");
            if self.indices.len() > start && self.indices.last() == Some(&index) {
                *self.values.last_mut().expect("as many values as indices") += value;
            } else {
                self.indices.push(index);
                self.values.push(value);
            }
        }
        self.starts.push(self.indices.len());
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The number of stored entries.
    pub fn entries(&self) -> usize {
        self.values.len()
    }

    /// The entries of a row as (column, value), in order of columns.
    pub fn row(&self, row: usize) -> impl ExactSizeIterator<Item = (usize, f64)> {
        let range = self.starts[row]..self.starts[row + 1];
        let columns = self.indices[range.clone()].iter().map(|&c| c as usize);
        columns.zip(self.values[range].iter().copied())
    }

    /// A x: `[columns]` -> `[rows]`.
    ///
    /// # Panics
    /// If x does not have one value per column.
    pub fn apply(&self, x: &[f64]) -> Vec<f64> {
        assert_eq!(x.len(), self.columns, "one value per column");
        let sum = |row| self.row(row).map(|(column, value)| value * x[column]).sum();
        (0..self.rows()).map(sum).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_is_that_of_the_dense_matrix() {
        let rows = [vec![(2, 3.0), (0, 1.0)], vec![], vec![(1, 2.0), (1, 0.5)]];
        let matrix = Sparse::from_rows(3, rows);
        assert_eq!(matrix.apply(&[1.0, 2.0, 3.0]), [10.0, 0.0, 5.0]);
        assert_eq!(matrix.entries(), 3);
        assert_eq!(matrix.row(0).collect::<Vec<_>>(), [(0, 1.0), (2, 3.0)]);
    }
}
