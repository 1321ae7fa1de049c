//! Cost of an integration, in evaluations of the velocity.

/// Cost of one row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RowCost {
    /// Evaluations of the velocity up to the row's arrival at time 1.
    pub evaluations: usize,
    /// Steps taken.
    pub accepted: usize,
    /// Steps tried and discarded.
    pub rejected: usize,
}

/// Cost of a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cost {
    /// Evaluations of the whole block: those of its slowest row.
    pub block: usize,
    /// The cost of every row as if it were integrated alone.
    pub rows: Vec<RowCost>,
}

impl Cost {
    pub(super) fn new(rows: Vec<RowCost>) -> Self {
        let block = rows.iter().map(|row| row.evaluations).max().unwrap_or(0);
        Self { block, rows }
    }
}
