//! Randomness: seeded streams, covariance kernels, Gaussian random fields.

pub mod stream;

pub use stream::{Purpose, Stream, stream};
