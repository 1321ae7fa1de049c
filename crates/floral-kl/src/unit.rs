//! The unit of one channel: a shift and a scale.

use serde::{Deserialize, Serialize};

/// The zero and the scale of one channel.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Unit {
    pub shift: f64,
    pub scale: f64,
}

impl Unit {
    /// A value in this unit: (value - shift) / scale.
    pub(super) fn measured(&self, value: f64) -> f64 {
        (value - self.shift) / self.scale
    }
}
