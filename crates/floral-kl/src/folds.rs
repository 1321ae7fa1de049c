//! Folds: training inputs that are left out together, so that each is judged by a fit to others.
//!
//! An input and its copies, exact, nearly so or moved by a symmetry, share a fold: a fit to one would
//! know the answer for the other.

/// More distinct inputs than these share folds: a fit to 23 parts of 24 is nearly that to all.
const MOST: usize = 24;

/// The fold of every training input.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Folds {
    of: Vec<usize>,
    count: usize,
}

impl Folds {
    /// Folds of training inputs by a number for each that copies share.
    pub(super) fn new(distinct: &[usize]) -> Self {
        let groups = distinct.iter().max().map_or(0, |last| last + 1);
        Self {
            of: distinct.iter().map(|group| group % MOST).collect(),
            count: groups.min(MOST),
        }
    }

    /// At most `most` folds, each of whole ones.
    pub(super) fn merged(&self, most: usize) -> Self {
        Self {
            of: self.of.iter().map(|fold| fold % most).collect(),
            count: self.count.min(most),
        }
    }

    /// Every input by itself.
    #[cfg(test)]
    pub(super) fn single(inputs: usize) -> Self {
        Self {
            of: (0..inputs).collect(),
            count: inputs,
        }
    }

    /// How many inputs there are.
    pub(super) fn inputs(&self) -> usize {
        self.of.len()
    }

    /// How many folds there are; one if all inputs are copies.
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
