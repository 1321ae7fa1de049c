//! Coefficients: the law of the numbers that multiply an input's factors.
//!
//! - [`example`]: coefficients of one input, brought to mean zero and deviation one;
//! - [`projection`]: features of an input as few numbers of unit variance;
//! - `perceptron`: the velocity of the flow as a module that learns;
//! - `march`: the same as plain loops, from normal numbers to coefficients;
//! - `flow`: flow matching, stopped by inputs held out;
//! - `choice`: Gaussian or flow, by their energy score at inputs held out;
//! - [`law`]: what was chosen, and its draws.

mod choice;
pub mod example;
mod flow;
pub mod law;
mod logistic;
mod march;
mod perceptron;
pub mod projection;
#[cfg(test)]
mod tests;

pub use example::Example;
pub use law::{Law, LawHeader, Scores};
pub use projection::Projection;
