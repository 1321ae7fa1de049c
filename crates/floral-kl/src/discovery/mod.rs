//! Symmetries found in the data: which axes close, and which motions take solutions to solutions.
//!
//! [`periodic`] looks at the seam of every axis. [`search`] tries the motions that the lattice allows,
//! one after another, and keeps those that make left-out inputs' errors smaller; [`trial`] computes
//! these errors by a small blend on the fields as [`thinned`] has them. `fitting` calls it before
//! anything else.

mod candidates;
mod periodic;
mod search;
mod thinned;
mod trial;

pub(super) use search::{Discovery, discover};
