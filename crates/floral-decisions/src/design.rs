//! The design for Sobol indices: points that differ in one coordinate only.

use crate::sequence::{Lattice, POINTS};
use crate::{Error, Result};

/// Number of independent shifts, from whose differences standard errors are estimated. It is small:
/// one long lattice fills the cube better than several short ones.
const BLOCKS: usize = 4;

/// Saltelli's design in blocks of rows. A row has d + 2 points of the unit cube: a, b, and for each
/// coordinate i the point a with coordinate i of b. Saltelli et al., Computer Physics
/// Communications 181 (2010).
///
/// The rows of a block form a lattice. Blocks have independent random shifts, so that their
/// estimates are independent and each is unbiased. (The rows of a lattice are not independent of
/// each other: a bootstrap over them would give intervals that are too wide.)
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Design {
    parameters: usize,
    lattice: Lattice,
    seed: u64,
}

/// The points of a row, or values at these points.
#[derive(Debug, Clone, PartialEq)]
pub struct Row<T> {
    /// At the point a.
    pub a: T,
    /// At the point b.
    pub b: T,
    /// For each coordinate, at the point a with this coordinate of b.
    pub mixed: Vec<T>,
}

impl<T> Row<T> {
    /// Applies a function to each element.
    pub fn map<'a, U>(&'a self, of: impl Fn(&'a T) -> U) -> Row<U> {
        Row {
            a: of(&self.a),
            b: of(&self.b),
            mixed: self.mixed.iter().map(of).collect(),
        }
    }

    /// All elements: a, b and the mixed ones.
    pub fn into_all(self) -> Vec<T> {
        let mut all = vec![self.a, self.b];
        all.extend(self.mixed);
        all
    }

    /// The inverse of [`into_all`](Self::into_all); none of fewer than two elements.
    pub fn of_all(all: Vec<T>) -> Option<Self> {
        let mut all = all.into_iter();
        Some(Self {
            a: all.next()?,
            b: all.next()?,
            mixed: all.collect(),
        })
    }
}

impl Design {
    /// A design for this number of parameters with at least this number of rows; the number of rows
    /// in each block is prime.
    pub fn new(parameters: usize, rows: usize, seed: u64) -> Result<Self> {
        let most = BLOCKS * POINTS;
        if parameters == 0 || rows == 0 || rows > most {
            return Err(Error::new(
                format!("{rows} samples of {parameters} parameters"),
                format!("at least one parameter and between 1 and {most} samples are needed"),
            ));
        }
        Ok(Self {
            parameters,
            lattice: Lattice::new(rows.div_ceil(BLOCKS), 2 * parameters),
            seed,
        })
    }

    /// The number of blocks.
    pub fn blocks(&self) -> usize {
        BLOCKS
    }

    /// Number of rows in a block.
    pub fn block_rows(&self) -> usize {
        self.lattice.len()
    }

    /// Number of rows in all blocks.
    pub fn rows(&self) -> usize {
        BLOCKS * self.lattice.len()
    }

    /// Number of points in all rows.
    pub fn points(&self) -> usize {
        self.rows() * (self.parameters + 2)
    }

    /// The points of a row.
    pub fn row(&self, block: usize, row: usize) -> Row<Vec<f64>> {
        let d = self.parameters;
        let at = |dimension: usize| {
            self.lattice
                .coordinate(self.seed, block as u64, row, dimension)
        };
        let a: Vec<f64> = (0..d).map(at).collect();
        let b: Vec<f64> = (d..2 * d).map(at).collect();
        let mixed = |i: usize| {
            let mut point = a.clone();
            point[i] = b[i];
            point
        };
        Row {
            mixed: (0..d).map(mixed).collect(),
            a,
            b,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixed_points_share_one_coordinate_with_b_and_the_others_with_a() {
        let design = Design::new(3, 100, 5).unwrap();
        assert_eq!(
            (design.block_rows(), design.rows(), design.points()),
            (31, 124, 620)
        );
        let row = design.row(3, 2);
        for (i, point) in row.mixed.iter().enumerate() {
            for (j, value) in point.iter().enumerate() {
                assert_eq!(*value, if i == j { row.b[j] } else { row.a[j] });
            }
        }
        assert_eq!(Row::of_all(row.clone().into_all()), Some(row.clone()));
        assert_ne!(design.row(2, 2), row);
    }

    #[test]
    fn designs_without_points_are_refused() {
        assert!(Design::new(0, 8, 0).is_err() && Design::new(2, 0, 0).is_err());
        assert!(Design::new(2, usize::MAX, 0).is_err());
    }
}
