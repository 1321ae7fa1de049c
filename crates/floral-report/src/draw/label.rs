//! The label of an axis: a name, and the unit after the power of ten that the numbers leave out.

use serde::Serialize;

use super::text::fitted_before;

/// The unit of a pure number in files, and its sign in figures.
const PURE: &str = "1";
const DASH: &str = "\u{2013}";

/// The name of a quantity and its unit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Label {
    /// The name.
    pub name: String,
    /// The unit: `1` for a pure number; `None` if it is unknown or need not be shown.
    pub units: Option<String>,
}

impl Label {
    /// A name with its unit, if known.
    pub fn new(name: impl Into<String>, units: Option<&str>) -> Self {
        Self {
            name: name.into(),
            units: units.map(str::to_owned),
        }
    }

    /// Another name with the same unit.
    pub fn named(&self, name: impl Into<String>) -> Self {
        Self::new(name, self.units.as_deref())
    }

    /// The same name with the unit squared.
    pub fn squared(&self) -> Self {
        self.with_units(|units| format!("{units}\u{b2}"))
    }

    /// The same name with the inverse unit, as for a density.
    pub fn inverse(&self) -> Self {
        self.with_units(|units| format!("1/{units}"))
    }

    /// Changes the unit. A pure number stays one, and an unknown unit stays unknown.
    fn with_units(&self, change: impl Fn(&str) -> String) -> Self {
        let changed = |units: &str| match units {
            PURE | "" => PURE.to_owned(),
            units if units.chars().all(char::is_alphabetic) => change(units),
            units => change(&format!("({})", typeset(units))),
        };
        Self {
            name: self.name.clone(),
            units: self.units.as_deref().map(changed),
        }
    }

    /// The text at an axis whose numbers are to be multiplied by this power of ten:
    /// `pressure [10⁵ Pa]`.
    pub fn with_power(&self, power: i32) -> String {
        self.name.clone() + &self.unit(power)
    }

    /// Like `with_power`, fitted into a width: in a smaller font, and if need be with the name
    /// shortened, but not the unit. Also returns the font size.
    pub(super) fn fitted(&self, power: i32, size: f64, room: f64) -> (String, f64) {
        let unit = self.unit(power);
        let (mut name, size) = fitted_before(&self.name, &unit, size, room);
        name += &unit;
        (name, size)
    }

    /// The text after the name: ` [10⁵ Pa]`.
    fn unit(&self, power: i32) -> String {
        let power = (power != 0).then(|| format!("10{}", raised(power)));
        let units = match self.units.as_deref() {
            Some(PURE | "") if power.is_none() => Some(DASH.to_owned()),
            None | Some(PURE | "") => None,
            Some(units) => Some(typeset(units)),
        };
        let parts: Vec<String> = power.into_iter().chain(units).collect();
        match parts.is_empty() {
            true => String::new(),
            false => format!(" [{}]", parts.join(" ")),
        }
    }

    /// The text if numbers are written in full: `pressure [Pa]`.
    pub fn plain(&self) -> String {
        self.with_power(0)
    }
}

impl From<&str> for Label {
    fn from(name: &str) -> Self {
        Self::new(name, None)
    }
}

/// An integer as a superscript.
pub(super) fn raised(power: i32) -> String {
    let digit = |digit: char| match digit {
        '-' => '\u{207b}',
        '1' => '\u{b9}',
        '2' => '\u{b2}',
        '3' => '\u{b3}',
        other => char::from_u32(0x2070 + other.to_digit(10).unwrap_or(0)).unwrap_or(other),
    };
    power.to_string().chars().map(digit).collect()
}

/// Typeset units: `kg m-3` as `kg m⁻³`. Anything but a product of powers is unchanged.
pub fn typeset(units: &str) -> String {
    let factors = units.split(' ').map(factor);
    let factors: Option<Vec<String>> = factors.collect();
    factors.map_or_else(|| units.to_owned(), |factors| factors.join(" "))
}

/// A symbol with its exponent, as in `m`, `m2`, `m^2`, `m**-2`.
fn factor(text: &str) -> Option<String> {
    let is_symbol = |letter: char| letter.is_alphabetic() || "\u{b0}%/".contains(letter);
    let end = text.find(|letter| !is_symbol(letter)).unwrap_or(text.len());
    let (symbol, exponent) = text.split_at(end);
    let exponent = exponent.trim_start_matches(['*', '^']);
    match exponent {
        _ if symbol.is_empty() => None,
        "" => Some(symbol.to_owned()),
        exponent => Some(format!("{symbol}{}", raised(exponent.parse().ok()?))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_power_stands_before_the_unit() {
        let of = |units: Option<&str>, power| Label::new("p", units).with_power(power);
        assert_eq!(of(Some("Pa"), 5), "p [10\u{2075} Pa]");
        assert_eq!(of(Some("Pa"), 0), "p [Pa]");
        assert_eq!(of(None, -9), "p [10\u{207b}\u{2079}]");
        assert_eq!(of(None, 0), "p");
        assert_eq!(of(Some("1"), 0), "p [\u{2013}]");
        assert_eq!(of(Some("1"), 12), "p [10\u{b9}\u{b2}]");
    }

    #[test]
    fn of_a_long_label_the_name_is_cut_and_not_the_unit() {
        let label = Label::new("mass concentration of a tracer in air", Some("kg m-3"));
        let (whole, size) = label.fitted(-9, 14.0, 1000.0);
        assert_eq!((whole, size), (label.with_power(-9), 14.0));
        let (cut, _) = label.fitted(-9, 14.0, 150.0);
        assert!(cut.starts_with("mass") && cut.contains('\u{2026}'), "{cut}");
        assert!(
            cut.ends_with(" [10\u{207b}\u{2079} kg m\u{207b}\u{b3}]"),
            "{cut}"
        );
    }

    #[test]
    fn products_of_powers_are_raised_and_other_units_stay() {
        assert_eq!(typeset("kg m-3"), "kg m\u{207b}\u{b3}");
        assert_eq!(typeset("m^2 s**-1"), "m\u{b2} s\u{207b}\u{b9}");
        assert_eq!(typeset("W/m2"), "W/m\u{b2}");
        for other in ["days since 2000-01-01", "degrees_north", "1e-3 m", "%", ""] {
            assert_eq!(typeset(other), other);
        }
    }

    #[test]
    fn a_unit_changes_with_what_is_made_of_it_and_a_pure_number_stays_one() {
        let energy = |units: &str| Label::new("energy", Some(units)).squared().plain();
        assert_eq!(energy("Pa"), "energy [Pa\u{b2}]");
        assert_eq!(energy("kg m-3"), "energy [(kg m\u{207b}\u{b3})\u{b2}]");
        assert_eq!(energy("1"), "energy [\u{2013}]");
        let density = Label::new("density", Some("Pa")).inverse();
        assert_eq!(density.with_power(-5), "density [10\u{207b}\u{2075} 1/Pa]");
        assert_eq!(Label::from("density").inverse().plain(), "density");
    }
}
