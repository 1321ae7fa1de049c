//! One input and its low-fidelity solution.

use crate::{Field, Grid, Quantities};

/// An input to predict, with its low-fidelity solution.
///
/// ```
/// use floral::prelude::*;
///
/// let grid = Grid::new(vec![Axis::closed("x", 3)]);
/// let case = Case { input: Field::scalar(&grid, vec![0.0, 1.0, 2.0]), low: None };
/// assert_eq!(case.input.channels(), 1);
/// ```
#[derive(Debug, Clone)]
pub struct Case {
    /// The input.
    pub input: Field,
    /// The low-fidelity solution on the same grid; not needed if the model uses none or has a
    /// stand-in.
    pub low: Option<Field>,
}

impl Case {
    /// Size of the values in bytes.
    pub(super) fn bytes(&self) -> usize {
        let fields = std::iter::once(&self.input).chain(&self.low);
        fields.map(|field| size_of_val(field.values())).sum()
    }
}

/// One input held in memory, with its description.
#[derive(Clone, Copy)]
pub struct InMemory<'a> {
    /// The input and its low-fidelity solution.
    pub case: &'a Case,
    /// The grid of both fields.
    pub grid: &'a Grid,
    /// Names and units of the channels, as far as they are known.
    pub quantities: &'a Quantities,
    /// Number of the input in messages, if it is one of several.
    pub number: Option<usize>,
}
