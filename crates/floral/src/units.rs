//! Units of measurement: whether two texts mean the same, or what takes values from one to the other.
//!
//! A small part of UDUNITS, whose notation CF attributes use: products and quotients of powers of
//! prefixed units, as in `mm`, `m s-1`, `kg/m3` or `W m^-2 K^-1`. What it does not know is only equal
//! to itself.

use std::f64::consts::PI;

/// Length, mass, time, temperature, current, amount, luminous intensity.
type Dimensions = [i32; 7];

/// How one unit relates to another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Relation {
    /// They are the same.
    Same,
    /// Values times this factor are values in the other.
    Scaled(f64),
    /// No factor takes one to the other: they measure different things, or from another zero.
    Apart,
    /// One of them is not known here.
    Unknown,
}

/// How units `from` relate to units `to`.
///
/// ```
/// use floral::units::{Relation, relation};
///
/// assert_eq!(relation("m", "mm"), Relation::Scaled(1000.0));
/// assert_eq!(relation("m/s", "m s-1"), Relation::Same);
/// assert_eq!(relation("degC", "K"), Relation::Apart);
/// ```
pub fn relation(from: &str, to: &str) -> Relation {
    let [from, to] = [from, to].map(str::trim);
    if from == to {
        return Relation::Same;
    }
    if let (Some(one), Some(other)) = (celsius(from), celsius(to)) {
        return if one == other {
            Relation::Same
        } else {
            Relation::Apart
        };
    }
    let affine = |one: &str, other: &str| celsius(one).is_some() && Unit::parse(other).is_some();
    if affine(from, to) || affine(to, from) {
        return Relation::Apart;
    }
    let (Some(from), Some(to)) = (Unit::parse(from), Unit::parse(to)) else {
        return Relation::Unknown;
    };
    if from.dimensions != to.dimensions {
        return Relation::Apart;
    }
    match from.scale / to.scale {
        factor if (factor - 1.0).abs() < 1e-12 => Relation::Same,
        factor => Relation::Scaled(tidy(factor)),
    }
}

/// The scale of temperature with a zero of its own that a text names.
fn celsius(text: &str) -> Option<&'static str> {
    match text {
        "degC" | "deg_C" | "°C" | "celsius" | "Celsius" | "degree_Celsius" | "degrees_Celsius"
        | "degree_C" | "degrees_C" => Some("C"),
        "degF" | "deg_F" | "°F" | "fahrenheit" | "Fahrenheit" | "degree_F" | "degrees_F" => {
            Some("F")
        }
        _ => None,
    }
}

/// A whole number or its inverse where rounding has left it a little beside.
fn tidy(factor: f64) -> f64 {
    for (value, back) in [(factor, false), (1.0 / factor, true)] {
        let whole = value.round();
        if whole != 0.0 && (value / whole - 1.0).abs() < 1e-12 {
            return if back { 1.0 / whole } else { whole };
        }
    }
    factor
}

/// A multiple of a product of powers of the base units.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Unit {
    scale: f64,
    dimensions: Dimensions,
}

impl Unit {
    const ONE: Self = Self {
        scale: 1.0,
        dimensions: [0; 7],
    };

    fn new(scale: f64, dimensions: Dimensions) -> Self {
        Self { scale, dimensions }
    }

    fn times(mut self, other: Self, power: i32) -> Self {
        self.scale *= other.scale.powi(power);
        for (own, other) in self.dimensions.iter_mut().zip(other.dimensions) {
            *own += other * power;
        }
        self
    }

    fn parse(text: &str) -> Option<Self> {
        let text = plain(text);
        let mut unit = Self::ONE;
        for (i, part) in text.split('/').enumerate() {
            let part = part.trim().trim_matches(['(', ')']);
            if part.is_empty() && i > 0 {
                return None;
            }
            let sign = if i == 0 { 1 } else { -1 };
            for word in part.split([' ', '.', '*']).filter(|word| !word.is_empty()) {
                let (factor, power) = Self::power(word)?;
                unit = unit.times(factor, sign * power);
            }
        }
        unit.scale.is_normal().then_some(unit)
    }

    /// A prefixed unit and its power, as in `cm2`, `s-1` or `m^3`; or a number.
    fn power(word: &str) -> Option<(Self, i32)> {
        if let Ok(number) = word.parse::<f64>() {
            return Some((Self::new(number, [0; 7]), 1));
        }
        let is_sign = |c: char| c == '-' || c == '+' || c.is_ascii_digit();
        let at = word.find(is_sign).unwrap_or(word.len());
        let (symbol, power) = word.split_at(at);
        let power = match power {
            "" if symbol.ends_with('^') => return None,
            "" => 1,
            power => power
                .parse()
                .ok()
                .filter(|power| (-9..=9).contains(power))?,
        };
        Some((
            Self::prefixed(symbol.strip_suffix('^').unwrap_or(symbol))?,
            power,
        ))
    }

    fn prefixed(symbol: &str) -> Option<Self> {
        let word = symbol.strip_suffix('s').filter(|word| word.len() > 2);
        if let Some(unit) = Self::named(symbol).or_else(|| Self::named(word?)) {
            return Some(unit);
        }
        let long = LONG_PREFIXES.iter().map(|(name, scale)| (*name, *scale));
        let short = PREFIXES.iter().map(|(name, scale)| (*name, *scale));
        long.chain(short).find_map(|(prefix, scale)| {
            let rest = symbol.strip_prefix(prefix)?;
            let word = rest.strip_suffix('s').filter(|word| word.len() > 2);
            let takes_prefix = |name: &&str| !ALONE.contains(name);
            let found = [Some(rest), word].into_iter().flatten();
            let unit = found.filter(takes_prefix).find_map(Self::named)?;
            Some(Self::new(scale * unit.scale, unit.dimensions))
        })
    }

    fn named(symbol: &str) -> Option<Self> {
        let (scale, dimensions) = match symbol {
            "m" | "metre" | "meter" => (1.0, [1, 0, 0, 0, 0, 0, 0]),
            "inch" => (0.0254, [1, 0, 0, 0, 0, 0, 0]),
            "ft" | "foot" | "feet" => (0.3048, [1, 0, 0, 0, 0, 0, 0]),
            "mile" => (1609.344, [1, 0, 0, 0, 0, 0, 0]),
            "g" | "gram" => (1e-3, [0, 1, 0, 0, 0, 0, 0]),
            "t" | "tonne" => (1e3, [0, 1, 0, 0, 0, 0, 0]),
            "s" | "sec" | "second" => (1.0, [0, 0, 1, 0, 0, 0, 0]),
            "min" | "minute" => (60.0, [0, 0, 1, 0, 0, 0, 0]),
            "h" | "hr" | "hour" => (3600.0, [0, 0, 1, 0, 0, 0, 0]),
            "d" | "day" => (86400.0, [0, 0, 1, 0, 0, 0, 0]),
            "K" | "kelvin" | "Kelvin" => (1.0, [0, 0, 0, 1, 0, 0, 0]),
            "A" | "ampere" => (1.0, [0, 0, 0, 0, 1, 0, 0]),
            "mol" | "mole" => (1.0, [0, 0, 0, 0, 0, 1, 0]),
            "cd" | "candela" => (1.0, [0, 0, 0, 0, 0, 0, 1]),
            "Hz" | "hertz" => (1.0, [0, 0, -1, 0, 0, 0, 0]),
            "N" | "newton" => (1.0, [1, 1, -2, 0, 0, 0, 0]),
            "Pa" | "pascal" => (1.0, [-1, 1, -2, 0, 0, 0, 0]),
            "bar" => (1e5, [-1, 1, -2, 0, 0, 0, 0]),
            "atm" | "atmosphere" => (101_325.0, [-1, 1, -2, 0, 0, 0, 0]),
            "J" | "joule" => (1.0, [2, 1, -2, 0, 0, 0, 0]),
            "W" | "watt" => (1.0, [2, 1, -3, 0, 0, 0, 0]),
            "C" | "coulomb" => (1.0, [0, 0, 1, 0, 1, 0, 0]),
            "V" | "volt" => (1.0, [2, 1, -3, 0, -1, 0, 0]),
            "T" | "tesla" => (1.0, [0, 1, -2, 0, -1, 0, 0]),
            "L" | "l" | "litre" | "liter" => (1e-3, [3, 0, 0, 0, 0, 0, 0]),
            "rad" | "radian" => (1.0, [0; 7]),
            "deg" | "degree" | "°" | "degree_north" | "degrees_north" | "degree_east"
            | "degrees_east" => (PI / 180.0, [0; 7]),
            "%" | "percent" => (1e-2, [0; 7]),
            "ppm" => (1e-6, [0; 7]),
            _ => return None,
        };
        Some(Self::new(scale, dimensions))
    }
}

/// Units that take no prefix: the rest of a word would be mistaken for one.
const ALONE: [&str; 14] = [
    "min", "minute", "h", "hr", "hour", "d", "day", "deg", "degree", "inch", "ft", "feet", "%",
    "ppm",
];

const PREFIXES: [(&str, f64); 16] = [
    ("da", 1e1),
    ("f", 1e-15),
    ("p", 1e-12),
    ("n", 1e-9),
    ("u", 1e-6),
    ("m", 1e-3),
    ("c", 1e-2),
    ("d", 1e-1),
    ("h", 1e2),
    ("k", 1e3),
    ("M", 1e6),
    ("G", 1e9),
    ("T", 1e12),
    ("P", 1e15),
    ("E", 1e18),
    ("a", 1e-18),
];

const LONG_PREFIXES: [(&str, f64); 9] = [
    ("nano", 1e-9),
    ("micro", 1e-6),
    ("milli", 1e-3),
    ("centi", 1e-2),
    ("deci", 1e-1),
    ("hecto", 1e2),
    ("kilo", 1e3),
    ("mega", 1e6),
    ("giga", 1e9),
];

/// The text in letters that `parse` knows.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.replace("**", "^").chars() {
        match c {
            'µ' | 'μ' => plain.push('u'),
            '·' | '×' => plain.push(' '),
            '⁻' => plain.push('-'),
            '¹' => plain.push('1'),
            '²' => plain.push('2'),
            '³' => plain.push('3'),
            _ => plain.push(c),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_spellings_of_a_unit_are_the_same() {
        for (one, other) in [
            ("m", "metre"),
            ("meters", "metres"),
            ("m/s", "m s-1"),
            ("m s^-1", "m.s-1"),
            ("kg m**-3", "kg/m3"),
            ("µm", "micrometre"),
            ("W m⁻² K⁻¹", "W/(m2 K)"),
            ("hPa", "mbar"),
            ("N m-2", "Pa"),
            ("degC", "celsius"),
            ("degrees_north", "degree"),
            ("1", "1 "),
            ("furlong", "furlong"),
        ] {
            assert_eq!(relation(one, other), Relation::Same, "{one}, {other}");
        }
    }

    #[test]
    fn multiples_have_a_factor_that_takes_values_across() {
        for (from, to, factor) in [
            ("mm", "m", 1e-3),
            ("m", "mm", 1e3),
            ("kPa", "Pa", 1e3),
            ("hPa", "bar", 1e-3),
            ("h", "s", 3600.0),
            ("days", "hours", 24.0),
            ("km/h", "m/s", 1.0 / 3.6),
            ("cm2", "m2", 1e-4),
            ("degrees", "rad", PI / 180.0),
            ("1e-3 m", "m", 1e-3),
            ("%", "1", 0.01),
        ] {
            let Relation::Scaled(found) = relation(from, to) else {
                panic!("{from} to {to}: {:?}", relation(from, to));
            };
            assert!((found / factor - 1.0).abs() < 1e-14, "{from} to {to}");
            let Relation::Scaled(back) = relation(to, from) else {
                panic!("{to} to {from}");
            };
            assert!((found * back - 1.0).abs() < 1e-12, "{from} to {to}");
        }
    }

    #[test]
    fn what_no_factor_relates_is_apart() {
        for (from, to) in [
            ("m", "s"),
            ("degC", "K"),
            ("K", "degF"),
            ("degC", "degF"),
            ("Pa", "1"),
            ("m", "m2"),
        ] {
            assert_eq!(relation(from, to), Relation::Apart, "{from}, {to}");
        }
    }

    #[test]
    fn what_is_not_known_is_said_and_never_panics() {
        for text in [
            "furlong",
            "m99999999999",
            "m^",
            "days since 2000-01-01",
            "//",
            "m/",
            "0 m",
            "é",
            "-",
            "1e999 m",
            "mmin",
        ] {
            assert_eq!(relation(text, "m"), Relation::Unknown, "{text}");
        }
    }
}
