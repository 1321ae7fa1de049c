//! Checks of all inputs before any is predicted: refuses unusable inputs and notes those far from
//! the training data.

use super::{Cases, Predictor, departure};
use crate::{Checksum, Error, Result};

/// Result of a successful check of inputs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Checked {
    /// Checksum of all inputs.
    pub checksum: Checksum,
    /// Notes on inputs far outside the training range.
    pub notes: Vec<String>,
}

impl Cases<'_> {
    /// Reads and keeps inputs, refuses those that a run cannot predict, and notes those far outside
    /// the training range.
    pub fn check(
        &self,
        predictor: &Predictor,
        inputs: impl Iterator<Item = usize>,
    ) -> Result<Checked> {
        let axes = self.grid().axes.iter();
        let grid = axes.fold(Checksum::default(), |sum, axis| {
            sum.numbers(&axis.coordinates)
        });
        let points = self.grid().mesh().map(|mesh| mesh.points().coordinates());
        let mut sum = grid.numbers(&points.unwrap_or_default());
        let mut departures = Vec::new();
        for index in inputs {
            let case = self.case(index)?;
            predictor
                .check(&case.input, case.low.as_ref(), self.grid())
                .map_err(|error| refused_at(self.place(index), error))?;
            let found = departure::departures(predictor.header(), &case);
            departures.push((self.label(index), found));
            let fields = std::iter::once(&case.input).chain(&case.low);
            sum = fields.fold(sum, |sum, field| sum.numbers(field.values()));
            self.read.keep(index, case);
        }
        Ok(Checked {
            checksum: sum,
            notes: departure::notes(&departures),
        })
    }
}

/// Adds the name of the refused input to an error.
fn refused_at(place: Option<String>, error: Error) -> Error {
    let Some(place) = place else {
        return error;
    };
    match error {
        Error::Numerical { what, advice } => Error::numerical(format!("{place}: {what}"), advice),
        Error::Shape {
            what,
            found,
            expected,
        } => Error::shape(format!("{place}: {what}"), found, expected),
        Error::Config { context, reason } => Error::config(format!("{place}: {context}"), reason),
        other => other,
    }
}
