//! The band around a mean in figures: an interval that contains a given share of the realizations,
//! or a number of standard deviations.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use floral::Error;

/// The meaning of the band around a mean.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Band {
    /// The central interval that contains this share of the realizations.
    Level(f64),
    /// This number of standard deviations on both sides of the mean.
    Deviations(f64),
}

impl Default for Band {
    /// 90 % of the realizations.
    fn default() -> Self {
        Self::Level(0.9)
    }
}

impl Band {
    /// The levels of the quantiles at the ends; `None` for standard deviations.
    pub fn levels(self) -> Option<[f64; 2]> {
        match self {
            Self::Level(level) => Some(central(level)),
            Self::Deviations(_) => None,
        }
    }

    /// The ends at every point, from quantiles or else from mean and standard deviation; empty if
    /// the quantiles are unknown.
    pub fn ends(
        self,
        quantile: impl Fn(f64) -> Option<Vec<f64>>,
        (mean, deviation): (Vec<f64>, Vec<f64>),
    ) -> Vec<[f64; 2]> {
        match self {
            Self::Level(level) => {
                let [low, high] = central(level).map(quantile);
                let pairs = low.into_iter().flatten().zip(high.into_iter().flatten());
                pairs.map(|(low, high)| [low, high]).collect()
            }
            Self::Deviations(count) => {
                let moments = mean.iter().zip(&deviation);
                moments
                    .map(|(m, d)| [m - count * d, m + count * d])
                    .collect()
            }
        }
    }

    /// The text for a title, after the name of the prediction.
    pub fn title(self) -> String {
        match self {
            Self::Level(_) => format!("mean and {self}"),
            Self::Deviations(_) => self.to_string(),
        }
    }
}

/// The text for a legend.
impl fmt::Display for Band {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Level(level) => write!(f, "{} % of realizations", rounded(100.0 * level)),
            Self::Deviations(count) => write!(f, "mean \u{b1} {count} std"),
        }
    }
}

/// The levels at both ends of a central interval.
fn central(share: f64) -> [f64; 2] {
    [0.5 - 0.5 * share, 0.5 + 0.5 * share]
}

/// A percentage without rounding errors.
fn rounded(percent: f64) -> f64 {
    (percent * 1e6).round() / 1e6
}

/// Parses `90%` or `0.9` as a share of the realizations, and `5std` as five standard deviations.
impl FromStr for Band {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let number = |text: &str| text.trim().parse::<f64>().ok();
        let written = text.trim();
        let band = if let Some(count) = written.strip_suffix("std") {
            number(count).map(Self::Deviations)
        } else if let Some(percent) = written.strip_suffix('%') {
            number(percent).map(|percent| Self::Level(percent / 100.0))
        } else {
            number(written).map(Self::Level)
        };
        let is_one = |band: &Self| match band {
            Self::Level(level) => (0.01..=0.99).contains(level),
            Self::Deviations(count) => *count > 0.0 && count.is_finite(),
        };
        band.filter(is_one).ok_or_else(|| {
            Error::config(
                format!("band {text}"),
                "give the share of realizations that it contains, from 1% to 99%, or standard \
                     deviations as in 2std",
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_band_is_a_share_of_the_realizations_or_deviations() {
        let read = |text: &str| text.parse::<Band>();
        assert_eq!(read("90%").unwrap(), Band::default());
        assert_eq!(read("0.9").unwrap(), Band::default());
        assert_eq!(read("5std").unwrap(), Band::Deviations(5.0));
        assert_eq!(read("5 std").unwrap().to_string(), "mean \u{b1} 5 std");
        assert_eq!(read("97.5%").unwrap().to_string(), "97.5 % of realizations");
        let [low, high] = Band::default().levels().unwrap();
        assert!((low - 0.05).abs() < 1e-12 && (high - 0.95).abs() < 1e-12);
        for wrong in ["", "90", "0", "100%", "std", "-1std", "infstd", "wide"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
