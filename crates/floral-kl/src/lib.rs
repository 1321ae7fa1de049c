//! FLORAL-KL: predicts the distribution of a solution field from a few training inputs, by a
//! conditional Karhunen-Loève expansion. Plain arrays in, predictions and realizations out; files
//! and the training of networks are left to other crates.
//!
//! A realization of the solution of an input a with low fidelity l is modelled as
//!
//! ```text
//! u = l + m[a, l] + g sum_j f_j[a] c_j + remainder + e
//! ```
//!
//! with the mean residual m, the factors f_j and random coefficients c_j of runs of similar
//! training inputs, a gain g that gives draws the predicted aleatoric variance, and the epistemic
//! part e, the error of the mean. The page "FLORAL-KL" of the book derives the method. The modules,
//! in the order of the computation:
//!
//! # Data
//!
//! - [`case`]: training cases and queries as plain arrays, with their [`realizations`].
//! - [`Lattice`]: the domain, a grid or scattered [`Points`]; `scattered` has filters, noise and
//!   sampling for these; `large` chooses the points of a large domain at which candidates are
//!   judged.
//! - [`symmetry`]: motions under which solutions move with their inputs; `discovery` finds
//!   symmetries and periodic axes in the data.
//! - `outliers`: faulty runs, which are left out.
//! - `unit`, `units`: units in which every channel has mean 0 and deviation 1.
//! - `residuals`, `moments`: residuals, means and variances of every input; `interpolation` brings
//!   them from known points to the whole lattice.
//! - `folds`: training inputs that are left out together in cross-validation.
//!
//! # Regressions: from an input to a field
//!
//! - `target`: what is regressed, and the inputs that judge a regression.
//! - `constant`: the same field for all inputs.
//! - `local`: from the neighbourhood of each point, with one relation for all points. `filters`
//!   and, on large grids, `separable` filter fields.
//! - `kernel`: from the similarity of whole fields.
//! - `process`: from a few coordinates of the input.
//! - `descent`: the optimizer of length scales for `local` and `process`.
//!
//! # Mean and variance: blends of regressions
//!
//! - [`recipe`]: which families take part; `candidate_list`: the settings of their candidates.
//! - `problem`: the data that candidates are fitted to; `candidates` fits them one after another;
//!   `member` is a fitted one.
//! - `weights`, [`blend`]: the weighted mean of candidates with the least error at judging inputs.
//! - `stack`, `stacking`, `stacking_weight`: networks that learn the error of the blend, and their
//!   weight.
//! - `mean_and_variance`: the blend of the mean and that of the variance.
//!
//! # Law: realizations around the mean
//!
//! - `runs`: factors and coefficients of each input's runs; `law` draws from those of similar
//!   inputs.
//! - `remainder`: smoothed noise for the variance that the factors leave.
//! - `epistemic`: variance and factors of the error of the mean; `unknown` draws their multiples.
//! - `fixed`: points that never vary; `support`: bounds that realizations never cross.
//!
//! # Calibration
//!
//! - `judged`: deviations of the judging inputs' realizations from predictions made without them.
//! - `calibration`: factors with which intervals reach their nominal coverage.
//! - `kept`, [`left_out`]: judging inputs that are kept with a fit, to calibrate other quantities
//!   later.
//!
//! # The whole
//!
//! - `fitting`: all of the above, from cases to an [`expansion`]; an [`Observer`] follows it and
//!   may stop it.
//! - [`draws`]: the [`prediction`] and the realizations for a new input.
//! - [`observed`]: the law given readings of the solution, and where to measure next.
//! - `design`: correlations of errors between inputs, by which the inputs to solve next are chosen.
//! - `stored`: a fit as bytes.

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

// Candidates and their blends.
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

// Law and calibration.
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
