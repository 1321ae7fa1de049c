//! The precision in which a group stores its values: 32 or 64 bits.

use std::fmt;
use std::str::FromStr;

use crate::{Error, Result};

/// How many bits a stored value has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Precision {
    /// 32 bits: seven digits, what the networks are trained in.
    #[default]
    F32,
    /// 64 bits: as computed.
    F64,
}

impl Precision {
    /// The name of its data type in Zarr.
    pub fn data_type(self) -> &'static str {
        match self {
            Self::F32 => "float32",
            Self::F64 => "float64",
        }
    }

    /// Bytes per value.
    pub fn size(self) -> usize {
        match self {
            Self::F32 => size_of::<f32>(),
            Self::F64 => size_of::<f64>(),
        }
    }

    /// Whether the value is still finite once rounded to this precision.
    pub fn holds(self, value: f64) -> bool {
        match self {
            Self::F32 => (value as f32).is_finite(),
            Self::F64 => value.is_finite(),
        }
    }

    /// The values, rounded, in the machine's own byte order.
    pub(super) fn native_bytes(self, values: &[f64]) -> Vec<u8> {
        match self {
            Self::F32 => values
                .iter()
                .flat_map(|&value| (value as f32).to_ne_bytes())
                .collect(),
            Self::F64 => values
                .iter()
                .flat_map(|value| value.to_ne_bytes())
                .collect(),
        }
    }
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::F32 => "f32",
            Self::F64 => "f64",
        })
    }
}

impl FromStr for Precision {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "f32" => Ok(Self::F32),
            "f64" => Ok(Self::F64),
            _ => Err(Error::UnknownName {
                kind: "precision",
                name: text.to_owned(),
                known: "f32, f64".into(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_can_be_too_large_for_half_the_bits() {
        assert!(Precision::F64.holds(1e300));
        assert!(!Precision::F32.holds(1e300));
        assert!(!Precision::F64.holds(f64::NAN));
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        for precision in [Precision::F32, Precision::F64] {
            assert_eq!(
                precision.to_string().parse::<Precision>().unwrap(),
                precision
            );
        }
        assert!("f16".parse::<Precision>().is_err());
    }
}
