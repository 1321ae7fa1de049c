//! The gradient of a network's loss over a block of samples, and the blocks that a device takes.

pub mod blocks;
pub mod gradient;
pub mod model;

pub use model::Model;
