//! Transforms: solutions are learned through a function of their values, and what is predicted goes
//! back through its inverse, so that it keeps to its range: a concentration is never negative.
//!
//! | transform | values | learned | what is predicted |
//! |---|---|---|---|
//! | `none` | any | u | any |
//! | `log` | u > 0 | ln u | > 0 |
//! | `sqrt` | u >= 0 | the root of u | >= 0 |
//! | `positive`, `positive:SCALE` | u >= 0 | u where it is large, its logarithm where it is small | >= 0 |
//! | `bounded:FROM:TO` | from it to there | the logit of its place between them | the same |
//!
//! A [`Transform`] is that of one channel, [`TransformConfig`] what the settings of a run ask for,
//! [`Transforms`] those of all channels with every constant known. High and low fidelity are
//! transformed before the residual is taken; every realization is inverted, and statistics
//! are taken of what is inverted.

mod channels;
mod config;
mod kind;

pub use channels::{Refused, Transforms};
pub use config::TransformConfig;
pub use kind::Transform;
