//! A single transform: a function of values, its inverse, and its range of valid values.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// Added by `positive` to values divided by their scale, so that zero has a finite transform:
/// ln(e^F - 1) is about -4.6. Predictions below that become zero.
const FLOOR: f64 = 0.01;

/// Margin of `bounded` at both ends, for the same reason: logits are within 6.9.
const MARGIN: f64 = 1e-3;

/// Largest violation of the range that is attributed to rounding, relative to the largest nearby
/// value: the rounding of solvers and of data in single precision.
pub(super) const ROUND_OFF: f64 = 1e-6;

/// The transform of one channel, written as `none`, `log`, `sqrt`, `positive`, `positive:SCALE` or
/// `bounded:FROM:TO`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Transform {
    /// Unchanged.
    #[default]
    None,
    /// The logarithm.
    Log,
    /// The square root.
    Sqrt,
    /// The inverse of softplus: approximately u where u exceeds the scale, and logarithmic where u
    /// is smaller.
    Positive {
        /// The scale of the transition; the root mean square of the training data if absent.
        scale: Option<f64>,
    },
    /// The logit of the relative position between two limits.
    Bounded {
        /// The lower limit.
        from: f64,
        /// The upper limit.
        to: f64,
    },
}

impl Transform {
    /// Whether values remain unchanged.
    #[inline]
    pub fn is_none(self) -> bool {
        self == Self::None
    }

    /// Whether a value is in the valid range.
    pub fn takes(self, value: f64) -> bool {
        match self {
            Self::None => true,
            Self::Log => value > 0.0,
            Self::Sqrt | Self::Positive { .. } => value >= 0.0,
            Self::Bounded { from, to } => (from..=to).contains(&value),
        }
    }

    /// The value itself, or the nearest end of the range if the value is outside by rounding only.
    /// `largest` is the largest absolute value nearby. None if the value is invalid; the range of a
    /// logarithm has no end to round to.
    #[inline]
    pub fn taken(self, value: f64, largest: f64) -> Option<f64> {
        if self.takes(value) {
            return Some(value);
        }
        let (from, to, size) = match self {
            Self::None | Self::Log => return None,
            Self::Sqrt => (0.0, f64::INFINITY, largest),
            Self::Positive { scale } => (0.0, f64::INFINITY, largest.max(scale.unwrap_or(0.0))),
            Self::Bounded { from, to } => (from, to, to - from),
        };
        let end = value.clamp(from, to);
        ((end - value).abs() <= ROUND_OFF * size).then_some(end)
    }

    /// The valid range, in words.
    pub fn range(self) -> String {
        match self {
            Self::None => "any value".into(),
            Self::Log => "values above 0".into(),
            Self::Sqrt | Self::Positive { .. } => "values of 0 or more".into(),
            Self::Bounded { from, to } => format!("values from {from} to {to}"),
        }
    }

    /// The transform of a valid value.
    #[inline]
    pub fn apply(self, value: f64) -> f64 {
        match self {
            Self::None => value,
            Self::Log => value.ln(),
            Self::Sqrt => value.sqrt(),
            Self::Positive { scale } => {
                let scale = scale.unwrap_or(1.0);
                let x = value / scale + FLOOR;
                // ln(e^x - 1) without overflow.
                scale * (x + (-(-x).exp_m1()).ln())
            }
            Self::Bounded { from, to } => {
                let place = MARGIN + (1.0 - 2.0 * MARGIN) * (value - from) / (to - from);
                (place / (1.0 - place)).ln()
            }
        }
    }

    /// The inverse, defined for any number; its value is in the valid range.
    #[inline]
    pub fn invert(self, learned: f64) -> f64 {
        match self {
            Self::None => learned,
            Self::Log => learned.exp(),
            // Without the clamp, the square would map negative numbers to positive values.
            Self::Sqrt => learned.max(0.0).powi(2),
            Self::Positive { scale } => {
                let scale = scale.unwrap_or(1.0);
                let y = learned / scale;
                let softplus = y.max(0.0) + (-y.abs()).exp().ln_1p();
                scale * (softplus - FLOOR).max(0.0)
            }
            Self::Bounded { from, to } => {
                let place = 1.0 / (1.0 + (-learned).exp());
                let share = (place - MARGIN) / (1.0 - 2.0 * MARGIN);
                from + (to - from) * share.clamp(0.0, 1.0)
            }
        }
    }
}

impl fmt::Display for Transform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Log => f.write_str("log"),
            Self::Sqrt => f.write_str("sqrt"),
            Self::Positive { scale: None } => f.write_str("positive"),
            Self::Positive { scale: Some(scale) } => write!(f, "positive:{scale}"),
            Self::Bounded { from, to } => write!(f, "bounded:{from}:{to}"),
        }
    }
}

impl FromStr for Transform {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        read(text).ok_or_else(|| {
            Error::unknown_name(
                "transform",
                text,
                "none, log, sqrt, positive, positive:SCALE, bounded:FROM:TO",
            )
        })
    }
}

fn read(text: &str) -> Option<Transform> {
    let parts: Vec<&str> = text.split(':').map(str::trim).collect();
    let number = |text: &str| text.parse().ok().filter(|v: &f64| v.is_finite());
    match *parts.as_slice() {
        ["none"] => Some(Transform::None),
        ["log"] => Some(Transform::Log),
        ["sqrt"] => Some(Transform::Sqrt),
        ["positive"] => Some(Transform::Positive { scale: None }),
        ["positive", scale] => {
            let scale = number(scale).filter(|scale| *scale > 0.0)?;
            Some(Transform::Positive { scale: Some(scale) })
        }
        ["bounded", from, to] => {
            let (from, to) = (number(from)?, number(to)?);
            (from < to).then_some(Transform::Bounded { from, to })
        }
        _ => None,
    }
}

impl TryFrom<String> for Transform {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl From<Transform> for String {
    fn from(transform: Transform) -> Self {
        transform.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [&str; 6] = [
        "none",
        "log",
        "sqrt",
        "positive:0.3",
        "positive:2e5",
        "bounded:-1:3",
    ];

    fn transform(text: &str) -> Transform {
        text.parse().unwrap()
    }

    #[test]
    fn what_is_applied_is_inverted() {
        for text in ALL {
            let transform = transform(text);
            for value in [1e-3, 0.2, 1.0, 2.5] {
                let back = transform.invert(transform.apply(value));
                assert!(
                    (back - value).abs() < 1e-9 * value.max(1.0),
                    "{text} {value}"
                );
            }
        }
        let large = transform("positive:1e-3");
        assert!((large.invert(large.apply(4e4)) - 4e4).abs() < 1e-6);
    }

    #[test]
    fn any_number_is_inverted_into_the_range() {
        for text in &ALL[1..] {
            let transform = transform(text);
            for learned in [-700.0, -30.0, -1.0, 0.0, 1.0, 30.0] {
                let value = transform.invert(learned);
                let is_in = transform.takes(value) || (value == 0.0 && *text == "log");
                assert!(is_in, "{text}: {learned} became {value}");
            }
        }
    }

    #[test]
    fn inverses_do_not_decrease() {
        for text in ALL {
            let all = (-400..400).map(|i| transform(text).invert(f64::from(i) / 50.0));
            assert!(all.is_sorted(), "{text}");
        }
    }

    #[test]
    fn ends_of_a_range_have_finite_places_and_come_back() {
        for (text, ends) in [
            ("sqrt", vec![0.0]),
            ("positive:0.3", vec![0.0]),
            ("bounded:-1:3", vec![-1.0, 3.0]),
        ] {
            for end in ends {
                let learned = transform(text).apply(end);
                assert!(learned.is_finite() && transform(text).takes(end));
                assert!((transform(text).invert(learned) - end).abs() < 1e-12);
            }
        }
        assert!(!transform("log").takes(0.0) && !transform("positive").takes(-1e-9));
        assert!(!transform("bounded:-1:3").takes(f64::NAN));
    }

    #[test]
    fn its_name_is_read_again_and_others_are_refused() {
        for text in ALL {
            assert_eq!(transform(&transform(text).to_string()), transform(text));
        }
        for text in [
            "",
            "ln",
            "log:1",
            "positive:0",
            "positive:-1",
            "positive:inf",
            "bounded",
            "bounded:1",
            "bounded:3:1",
            "bounded:0:nan",
        ] {
            let words = text.parse::<Transform>().unwrap_err().to_string();
            assert!(words.contains("bounded:FROM:TO"), "{words}");
        }
    }
}
