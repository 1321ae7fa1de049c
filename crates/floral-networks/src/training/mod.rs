//! The gradient of a network's loss over a block of samples, and the block sizes of a device.

pub mod blocks;
pub mod gradient;
pub mod model;

pub use model::Model;
