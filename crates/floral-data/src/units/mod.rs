//! Units of measurement: whether two texts denote the same unit, or how values convert between
//! them.
//!
//! The notation is that of UDUNITS, which CF attributes use: products, quotients and powers of
//! prefixed units and numbers, as in `mm`, `m s-1`, `1e-3 kg/m3`, `W m^-2 K^-1`; scales with an
//! offset, such as `degC`; and times since a date, such as `hours since 2000-01-01`. `parser.rs`
//! reads the notation, `table.rs` knows the names, `instant.rs` the dates. An unknown text equals
//! only itself. This is implemented here because the crates that parse units follow other notations
//! (UCUM, GNU units).

mod instant;
mod parser;
mod table;

use std::fmt;

/// Length, mass, time, temperature, current, amount, luminous intensity.
type Dimensions = [i32; 7];

/// The linear map to other units: `factor` x + `offset`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Conversion {
    /// Ratio of the units.
    pub factor: f64,
    /// The zero of the first unit, expressed in the second.
    pub offset: f64,
}

impl Conversion {
    /// The identity.
    pub const NONE: Self = Self {
        factor: 1.0,
        offset: 0.0,
    };

    /// A value converted to the other units.
    pub fn apply(self, value: f64) -> f64 {
        self.factor * value + self.offset
    }

    /// Whether values remain unchanged.
    pub fn is_none(self) -> bool {
        self == Self::NONE
    }
}

/// The conversion in words, such as `times 1.8 plus 32`.
impl fmt::Display for Conversion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { factor, offset } = self;
        match (*factor == 1.0, *offset == 0.0) {
            (_, true) => write!(f, "times {factor}"),
            (true, false) => write!(f, "plus {offset}"),
            (false, false) => write!(f, "times {factor} plus {offset}"),
        }
    }
}

/// The relation of two units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Relation {
    /// The units are equal.
    Same,
    /// Values convert by this map.
    Converted(Conversion),
    /// The units have different dimensions.
    Apart,
    /// At least one unit is unknown.
    Unknown,
}

impl Relation {
    /// The conversion between the units, if there is one.
    pub fn conversion(self) -> Option<Conversion> {
        match self {
            Self::Same => Some(Conversion::NONE),
            Self::Converted(conversion) => Some(conversion),
            Self::Apart | Self::Unknown => None,
        }
    }
}

/// The relation of units `from` to units `to`.
///
/// ```
/// use floral_data::units::{Conversion, Relation, relation};
///
/// let conversion = |factor, offset| Relation::Converted(Conversion { factor, offset });
/// assert_eq!(relation("m", "mm"), conversion(1000.0, 0.0));
/// assert_eq!(relation("degC", "K"), conversion(1.0, 273.15));
/// assert_eq!(relation("m/s", "m s-1"), Relation::Same);
/// assert_eq!(relation("m", "s"), Relation::Apart);
/// assert_eq!(relation("furlong", "m"), Relation::Unknown);
/// ```
pub fn relation(from: &str, to: &str) -> Relation {
    if from.trim() == to.trim() {
        return Relation::Same;
    }
    let (Some(from), Some(to)) = (parser::parse(from), parser::parse(to)) else {
        return Relation::Unknown;
    };
    if from.dimensions != to.dimensions || from.is_instant != to.is_instant {
        return Relation::Apart;
    }
    let conversion = Conversion {
        factor: tidy(from.scale / to.scale),
        offset: tidy_offset((from.zero - to.zero) / to.scale),
    };
    if conversion.is_none() {
        Relation::Same
    } else {
        Relation::Converted(conversion)
    }
}

/// Removes the rounding error of a factor that is an integer, the inverse of an integer, or a
/// number with few digits.
fn tidy(factor: f64) -> f64 {
    for (value, is_inverse) in [(factor, false), (1.0 / factor, true)] {
        let whole = value.round();
        if whole != 0.0 && (value / whole - 1.0).abs() < 1e-12 {
            return if is_inverse { 1.0 / whole } else { whole };
        }
    }
    nearest(factor, format!("{factor:.12e}"), 1e-15 * factor)
}

/// Removes the rounding error of an offset with at most nine decimals.
fn tidy_offset(offset: f64) -> f64 {
    let margin = 1e-12 * offset.abs().max(1.0);
    // Adding 0.0 turns a negative zero into zero.
    nearest(offset, format!("{offset:.9}"), margin) + 0.0
}

/// The number in a text, if it is within a margin of the value.
fn nearest(value: f64, text: String, margin: f64) -> f64 {
    let short = text.parse().unwrap_or(value);
    if (short - value).abs() <= margin {
        short
    } else {
        value
    }
}

/// A unit: x of it equals `scale` x + `zero` in base units.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Unit {
    scale: f64,
    zero: f64,
    dimensions: Dimensions,
    /// Whether values are points in time; `zero` is then in seconds since 1970.
    is_instant: bool,
}

impl Unit {
    const ONE: Self = Self::new(1.0, [0; 7]);

    const fn new(scale: f64, dimensions: Dimensions) -> Self {
        Self {
            scale,
            zero: 0.0,
            dimensions,
            is_instant: false,
        }
    }

    /// The product with another unit. Offsets are dropped in products; none for multiples such as
    /// `10 degC`, whose meaning is unclear, and for points in time.
    fn times(self, other: Self) -> Option<Self> {
        if self.is_instant || other.is_instant {
            return None;
        }
        for (one, factor) in [(self, other), (other, self)] {
            if one.zero != 0.0 && factor.dimensions == [0; 7] {
                return (factor == Self::ONE).then_some(one);
            }
        }
        let mut dimensions = self.dimensions;
        for (own, other) in dimensions.iter_mut().zip(other.dimensions) {
            *own += other;
        }
        Some(Self::new(self.scale * other.scale, dimensions))
    }

    fn power(self, power: i32) -> Option<Self> {
        match power {
            _ if self.is_instant || !(-9..=9).contains(&power) => None,
            1 => Some(self),
            _ => Some(Self::new(
                self.scale.powi(power),
                self.dimensions.map(|dimension| dimension * power),
            )),
        }
    }
}

#[cfg(test)]
mod tests;
