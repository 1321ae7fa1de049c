//! Sparse elimination of Darcy's equations on a square grid, many permeability fields at a time.
//!
//! A [`Stencil`] holds the equations. [`Multifrontal`] solves them on a nested [`Dissection`] of
//! the grid, one field per SIMD lane, front after front. [`backward_error`] checks the solution;
//! where it is not accurate enough, [`solve_banded`] solves one field with row exchanges. The
//! caller is `pressure.rs`.

mod aligned;
mod assembly;
mod banded;
mod dissection;
mod front;
mod join;
mod lanes;
mod multifrontal;
mod rectangle;
mod residual;
mod stencil;
mod tile;

pub(super) use assembly::Sides;
pub(super) use banded::solve as solve_banded;
pub(super) use dissection::Dissection;
pub(super) use lanes::{extract, interleave, lane};
pub(super) use multifrontal::Multifrontal;
pub(super) use residual::backward_error;
pub(super) use stencil::Stencil;
