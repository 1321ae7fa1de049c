//! Positions of a front's rows and columns in the front to which `assembly.rs` adds it.

use std::ops::Range;

/// How the Schur complement of a half is added to the front of the whole.
pub struct Join {
    /// Runs of the half's columns that stay adjacent in the whole.
    pub runs: Vec<Run>,
    /// For each row of the whole, the row of the half that is added to it.
    pub rows: Vec<Option<usize>>,
}

/// Adjacent columns of the half, and their position in the whole.
pub struct Run {
    pub columns: Range<usize>,
    pub place: usize,
}

impl Join {
    /// `places` holds the column of the whole for each column of the half, including its right-hand
    /// sides; the whole has `height` rows.
    pub fn new(places: &[usize], height: usize) -> Self {
        let mut rows = vec![None; height];
        for (row, &place) in places.iter().enumerate() {
            if place < height {
                rows[place] = Some(row);
            }
        }
        let mut end = 0;
        let stretches = places.chunk_by(|a, b| a + 1 == *b);
        let runs = stretches.map(|stretch| {
            end += stretch.len();
            Run {
                columns: end - stretch.len()..end,
                place: stretch[0],
            }
        });
        Self {
            runs: runs.collect(),
            rows,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_keep_every_column_in_its_place() {
        let places = [4, 5, 6, 0, 2, 7, 8];
        let join = Join::new(&places, 7);
        assert_eq!(join.runs.len(), 4);
        let kept = join.runs.iter().flat_map(|run| {
            let Run { columns, place } = run;
            columns.clone().zip(*place..)
        });
        assert!(kept.eq(places.into_iter().enumerate()));
        assert_eq!(join.rows[6], Some(2));
        assert_eq!(join.rows[1], None);
    }
}
