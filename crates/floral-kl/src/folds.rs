//! Folds: training inputs that are left out together, so that each is judged by a fit to others.
//!
//! An input and its copies (exact, approximate or moved by a symmetry) share a fold: a fit to one
//! would know the answer for the other.

/// Maximum number of folds; with more distinct inputs, several share a fold. A fit to 23 of 24
/// folds is nearly a fit to all.
const MOST: usize = 24;

/// The fold of every training input.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Folds {
    of: Vec<usize>,
    count: usize,
}

impl Folds {
    /// Folds from a number for every training input; copies have the same number.
    pub(super) fn new(distinct: &[usize]) -> Self {
        let groups = distinct.iter().max().map_or(0, |last| last + 1);
        Self {
            of: distinct.iter().map(|group| group % MOST).collect(),
            count: groups.min(MOST),
        }
    }

    /// Merges folds, so that at most `most` are left.
    pub(super) fn merged(&self, most: usize) -> Self {
        Self {
            of: self.of.iter().map(|fold| fold % most).collect(),
            count: self.count.min(most),
        }
    }

    /// Each input in a fold of its own.
    #[cfg(test)]
    pub(super) fn single(inputs: usize) -> Self {
        Self {
            of: (0..inputs).collect(),
            count: inputs,
        }
    }

    /// Number of inputs.
    pub(super) fn inputs(&self) -> usize {
        self.of.len()
    }

    /// Number of folds; one if all inputs are copies.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The fold of an input.
    pub(super) fn of(&self, input: usize) -> usize {
        self.of[input]
    }

    /// The inputs of each fold.
    pub(super) fn members(&self) -> Vec<Vec<usize>> {
        let mut members = vec![Vec::new(); self.count];
        for (input, fold) in self.of.iter().enumerate() {
            members[*fold].push(input);
        }
        members
    }
}
