//! Fused CPU operations of the network, as a Burn backend extension.
//!
//! On the `flex` backend with f32 values, each operation runs vectorised, on all threads, and with
//! its own backward pass. On other backends, and for other types, it is composed of Burn's
//! operations. Work is divided into parts that depend on sizes alone, so that results have the same
//! bits on any number of threads.
//!
//! - [`gelu`] and [`silu`]: activations;
//! - [`pointwise_mlp`], [`shifted_mlp`]: a perceptron over channels, tiled so that wide layers stay
//!   in cache;
//! - [`spectral_convolution`]: truncated transform, a matrix per mode, and back;
//! - [`Modulation`]: FiLM whose coefficients several samples share;
//! - [`FourierLayer`]: all of a Fourier layer in one pass over memory after its transform;
//! - [`AdamStep`], [`norm`]: the optimiser;
//! - [`memory`]: an allocator that keeps large freed blocks.

#[cfg(feature = "tensors")]
mod across;
#[cfg(feature = "tensors")]
mod activation;
mod adam;
mod bounded_memory;
#[cfg(feature = "tensors")]
mod buffer;
#[cfg(feature = "tensors")]
mod convolution;
#[cfg(feature = "tensors")]
mod curve;
#[cfg(feature = "tensors")]
mod exponential;
#[cfg(feature = "tensors")]
mod film;
#[cfg(feature = "tensors")]
mod flex;
#[cfg(feature = "tensors")]
mod fold;
#[cfg(feature = "tensors")]
mod fourier_basis;
#[cfg(feature = "tensors")]
mod gelu;
#[cfg(feature = "tensors")]
mod layer;
#[cfg(feature = "tensors")]
mod layer_plan;
#[cfg(feature = "tensors")]
mod layer_tile;
pub mod memory;
#[cfg(feature = "tensors")]
mod mixing;
#[cfg(feature = "tensors")]
mod mlp;
#[cfg(feature = "tensors")]
mod mlp_gradient;
#[cfg(feature = "tensors")]
mod mlp_tile;
#[cfg(feature = "tensors")]
mod modulate;
#[cfg(feature = "tensors")]
mod product;
#[cfg(feature = "tensors")]
mod rows;
#[cfg(feature = "tensors")]
mod silu;
mod simd;
#[cfg(feature = "tensors")]
mod spectral;
#[cfg(test)]
mod testing;
#[cfg(feature = "tensors")]
mod transform;

#[cfg(feature = "tensors")]
pub use activation::{Activation, gelu, silu};
pub use adam::{AdamStep, norm};
#[cfg(feature = "tensors")]
pub use film::Modulation;
#[cfg(feature = "tensors")]
pub use fourier_basis::FourierBasis;
#[cfg(feature = "tensors")]
pub use layer::FourierLayer;
#[cfg(feature = "tensors")]
pub use mlp::{Layer, pointwise_mlp, shifted_mlp};
#[cfg(feature = "tensors")]
pub use spectral::spectral_convolution;
