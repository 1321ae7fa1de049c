//! Regression: a conditional Karhunen-Loeve expansion, fitted to a few inputs in closed form.
//!
//! - [`lattice`]: the grid as regression sees it, axes with their length and whether they close;
//! - [`symmetry`]: the motions under which a problem's solutions go with its inputs;
//!   `discovery`: those that are found in the data;
//! - [`case`]: training cases and queries as plain arrays; `outliers` and `units`: what is left out of
//!   them, and in what units they are taken; `moments` and `interpolation`: their means and variances
//!   on the whole lattice; `folds`: which of them are left out together;
//! - `constant`, `local`, `kernel` and `process`: four families of regressions, by nothing, by what
//!   surrounds a point, by which inputs resemble each other, and by a few coordinates of the input; [`blend`]: candidates of all weighed by judging
//!   inputs, `menu` lists them for a [`recipe`];
//! - `law`: realizations from the `runs` of training inputs, with a `remainder`; `epistemic`: what is
//!   not known of the mean; `fixed` and `support`: what never varies, and what is never crossed;
//!   `calibration`: how wide intervals must be to hold runs of `judged` inputs; `design`: which inputs
//!   to solve next;
//! - [`expansion`]: all of it, and the [`prediction`] and [`draws`] of a new input; `stored` writes and
//!   reads it.

pub mod blend;
mod calibration;
pub mod case;
mod constant;
mod descent;
mod design;
mod discovery;
pub mod draws;
mod epistemic;
mod error;
pub mod expansion;
mod fitting;
mod fixed;
mod folds;
mod interpolation;
mod judged;
mod kernel;
pub mod lattice;
mod law;
#[cfg(test)]
mod laws;
mod local;
mod menu;
mod moments;
mod observer;
mod outliers;
pub mod prediction;
mod process;
pub mod recipe;
mod remainder;
mod runs;
mod stack;
mod stored;
mod support;
pub mod symmetry;
mod target;
#[cfg(test)]
mod testing;
mod units;
mod weights;

pub use blend::MemberScore;
pub use case::{Case, Channels, Query};
pub use discovery::Found;
pub use draws::Draws;
pub use error::{Error, Result};
pub use expansion::{Expansion, Material};
pub use lattice::{Lattice, LatticeAxis};
pub use law::LawKind;
pub use observer::{Event, Observer, Silent};
pub use outliers::Outlier;
pub use prediction::Prediction;
pub use recipe::Recipe;
pub use stack::{Learner, Lesson, Network};
pub use symmetry::{Motion, Role, Symmetries, Symmetry, roll};
