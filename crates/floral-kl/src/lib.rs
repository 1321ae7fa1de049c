//! FLORAL-KL: the distribution of a solution field from a few inputs, by a conditional Karhunen-Loève
//! expansion. Arrays in, predictions and realizations out; no network, no storage.
//!
//! A reader meets, in this order:
//!
//! - [`Lattice`]: the grid, axes with their length and whether they close, or [`Points`] with weights, which
//!   `scattered` filters; [`symmetry`]: the motions under which solutions go with their inputs;
//! - [`case`]: training cases and queries as plain arrays, with their [`realizations`]; `outliers`,
//!   `unit` and `units`: what is left out of them, and in what units they are taken; `residuals`, `moments` and
//!   `interpolation`: their means and variances on the whole lattice; `folds`: which of them are left out
//!   together; `target`: what a regression is fitted to and judged by, of a `large` domain at some points; `discovery`: symmetries that the
//!   data show;
//! - `constant`, `local`, `kernel` and `process`: four families of regressions, by nothing, by what
//!   surrounds a point, by which inputs are close to each other, and by a few coordinates of the input;
//!   `descent` learns their lengths, `filters` and on large grids `separable` make what surrounds a point;
//! - `candidate_list` lists candidates for a [`recipe`], `problem` is what they are fitted to,
//!   `candidates` fits them, `member` is one that is fitted, `weights` and [`blend`] weigh them by left-out
//!   inputs; `stack`: a network that learns what the blend misses, given from outside, `stacking` and
//!   `stacking_weight`: what it is given and what it deserves; `mean_and_variance`: the two blends;
//! - `law` and `runs`: realizations from those of training inputs, with a `remainder`; `epistemic`: what
//!   is not known of the mean; `fixed` and `support`: what never varies, and what is never crossed;
//!   `judged` and `calibration`: how wide intervals must be; `kept` and [`left_out`]: judging inputs as they
//!   were predicted;
//! - `fitting` fits the [`expansion`]; [`prediction`] and [`draws`] are those of a new input, [`observed`] given
//!   readings of its solution; `design`: which inputs to solve next; `stored` writes and reads a fit;
//!   [`Observer`] follows one and stops it.

// Data.
pub mod case;
mod discovery;
mod folds;
mod interpolation;
mod large;
mod moments;
mod outliers;
pub mod realizations;
mod residuals;
mod scattered;
mod target;
mod unit;
mod units;
mod unknown;

// Regressions.
mod constant;
mod descent;
mod filters;
mod kernel;
mod local;
mod process;
mod separable;

// What they are chosen from, and their blends.
pub mod blend;
mod candidate_list;
mod candidates;
mod mean_and_variance;
mod member;
mod problem;
pub mod recipe;
mod stack;
mod stacking;
mod stacking_weight;
mod weights;

// Spread.
mod calibration;
mod epistemic;
mod fixed;
mod judged;
mod kept;
mod law;
pub mod left_out;
mod remainder;
mod runs;
mod support;

// The whole.
mod design;
pub mod draws;
mod error;
pub mod expansion;
mod fitting;
pub mod observed;
mod observer;
pub mod prediction;
mod stored;

#[cfg(test)]
mod laws;
#[cfg(test)]
mod scattered_laws;
#[cfg(test)]
mod testing;

pub use blend::MemberScore;
pub use case::{Case, Channels, Query};
pub use draws::Draws;
pub use error::{Error, Result};
pub use expansion::{Expansion, Material};
pub use floral_symmetry as symmetry;
pub use floral_symmetry::{Lattice, LatticeAxis, Motion, Points, Role, Symmetries, Symmetry, roll};
pub use law::LawKind;
pub use left_out::LeftOutInput;
pub use observed::{DrawnUpdate, Innovation, Placement, Reading, Sensor};
pub use observer::{Event, Found, Observer, Silent};
pub use outliers::Outlier;
pub use prediction::Prediction;
pub use realizations::{Held, Realizations};
pub use recipe::{Part, Recipe};
pub use stack::{Learner, Lesson, Network};
pub use stored::FORMAT as METHOD_VERSION;
