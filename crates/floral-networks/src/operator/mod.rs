//! The neural operator: a velocity field (or a regressed field) from a field and its condition.
//!
//! In the order of the data flow:
//!
//! 1. `grid_constants`: coordinates and Fourier matrices of the grid at hand, computed once;
//! 2. [`FilmFno::condition`] lifts the condition (`channel_mlp`) and derives the coefficients of
//!    every `film`, kept in a [`Context`] that serves every ODE step and realization;
//! 3. [`FilmFno::velocity`] embeds the time ([`time_embedding`]), lifts, passes through the
//!    `fourier_layer`s, whose global part is a `spectral_conv`, projects, and adds the
//!    `linear_operator`; the work is done by the fused operations of `floral_kernels`;
//! 4. [`weights()`] turns parameters into named arrays, for files and comparisons.
//!
//! A [`Network`] is a [`FilmFno`], or on points without a grid a [`SliceNetwork`], whose layers
//! attend over slices (`slice_attention`).

pub mod time_embedding;

mod buffers;
mod channel_mlp;
mod context;
mod film;
mod film_fno;
mod fourier_layer;
mod grid_constants;
mod initial_values;
mod kernel_layer;
mod linear_operator;
mod network;
mod slice_attention;
mod slice_layer;
mod slice_network;
#[cfg(test)]
mod slice_tests;
mod spectral_conv;
mod weights;

/// The device that computes: `Device::flex()` is the CPU.
pub use burn::tensor::Device;
pub use context::Context;
pub use film_fno::FilmFno;
pub use floral_flow::network::{Backbone, FilmFnoConfig, Nodes, SlicesConfig, Weight};
pub use network::{Network, Points};
pub use slice_network::SliceNetwork;
pub use weights::{gradients, weights, with_weights};
