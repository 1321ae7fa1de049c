//! What a network costs: arithmetic and memory by formula, and the memory a machine has left.
//!
//! [`arithmetic`] counts the operations that a velocity or a training step cannot do without;
//! `floral bench` divides them by the time. [`memory`] estimates what training holds at
//! once; `floral train` compares it with what is [`available`]. [`Step`] is the time of a training step
//! on many ranks, for `floral plan`.

pub mod arithmetic;
mod available;
mod blocks;
mod control_group;
pub mod memory;
mod scaling;

pub use arithmetic::{condition_flops, training_flops, velocity_flops};
pub use available::kilobytes;
pub use available::{available, check_room, spare_memory};
pub use blocks::{rows_of_training, sampling_rows, training_rows};
pub use memory::{Load, Memory, check_training};
pub use scaling::{Rates, Step, StepCost};
