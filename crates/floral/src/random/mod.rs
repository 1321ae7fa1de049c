//! Randomness: seeded streams, covariance kernels, Gaussian random fields.

pub mod karhunen_loeve;
pub mod kernel;
pub mod stream;

mod canonical;
mod circulant;
mod eigen;
mod hartley;
mod krylov;
mod nystrom;

pub use karhunen_loeve::KarhunenLoeve;
pub use kernel::{Family, Kernel};
pub use stream::{Purpose, Stream, stream};
