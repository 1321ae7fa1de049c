//! Symmetries found in the data: axes that are periodic, and motions that map solutions to
//! solutions.
//!
//! [`periodic`] examines the ends of every axis. [`search`] tries the motions that the lattice
//! allows, one after another, and keeps those that reduce the errors at left-out inputs; [`trial`]
//! computes these errors with a few regressions on fields that [`thinned`] makes coarser. `fitting`
//! calls it once outliers are left out.

mod candidates;
mod periodic;
mod search;
mod thinned;
mod trial;

pub(super) use search::{Discovery, discover};
