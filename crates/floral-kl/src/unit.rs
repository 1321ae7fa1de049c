//! The unit of one channel, in which fields are measured.

use serde::{Deserialize, Serialize};

/// The zero and the size of one channel.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Unit {
    pub shift: f64,
    pub scale: f64,
}

impl Unit {
    /// A value in this unit.
    pub(super) fn measured(&self, value: f64) -> f64 {
        (value - self.shift) / self.scale
    }
}
