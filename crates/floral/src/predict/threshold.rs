//! Thresholds for exceedance probabilities, each for one channel.

use crate::quantity::labels;
use crate::{Error, Quantity, Result};

/// A threshold for one solution channel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Threshold {
    /// Index of the solution channel.
    pub channel: usize,
    /// Value in the units of the channel.
    pub value: f64,
}

impl Threshold {
    /// Parses `pressure:0.5` (channel by name), `1:0.5` (channel by number), or `0.5` if there is
    /// only one channel.
    pub fn parse(text: &str, quantities: &[Quantity]) -> Result<Self> {
        let (channel, value) = match text.rsplit_once(':') {
            Some((channel, value)) => (Some(channel.trim()), value),
            None => (None, text),
        };
        let value: Option<f64> = value.trim().parse().ok();
        let value = value.filter(|value| value.is_finite()).ok_or_else(|| {
            refusal(
                text,
                "write a finite number, or the name of a channel and a number, as in pressure:0.5",
            )
        })?;
        let channel = match channel {
            Some(name) => named(name, quantities)?,
            None if quantities.len() < 2 => 0,
            None => {
                let labels = labels(quantities).join(", ");
                let example = quantities[0].name.as_deref().unwrap_or("0");
                return Err(refusal(
                    text,
                    &format!(
                        "the solution has {} channels ({labels}); give the channel of the threshold \
                         by name or number, as in {example}:{value}",
                        quantities.len()
                    ),
                ));
            }
        };
        Ok(Self { channel, value })
    }
}

/// Index of the channel with this name, or else with this number.
fn named(name: &str, quantities: &[Quantity]) -> Result<usize> {
    let is_named = |quantity: &Quantity| {
        let own = quantity.name.as_deref();
        own.is_some_and(|own| own.eq_ignore_ascii_case(name))
    };
    let number = || name.parse().ok().filter(|i| *i < quantities.len().max(1));
    quantities
        .iter()
        .position(is_named)
        .or_else(number)
        .ok_or_else(|| Error::unknown_name("channel", name, labels(quantities).join(", ")))
}

fn refusal(text: &str, reason: &str) -> Error {
    Error::config(format!("threshold {text}"), reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two() -> [Quantity; 2] {
        [
            Quantity::named("deflection"),
            Quantity::named("pressure").with_units("Pa"),
        ]
    }

    #[test]
    fn a_channel_is_found_by_name_and_by_number() {
        let expected = |channel, value| Threshold { channel, value };
        for (text, found) in [
            ("pressure:0.5", expected(1, 0.5)),
            ("Pressure: -2e5", expected(1, -2e5)),
            ("0:1", expected(0, 1.0)),
        ] {
            assert_eq!(Threshold::parse(text, &two()).unwrap(), found, "{text}");
        }
    }

    #[test]
    fn a_bare_number_is_of_the_only_channel() {
        let one = &two()[..1];
        assert_eq!(Threshold::parse("-0.5", one).unwrap().value, -0.5);
        assert_eq!(Threshold::parse("0.5", &[]).unwrap().channel, 0);
        let words = Threshold::parse("0.5", &two()).unwrap_err().to_string();
        for part in ["2 channels (deflection, pressure)", "as in deflection:0.5"] {
            assert!(words.contains(part), "{words}");
        }
    }

    #[test]
    fn what_is_no_threshold_is_refused() {
        for text in [
            "",
            "pressure",
            "pressure:",
            "pressure:x",
            "p:0.5",
            "7:0.5",
            "1:nan",
        ] {
            assert!(Threshold::parse(text, &two()).is_err(), "{text}");
        }
    }
}
