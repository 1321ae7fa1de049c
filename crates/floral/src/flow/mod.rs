//! Flow matching in function space: a prior, a path to the data, a velocity to learn.

pub mod path;
pub mod prior;

pub use path::{Path, PathConfig, PathNorm};
pub use prior::{Coordinates, GaussianPrior, Prior, PriorConfig, WhiteNoise};
