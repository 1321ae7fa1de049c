//! Quantities of interest: numbers such as `peak = max(u)`, evaluated on every realization as it is
//! drawn.
//!
//! [`Interests`] are the quantities that a user asks for, resolved for a run and its inputs. For
//! one input they become [`PreparedInterests`], to which a [`Job`](super::Job) and
//! [`evaluate`](crate::evaluate) pass the realizations. An [`InterestSummary`] has the statistics
//! of the values, and [`InterestPlan`] describes the arrays that store them. The crate
//! `floral-quantities` has the expression language and the distributions.

mod asked;
mod calibrated;
mod names;
mod prepared;
mod space;
mod stored;
mod summary;

pub use asked::{Asked, Interest, Interests, Subject};
pub use calibrated::{JudgedValues, JudgingInput};
pub(crate) use names::axes;
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

/// Converts an error of a quantity of interest into one of this library.
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
