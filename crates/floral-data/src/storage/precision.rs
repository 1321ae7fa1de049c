//! The precision of stored values: 32 or 64 bits.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use crate::{Error, Result};

/// Smallest spread relative to the value that is stored in 32 bits.
const LEAST_SHARE: f64 = 1e-4;

/// Range of the largest value for which 32 bits also resolve spreads.
const SINGLE_RANGE: RangeInclusive<f64> = 1e-30..=1e30;

/// Range of the spread for which 32 bits also hold its square, the variance, and a
/// ten-thousandth of it.
const SINGLE_SPREADS: RangeInclusive<f64> = 1e-17..=1e18;

/// The precision of a stored value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Precision {
    /// 32 bits, with seven digits: the precision in which networks are trained.
    #[default]
    F32,
    /// 64 bits: the precision of computations.
    F64,
}

impl Precision {
    /// The name of the data type in Zarr.
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

    /// Whether the value remains finite when rounded to this precision.
    pub fn holds(self, value: f64) -> bool {
        match self {
            Self::F32 => (value as f32).is_finite(),
            Self::F64 => value.is_finite(),
        }
    }

    /// The precision that resolves the spread of values, given as pairs of value and spread. It is
    /// 64 bits if a spread is less than a ten-thousandth of its value, of which 32 bits would keep
    /// only three digits, and if the largest value is outside the range for 32 bits.
    pub fn holding(values: &[[f64; 2]]) -> Self {
        let largest = values.iter().map(|[v, _]| v.abs()).fold(0.0, f64::max);
        let is_in_range = largest == 0.0 || SINGLE_RANGE.contains(&largest);
        let is_kept = |[value, spread]: &[f64; 2]| value.abs() * LEAST_SHARE <= *spread;
        let mut varying = values.iter().filter(|[_, spread]| *spread > 0.0);
        match is_in_range && varying.all(is_kept) {
            true => Self::F32,
            false => Self::F64,
        }
    }

    /// The precision that holds variances of this spread: 64 bits if its square is too small or too
    /// large for 32.
    pub fn holding_variance(spread: f64) -> Self {
        match spread == 0.0 || SINGLE_SPREADS.contains(&spread) {
            true => Self::F32,
            false => Self::F64,
        }
    }

    /// Rounds values to this precision.
    pub fn round(self, values: &mut [f64]) {
        if self == Self::F32 {
            values.iter_mut().for_each(|v| *v = f64::from(*v as f32));
        }
    }

    /// The rounded values in the machine's byte order.
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
            _ => Err(Error::unknown_name("precision", text, "f32, f64")),
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
    fn a_small_spread_about_a_large_value_needs_all_bits() {
        for (value, spread, expected) in [
            (1.0, 0.1, Precision::F32),
            (1e3, 0.1, Precision::F32),
            (1e7, 0.08, Precision::F64),
            (-1e7, 0.08, Precision::F64),
            (1e-300, 1e-300, Precision::F64),
            (1e35, 1e35, Precision::F64),
            (1e7, 0.0, Precision::F32),
            (0.0, 1e-3, Precision::F32),
        ] {
            let found = Precision::holding(&[[value, spread], [0.5 * value, spread]]);
            assert_eq!(found, expected, "{value} {spread}");
        }
        let mut values = [1e7 + 0.08];
        Precision::F64.round(&mut values);
        assert_eq!(values, [1e7 + 0.08]);
        Precision::F32.round(&mut values);
        assert_eq!(values, [1e7]);
    }

    #[test]
    fn a_variance_below_or_above_the_range_of_32_bits_needs_64() {
        for (spread, expected) in [
            (0.0, Precision::F32),
            (1e-16, Precision::F32),
            (1.0, Precision::F32),
            (1e17, Precision::F32),
            (1e-24, Precision::F64),
            (1e20, Precision::F64),
        ] {
            let found = Precision::holding_variance(spread);
            assert_eq!(found, expected, "{spread}");
            let mut least = [1e-4 * spread * spread];
            found.round(&mut least);
            assert!(least[0].is_finite() && (least[0] > 0.0) == (spread > 0.0));
        }
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
