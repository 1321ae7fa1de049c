//! Factors: a network from the condition channels of an input to its factor fields.
//!
//! - [`settings`]: sizes and constants;
//! - [`row`]: a training input with what its realizations say;
//! - [`channels`]: what the network is fed, and how it moves;
//! - `view` and `batch`: rows on the thinned training grid, moved by symmetries;
//! - `gram`: the loss that matches covariance operators;
//! - `training`: steps, and looks at the inputs held out;
//! - `turn`: one rotation of the factors for all inputs, and how many are kept;
//! - [`heads`]: all of it, and the factors of a new input.

mod batch;
pub mod channels;
mod gram;
pub mod heads;
pub mod row;
pub mod settings;
#[cfg(test)]
mod tests;
mod training;
mod turn;
mod view;

pub use channels::{Channel, Moves};
pub use heads::{Factors, Header, Heads};
pub use row::{Others, Row, Seen};
pub use settings::Settings;
