//! What a network costs: arithmetic and memory by formula.
//!
//! [`arithmetic`] counts the operations that a velocity or a training step cannot do without;
//! `floral bench` divides them by the time. [`memory`] estimates what training holds at
//! once; `floral train` compares it with what is available. [`Step`] is the time of a training step
//! on many ranks, for `floral plan`.

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
