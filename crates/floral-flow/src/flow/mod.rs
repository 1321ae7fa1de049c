//! Flow matching in function space: a prior, a path to the data, a velocity to learn.

mod draws;
pub mod fitted_prior;
pub mod path;
pub mod prior;
mod scattered_prior;

pub use draws::{GaussianPrior, Prior, WhiteNoise};
pub use fitted_prior::Correlations;
pub use path::{Coupling, Path, PathConfig, PathNorm};
pub use prior::{Coordinates, PriorConfig};
