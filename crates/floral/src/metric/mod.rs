//! Metrics: how far predictions are from the truth, as plain functions of numbers.

pub mod error;
pub mod moments;
pub mod spectrum;

pub use error::MeanFieldError;
pub use moments::RunningMoments;
pub use spectrum::{Band, BandSpectra};
