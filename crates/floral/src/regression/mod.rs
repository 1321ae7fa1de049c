//! Regression: what a few inputs tell of the next one, in closed form.
//!
//! - [`lattice`]: the grid as regression sees it, axes with their length and whether they close;
//! - [`symmetry`]: the motions under which a problem's solutions go with its inputs;
//! - [`case`]: training cases and queries as plain arrays; `moments` and `interpolation`: their means
//!   and variances on the whole lattice;
//! - `local` and `kernel`: two families of regressions, by what surrounds a point and by which
//!   inputs resemble each other;
//! - [`blend`]: candidates of both weighed by judging inputs, `menu` lists them for a [`recipe`];
//! - `spread` and `ignorance`: what a solution varies by, and what is not known of its mean;
//!   `calibration`: how wide intervals must be; `design`: which inputs would tell most;
//! - [`kriging`]: all of it for the [`prediction`] of a new input, and a [`sampler`] of its solution
//!   with factors and a `remainder`; `stored` writes and reads it.

pub mod blend;
mod calibration;
pub mod case;
mod design;
mod ignorance;
mod interpolation;
mod kernel;
pub mod kriging;
pub mod lattice;
mod local;
mod menu;
mod moments;
pub mod prediction;
pub mod recipe;
mod remainder;
pub mod sampler;
mod spread;
mod stored;
pub mod symmetry;
mod target;
#[cfg(test)]
mod tests;
mod weights;

pub use blend::MemberScore;
pub use case::{Case, Channels, Query};
pub use kriging::Kriging;
pub use lattice::{Lattice, LatticeAxis};
pub use prediction::Prediction;
pub use recipe::Recipe;
pub use sampler::Sampler;
pub use symmetry::{Motion, Role, Symmetries, Symmetry};
