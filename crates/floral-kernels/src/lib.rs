//! Fused CPU operations of the network, as a Burn backend extension.
//!
//! Each operation runs vectorised and on all threads on the `flex` backend with f32 values, with a
//! backward pass of its own; on every other backend, and for other types, it is composed of
//! Burn's operations. Work is divided into parts that depend on sizes alone, so results have the
//! same bits on any number of threads.
//!
//! - [`gelu`] and [`silu`]: activations;
//! - [`pointwise_mlp`]: a perceptron over channels, tiled so that wide layers stay in cache.

mod activation;
mod curve;
mod exponential;
mod flex;
mod gelu;
mod mlp;
mod mlp_tile;
mod silu;
#[cfg(test)]
mod testing;

pub use activation::{Activation, gelu, silu};
pub use mlp::{Layer, pointwise_mlp};
