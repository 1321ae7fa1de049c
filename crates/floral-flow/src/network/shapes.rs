//! The shapes that data give a network.

use serde::{Deserialize, Serialize};

/// The shapes that data give a network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shapes {
    /// Channels of the input.
    pub input_channels: usize,
    /// Channels of the solution.
    pub solution_channels: usize,
    /// Points per axis of the training grid.
    pub grid: Vec<usize>,
    /// Channels that say where a point is, of a network that is fed with them; none of an FNO.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coordinates: Option<usize>,
}
