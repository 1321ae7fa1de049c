//! FLORAL-KL: the distribution of a solution field from a few inputs, by a conditional Karhunen-Loève
//! expansion. Arrays in, predictions and realizations out; no network, no storage.
//!
//! - [`Lattice`]: the grid, axes with their length and whether they close; [`symmetry`]: the motions under
//!   which solutions go with their inputs; `discovery`: those that the data show;
//! - [`case`]: training cases and queries as plain arrays; `outliers` and `units`: what is left out of
//!   them, and in what units they are taken; `moments` and `interpolation`: their means and variances
//!   on the whole lattice; `folds`: which of them are left out together;
//! - `constant`, `local`, `kernel` and `process`: four families of regressions, by nothing, by what
//!   surrounds a point, by which inputs are close to each other, and by a few coordinates of the input;
//!   `descent` learns their lengths;
//! - `menu` lists candidates for a [`recipe`], `candidates` fits them, [`blend`] weighs them by left-out
//!   inputs; `stack`: a network that learns what the blend misses, given from outside;
//! - `law` and `runs`: realizations from those of training inputs, with a `remainder`; `epistemic`: what
//!   is not known of the mean; `fixed` and `support`: what never varies, and what is never crossed;
//!   `judged` and `calibration`: how wide intervals must be; `design`: which inputs to solve next;
//! - `fitting` fits the [`expansion`]; [`prediction`] and [`draws`] are those of a new input, [`observed`] given
//!   readings of its solution; `stored` writes and reads it; [`Observer`] follows a fit and stops it.

pub mod blend;
mod calibration;
mod candidates;
pub mod case;
mod constant;
mod descent;
mod design;
mod discovery;
pub mod draws;
mod epistemic;
mod error;
pub mod expansion;
mod filters;
mod fitting;
mod fixed;
mod folds;
mod interpolation;
mod judged;
mod kernel;
mod law;
#[cfg(test)]
mod laws;
mod local;
mod menu;
mod moments;
pub mod observed;
mod observer;
mod outliers;
pub mod prediction;
mod process;
pub mod recipe;
mod remainder;
mod runs;
mod stack;
mod stacking;
mod stored;
mod support;
mod target;
#[cfg(test)]
mod testing;
mod units;
mod weights;

pub use blend::MemberScore;
pub use case::{Case, Channels, Query};
pub use draws::Draws;
pub use error::{Error, Result};
pub use expansion::{Expansion, Material};
pub use floral_symmetry as symmetry;
pub use floral_symmetry::{Lattice, LatticeAxis, Motion, Role, Symmetries, Symmetry, roll};
pub use law::LawKind;
pub use observed::{Innovation, Placement, Reading, Sensor};
pub use observer::{Event, Found, Observer, Silent};
pub use outliers::Outlier;
pub use prediction::Prediction;
pub use recipe::{Part, Recipe};
pub use stack::{Learner, Lesson, Network};
