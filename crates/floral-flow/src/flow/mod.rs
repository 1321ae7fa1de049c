//! Flow matching in function space: a prior, a path to the data, a velocity to learn.

pub mod fitted_prior;
pub mod path;
pub mod prior;

pub use fitted_prior::Correlations;
pub use path::{Coupling, Path, PathConfig, PathNorm};
pub use prior::{Coordinates, GaussianPrior, Prior, PriorConfig, WhiteNoise};
