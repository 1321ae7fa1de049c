//! The shapes of data that determine the shapes of a network.

use serde::{Deserialize, Serialize};

/// The shapes of data that determine the shapes of a network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shapes {
    /// Channels of the input.
    pub input_channels: usize,
    /// Channels of the solution.
    pub solution_channels: usize,
    /// Points per axis of the training grid.
    pub grid: Vec<usize>,
    /// Coordinate channels, for a network of points; none for an FNO.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coordinates: Option<usize>,
}
