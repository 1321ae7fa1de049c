//! Metrics: how far predictions are from the truth, as plain functions of numbers.

pub mod error;
pub mod spectrum;
pub mod variance;

pub use error::MeanFieldError;
pub use spectrum::{Band, BandSpectra};
pub use variance::VarianceError;
