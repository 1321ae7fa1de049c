//! Stopping criterion of the loop: `std(peak) < 0.01`.

use std::str::FromStr;

use crate::Error;
use crate::sensitivity::refusal;

/// A limit for the epistemic standard deviation of a quantity, as root mean square over the pool.
#[derive(Debug, Clone, PartialEq)]
pub struct Until {
    /// Name of the quantity.
    pub name: String,
    /// Limit in the units of the quantity.
    pub value: f64,
}

impl FromStr for Until {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let bad = || {
            let reason = "write std(NAME) < NUMBER, with the name of the quantity and a number above 0, as in std(peak) < 0.01";
            refusal(text.trim(), reason)
        };
        let (left, value) = text.split_once('<').ok_or_else(bad)?;
        let name = left
            .trim()
            .strip_prefix("std(")
            .and_then(|rest| rest.strip_suffix(')'));
        let value = value
            .trim()
            .parse::<f64>()
            .ok()
            .filter(|v| v.is_finite() && *v > 0.0);
        match (name.map(str::trim), value) {
            (Some(name), Some(value)) if !name.is_empty() => Ok(Self {
                name: name.to_owned(),
                value,
            }),
            _ => Err(bad()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_and_others_refused() {
        let until: Until = " std( peak ) < 1e-2".parse().unwrap();
        assert_eq!((until.name.as_str(), until.value), ("peak", 0.01));
        for text in [
            "peak < 1",
            "std(peak) > 1",
            "std(peak) < -1",
            "std() < 1",
            "std(peak) < x",
            "",
        ] {
            let words = text.parse::<Until>().unwrap_err().to_string();
            assert!(words.contains("std(NAME) < NUMBER"), "{words}");
        }
    }
}
