//! Randomness: seeded streams, covariance kernels, Gaussian random fields.

pub mod gaussian_process;
pub mod karhunen_loeve;
pub mod kernel;
pub mod stream;

mod canonical;
mod cholesky;
mod circulant;
mod circulant_sampler;
mod eigen;
mod hartley;
mod krylov;
mod nystrom;

use floral_data::{Axis, Error, Grid, Result};

pub use circulant::is_evenly_spaced;
pub use gaussian_process::GaussianProcess;
pub use karhunen_loeve::KarhunenLoeve;
pub use kernel::{Family, Kernel};
pub use stream::{Purpose, Stream, stream};
