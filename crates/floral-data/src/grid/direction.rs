//! The direction of an axis in space or time, as declared by CF's attribute `axis`; it orients
//! maps.

use serde::{Deserialize, Serialize};

/// CF conventions, section 4: the values of the attribute `axis`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Direction {
    /// East, or the first horizontal direction.
    X,
    /// North, or the second horizontal direction.
    Y,
    /// The vertical.
    Z,
    /// Time.
    T,
}

impl Direction {
    /// The direction declared by an attribute; none unless it is one of CF's letters.
    pub fn declared(text: &str) -> Option<Self> {
        match text.trim() {
            "X" | "x" => Some(Self::X),
            "Y" | "y" => Some(Self::Y),
            "Z" | "z" => Some(Self::Z),
            "T" | "t" => Some(Self::T),
            _ => None,
        }
    }

    /// The direction suggested by a usual name of an axis.
    pub fn of_name(name: &str) -> Option<Self> {
        match name.to_lowercase().as_str() {
            "x" | "lon" | "longitude" => Some(Self::X),
            "y" | "lat" | "latitude" => Some(Self::Y),
            "z" | "height" | "altitude" => Some(Self::Z),
            "t" | "time" => Some(Self::T),
            _ => None,
        }
    }

    /// The letter of the attribute.
    pub fn letter(self) -> &'static str {
        match self {
            Self::X => "X",
            Self::Y => "Y",
            Self::Z => "Z",
            Self::T => "T",
        }
    }
}
