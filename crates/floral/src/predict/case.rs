//! One input and its low-fidelity solution.

use crate::{Field, Grid, Quantities};

/// One input and its low-fidelity solution, if the method looks at one.
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
    /// The low-fidelity solution.
    pub low: Option<Field>,
}

impl Case {
    /// Bytes of its values.
    pub(super) fn bytes(&self) -> usize {
        let fields = std::iter::once(&self.input).chain(&self.low);
        fields.map(|field| size_of_val(field.values())).sum()
    }
}

/// One input that a program holds in memory.
#[derive(Clone, Copy)]
pub struct InMemory<'a> {
    /// Its fields.
    pub case: &'a Case,
    /// Their grid.
    pub grid: &'a Grid,
    /// Names and units of the channels, as far as they are known.
    pub quantities: &'a Quantities,
    /// The number by which messages name it, where it is one of several.
    pub number: Option<usize>,
}
