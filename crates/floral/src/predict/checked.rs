//! Refuses inputs that a run cannot predict before any is predicted, and notes those far from training.

use super::{Cases, Predictor, departure};
use crate::{Checksum, Error, Result};

/// What was found of inputs that a run can predict.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Checked {
    /// A checksum of all of them.
    pub checksum: Checksum,
    /// Which of them are far outside of what the run was trained on.
    pub notes: Vec<String>,
}

impl Cases<'_> {
    /// Reads inputs and keeps them, refuses what a run cannot predict among them, and says which are
    /// far outside of what it was trained on.
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

/// Names the input whose field was refused.
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
