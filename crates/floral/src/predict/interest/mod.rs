//! Quantities of interest: numbers such as `peak = max(u)`, taken of every realization as it is drawn.
//!
//! [`Interests`] are the quantities that a user asks for, resolved against a run and its inputs. For one
//! input they become [`PreparedInterests`], which a [`Job`](super::Job) and
//! [`evaluate`](crate::evaluate) feed with realizations. An [`InterestSummary`] has the statistics of
//! the values, and [`InterestPlan`] the arrays that store them. The crate `floral-quantities` has the
//! language and the distributions.

mod asked;
mod calibrated;
mod names;
mod prepared;
mod space;
mod stored;
mod summary;

pub use asked::{Asked, Interest, Interests, Subject};
pub use calibrated::{JudgedValues, JudgingInput};
pub use names::names;
pub use prepared::PreparedInterests;
pub use space::space;
pub use stored::InterestPlan;
pub(super) use stored::check_names;
pub use summary::{InterestSummary, STATISTICS, SUPERQUANTILE};

pub use floral_quantities::{
    Calibration, Distribution, Error as QuantityError, Estimate, Judged, Names,
    Quantity as QuantityOfInterest,
};

use crate::Error;

/// An error of a quantity of interest as one of this library.
pub fn refused(error: floral_quantities::Error) -> Error {
    match error {
        floral_quantities::Error::Expression {
            text,
            column,
            message,
        } => Error::config(text, format!("column {column}: {message}")),
        floral_quantities::Error::Config { context, reason } => Error::config(context, reason),
        other => Error::config("quantity of interest", other.to_string()),
    }
}
