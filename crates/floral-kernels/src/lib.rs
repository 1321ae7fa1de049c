//! Fused CPU operations of the network, as a Burn backend extension.
//!
//! Each operation runs vectorised and on all threads on the `flex` backend with f32 values, with a
//! backward pass of its own; on every other backend, and for other types, it is composed of
//! Burn's operations. Work is divided into parts that depend on sizes alone, so results have the
//! same bits on any number of threads.
//!
//! - [`gelu`] and [`silu`]: activations;
//! - [`pointwise_mlp`], [`shifted_mlp`]: a perceptron over channels, tiled so that wide layers stay in cache;
//! - [`spectral_convolution`]: truncated transform, a matrix per mode, and back;
//! - [`Modulation`]: FiLM whose coefficients several samples share;
//! - [`FourierLayer`]: all of a Fourier layer in one pass over memory after its transform;
//! - [`AdamStep`], [`norm`]: the optimiser;
//! - [`memory`]: an allocator that keeps large blocks when they are freed.

mod activation;
mod adam;
mod bounded_memory;
mod buffer;
mod convolution;
mod curve;
mod exponential;
mod film;
mod flex;
mod fold;
mod fourier_basis;
mod gelu;
mod layer;
mod layer_plan;
mod layer_tile;
pub mod memory;
mod mixing;
mod mlp;
mod mlp_gradient;
mod mlp_tile;
mod modulate;
mod product;
mod rows;
mod silu;
mod simd;
mod spectral;
#[cfg(test)]
mod testing;
mod transform;

pub use activation::{Activation, gelu, silu};
pub use adam::{AdamStep, norm};
pub use film::Modulation;
pub use fourier_basis::FourierBasis;
pub use layer::FourierLayer;
pub use mlp::{Layer, pointwise_mlp, shifted_mlp};
pub use spectral::spectral_convolution;
