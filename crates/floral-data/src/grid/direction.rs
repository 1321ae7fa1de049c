//! The direction of an axis in space or time, as CF's attribute `axis` declares it; maps are oriented
//! by it.

use serde::{Deserialize, Serialize};

/// CF conventions, section 4: the values of the attribute `axis`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Direction {
    /// To the east, or along the first horizontal direction.
    X,
    /// To the north, or along the second one.
    Y,
    /// The vertical.
    Z,
    /// Time.
    T,
}

impl Direction {
    /// What an attribute says; none of anything but a letter of CF's.
    pub fn declared(text: &str) -> Option<Self> {
        match text.trim() {
            "X" | "x" => Some(Self::X),
            "Y" | "y" => Some(Self::Y),
            "Z" | "z" => Some(Self::Z),
            "T" | "t" => Some(Self::T),
            _ => None,
        }
    }

    /// What a usual name of an axis suggests.
    pub fn of_name(name: &str) -> Option<Self> {
        match name.to_lowercase().as_str() {
            "x" | "lon" | "longitude" => Some(Self::X),
            "y" | "lat" | "latitude" => Some(Self::Y),
            "z" | "height" | "altitude" => Some(Self::Z),
            "t" | "time" => Some(Self::T),
            _ => None,
        }
    }

    /// As the attribute is written.
    pub fn letter(self) -> &'static str {
        match self {
            Self::X => "X",
            Self::Y => "Y",
            Self::Z => "Z",
            Self::T => "T",
        }
    }
}
