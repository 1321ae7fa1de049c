//! A named array of a network.

/// A parameter, or its gradient, under the path of the parameter: `layers.0.skip.weight`.
#[derive(Debug, Clone, PartialEq)]
pub struct Weight {
    /// The path of the parameter.
    pub name: String,
    /// Length of each dimension.
    pub shape: Vec<usize>,
    /// The values, last dimension fastest.
    pub values: Vec<f32>,
}
