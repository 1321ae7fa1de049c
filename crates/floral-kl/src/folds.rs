//! Folds: training inputs that are left out together, so that each is judged by a fit to others.
//!
//! An input and its copies, exact, nearly so or moved by a symmetry, share a fold: a fit to one would
//! know the answer for the other.

use rayon::prelude::*;

use super::Symmetries;
use super::case::Framed;
use super::kernel::Neighbours;

/// Squared distances, in units of the inputs' own variance, below which two inputs are copies.
const COPY: f64 = 1e-6;

/// More distinct inputs than these share folds: a fit to 23 parts of 24 is nearly that to all.
const MOST: usize = 24;

/// The fold of every training input.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Folds {
    of: Vec<usize>,
    count: usize,
}

impl Folds {
    /// Folds of framed training inputs.
    pub(super) fn new(framed: &[Framed], neighbours: &Neighbours, symmetries: &Symmetries) -> Self {
        let distinct = distinct(framed, neighbours, symmetries);
        let groups = distinct.iter().max().map_or(0, |last| last + 1);
        Self {
            of: distinct.iter().map(|group| group % MOST).collect(),
            count: groups.min(MOST),
        }
    }

    /// At most so many folds, each of whole ones.
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

/// A number for every input, the same for copies, counted from zero in the order of first sight.
fn distinct(framed: &[Framed], neighbours: &Neighbours, symmetries: &Symmetries) -> Vec<usize> {
    let copies = |input| neighbours.copies(input, symmetries);
    let copies: Vec<_> = framed.par_iter().map(copies).collect();
    let twin = |i: usize| {
        let is_twin = |j: &usize| neighbours.is_copy(&copies[i][0], &copies[*j], COPY);
        (0..i).find(is_twin)
    };
    let twins: Vec<Option<usize>> = (0..framed.len()).into_par_iter().map(twin).collect();
    let mut group: Vec<usize> = Vec::with_capacity(framed.len());
    let mut count = 0;
    for twin in twins {
        group.push(twin.map_or(count, |j| group[j]));
        count += usize::from(twin.is_none());
    }
    group
}
