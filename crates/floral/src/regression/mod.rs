//! Regression: what a few inputs tell of the next one, in closed form.
//!
//! - [`lattice`]: the grid as regression sees it, axes with their length and whether they close;
//! - [`symmetry`]: the motions under which a problem's solutions go with its inputs;
//! - [`case`]: training cases and queries as plain arrays;
//! - `local` and `kernel`: two families of regressions, by what surrounds a point and by which
//!   inputs resemble each other;
//! - [`blend`]: candidates of both weighed by inputs left out, `menu` lists them;
//! - `spread` and `ignorance`: what a solution varies by, and what is not known of its mean;
//! - [`kriging`]: all of it for mean, variances and realizations of a new input.

pub mod blend;
pub mod case;
mod ignorance;
mod kernel;
pub mod kriging;
pub mod lattice;
mod local;
mod menu;
mod spread;
pub mod symmetry;
mod target;
#[cfg(test)]
mod tests;

pub use blend::MemberScore;
pub use case::{Case, Channels, Query};
pub use kriging::{Kriging, Prediction};
pub use lattice::{Lattice, LatticeAxis};
pub use symmetry::{Motion, Role, Symmetries, Symmetry};
