//! Transforms: methods learn a function of a solution's values, and predictions are mapped back by
//! its inverse. Predictions thus remain in the valid range: a concentration is never negative.
//!
//! | transform | values | learned | predictions |
//! |---|---|---|---|
//! | `none` | any | u | any |
//! | `log` | u > 0 | ln u | > 0 |
//! | `sqrt` | u >= 0 | the root of u | >= 0 |
//! | `positive`, `positive:SCALE` | u >= 0 | u where it is large, its logarithm where it is small | >= 0 |
//! | `bounded:FROM:TO` | FROM <= u <= TO | logit of the relative position | same as values |
//!
//! A [`Transform`] applies to one channel. [`TransformConfig`] holds the settings of a run, and
//! [`Transforms`] the transforms of all channels with known constants. High and low fidelity are
//! transformed before the residual is computed. Every realization is inverted before statistics are
//! computed.

mod channels;
mod config;
mod kind;

pub use channels::{Refused, Transforms};
pub use config::TransformConfig;
pub use kind::Transform;
