//! A quantity: the name and units of a channel's values.

use serde::{Deserialize, Serialize};

/// The name and units of a channel's values, as far as known. Inputs in other units than those of
/// training are converted.
///
/// ```
/// use floral_data::Quantity;
///
/// let pressure = Quantity::named("pressure").with_units("Pa");
/// assert_eq!(pressure.units.as_deref(), Some("Pa"));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Quantity {
    /// A short name, such as `pressure`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Units, such as `Pa`; `1` is a pure number, and none means unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub units: Option<String>,
    /// The long name, for figures and tables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub long_name: Option<String>,
    /// Whether it is a parameter of the input: a number, constant over the domain.
    #[serde(skip_serializing_if = "is_not")]
    pub parameter: bool,
}

fn is_not(flag: &bool) -> bool {
    !flag
}

impl Quantity {
    /// A quantity with this name; an empty name counts as none.
    pub fn named(name: &str) -> Self {
        Self {
            name: non_empty(name),
            ..Self::default()
        }
    }

    /// The same quantity in these units; empty units count as none.
    pub fn with_units(mut self, units: &str) -> Self {
        self.units = non_empty(units);
        self
    }

    /// The same quantity with this long name; an empty one counts as none.
    pub fn with_long_name(mut self, long_name: &str) -> Self {
        self.long_name = non_empty(long_name);
        self
    }

    /// The same quantity, marked as a parameter of the input.
    pub fn as_parameter(mut self) -> Self {
        self.parameter = true;
        self
    }

    /// The long name, or else the short one.
    pub fn title(&self) -> Option<&str> {
        self.long_name.as_deref().or(self.name.as_deref())
    }

    /// A statistic of the quantity in the same units, such as its `mean`.
    pub fn statistic(&self, what: &str) -> Self {
        Self {
            long_name: self.title().map(|title| format!("{what} of {title}")),
            ..self.clone()
        }
    }

    /// The variance of the quantity, or a part of it, in squared units.
    pub fn variance(&self, what: &str) -> Self {
        Self {
            units: self.units.as_deref().map(squared),
            ..self.statistic(what)
        }
    }
}

/// The quantities of a problem, one for each channel.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Quantities {
    /// Channels of the input.
    pub input: Vec<Quantity>,
    /// Channels of the solution.
    pub solution: Vec<Quantity>,
}

impl Quantities {
    /// Whether nothing is known about any channel.
    pub fn is_empty(&self) -> bool {
        let unknown = Quantity::default();
        self.input
            .iter()
            .chain(&self.solution)
            .all(|one| *one == unknown)
    }
}

/// Labels of channels in messages: the name, or else `channel 0`.
pub fn labels(quantities: &[Quantity]) -> Vec<String> {
    let label = |(index, quantity): (usize, &Quantity)| match &quantity.name {
        Some(name) => name.clone(),
        None => format!("channel {index}"),
    };
    quantities.iter().enumerate().map(label).collect()
}

/// The index in `found` of each name in `wanted`; none unless both hold the same names, each once.
pub fn order<'a>(
    wanted: impl Iterator<Item = Option<&'a str>>,
    found: impl Iterator<Item = Option<&'a str>>,
) -> Option<Vec<usize>> {
    let found: Vec<&str> = found.collect::<Option<_>>()?;
    let mut left: Vec<Option<&str>> = found.iter().copied().map(Some).collect();
    let place = |name: Option<&str>| {
        let place = left.iter().position(|found| *found == name)?;
        left[place] = None;
        (!found[..place].contains(&name?) && !found[place + 1..].contains(&name?)).then_some(place)
    };
    let order: Vec<usize> = wanted.map(place).collect::<Option<_>>()?;
    (order.len() == found.len()).then_some(order)
}

/// Trimmed text, unless it is empty.
pub fn non_empty(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// The square of units, in UDUNITS notation.
fn squared(units: &str) -> String {
    match units {
        "1" => units.to_owned(),
        // Only differences are squared, and differences of Celsius are kelvins.
        "degC" | "celsius" | "Celsius" | "°C" => "K2".into(),
        _ if units.chars().all(char::is_alphabetic) => format!("{units}2"),
        _ => format!("({units})2"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_quantities_are_not_written() {
        let pressure = Quantity::named("pressure").with_units("Pa");
        let text = serde_json::to_string(&pressure).unwrap();
        assert_eq!(text, r#"{"name":"pressure","units":"Pa"}"#);
        assert_eq!(serde_json::from_str::<Quantity>(&text).unwrap(), pressure);
        assert_eq!(
            serde_json::from_str::<Quantity>("{}").unwrap(),
            Quantity::named(" ")
        );
    }

    #[test]
    fn the_variance_has_the_square_of_the_units() {
        let square = |units: &str| {
            Quantity::named("u")
                .with_units(units)
                .variance("variance")
                .units
        };
        let expected = [
            ("Pa", Some("Pa2")),
            ("m s-1", Some("(m s-1)2")),
            ("degC", Some("K2")),
            ("1", Some("1")),
            ("", None),
        ];
        for (units, squared) in expected {
            assert_eq!(square(units).as_deref(), squared);
        }
    }

    #[test]
    fn channels_without_a_name_are_counted() {
        let quantities = [Quantity::named("u"), Quantity::default()];
        assert_eq!(labels(&quantities), ["u", "channel 1"]);
    }
}
