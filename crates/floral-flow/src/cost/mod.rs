//! Cost of a network: arithmetic and memory by formula.
//!
//! [`arithmetic`] counts the unavoidable operations of a velocity or a training step; `floral
//! bench` divides them by the time. [`memory`] estimates the memory that training needs; `floral
//! train` compares it with what is available. [`Step`] gives the time of a training step on many
//! ranks, for `floral plan`.

pub mod arithmetic;
mod backbone;
mod blocks;
pub mod memory;
mod scaling;
pub mod slices;

pub use arithmetic::{condition_flops, training_flops, velocity_flops};
pub use blocks::{LEAST_ROWS, SAMPLING_VALUES, block_rows, sampling_block_rows, step_blocks};
pub use memory::{Load, Memory};
pub use scaling::{Rates, Step, StepCost};
