//! Time budget of a fit, in seconds or with a unit.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Error, Result};

/// Time limit of a fit in seconds, read from texts such as `120`, `120s`, `2m`, `1.5h`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Budget(f64);

/// Longest accepted budget, one year, in seconds.
const LONGEST: f64 = 366.0 * 86400.0;

impl Budget {
    /// The budget as a duration.
    pub fn duration(self) -> Duration {
        Duration::from_secs_f64(self.0)
    }

    fn of_seconds(seconds: f64) -> Option<Self> {
        (0.0..=LONGEST).contains(&seconds).then_some(Self(seconds))
    }
}

impl FromStr for Budget {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let number = text.trim_end_matches(char::is_alphabetic);
        let unit = match text[number.len()..].trim() {
            "" | "s" => Some(1.0),
            "m" | "min" => Some(60.0),
            "h" => Some(3600.0),
            _ => None,
        };
        let seconds = number.trim().parse::<f64>().ok().zip(unit);
        let budget = seconds.and_then(|(number, unit)| Self::of_seconds(number * unit));
        budget.ok_or_else(|| {
            Error::config(
                "budget",
                format!("{text:?} is not a time; give seconds, or a unit as in 90s, 2m or 1h"),
            )
        })
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} s", self.0)
    }
}

impl Serialize for Budget {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0)
    }
}

impl<'de> Deserialize<'de> for Budget {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_any(Words)
    }
}

struct Words;

impl Visitor<'_> for Words {
    type Value = Budget;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("seconds, or a time such as \"2m\"")
    }

    fn visit_f64<E: serde::de::Error>(self, seconds: f64) -> std::result::Result<Budget, E> {
        Budget::of_seconds(seconds)
            .ok_or_else(|| E::custom(format!("{seconds} s is not a valid budget")))
    }

    fn visit_i64<E: serde::de::Error>(self, seconds: i64) -> std::result::Result<Budget, E> {
        self.visit_f64(seconds as f64)
    }

    fn visit_u64<E: serde::de::Error>(self, seconds: u64) -> std::result::Result<Budget, E> {
        self.visit_f64(seconds as f64)
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> std::result::Result<Budget, E> {
        text.parse().map_err(E::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_seconds_or_has_a_unit() {
        let of = |text: &str| text.parse::<Budget>().map(|b| b.0);
        let found = ["90", "90s", "1.5 m", "2min", "1h"].map(|text| of(text).unwrap());
        assert_eq!(found, [90.0, 90.0, 90.0, 120.0, 3600.0]);
        for text in ["", "m", "-1", "2 days", "nan", "1e99"] {
            assert!(of(text).unwrap_err().to_string().contains("2m"), "{text}");
        }
    }

    #[test]
    fn a_budget_is_written_and_read_in_toml() {
        #[derive(Deserialize, Serialize)]
        struct Settings {
            budget: Budget,
        }
        for text in ["budget = 120", "budget = 120.0", "budget = \"2m\""] {
            let read: Settings = toml::from_str(text).unwrap();
            let again: Settings = toml::from_str(&toml::to_string(&read).unwrap()).unwrap();
            assert_eq!((read.budget, again.budget), (Budget(120.0), Budget(120.0)));
        }
    }
}
