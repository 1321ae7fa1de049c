//! The resolution of a problem: `64` for every axis, or `64x128`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// Points of the finest grid, 2^24 as in 4096 x 4096: a problem holds many fields of this size.
const MOST_POINTS: usize = 1 << 24;

/// Points per axis: one number for all axes, or one number for each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Resolution {
    /// The same number on every axis.
    Uniform(usize),
    /// One number per axis, slowest axis first.
    PerAxis(Vec<usize>),
}

impl Resolution {
    /// The number of points on each of `D` axes, each at least `least`.
    pub fn axes<const D: usize>(&self, problem: &'static str, least: usize) -> Result<[usize; D]> {
        let axes = match self {
            Self::Uniform(n) => [*n; D],
            Self::PerAxis(list) => <[usize; D]>::try_from(list.as_slice()).map_err(|_| {
                Error::unsolvable(
                    problem,
                    format!(
                        "resolution {self} names {} axes, the problem has {D}",
                        list.len()
                    ),
                )
            })?,
        };
        let points = axes.iter().try_fold(1usize, |n, &m| n.checked_mul(m));
        if points.is_none_or(|points| points > MOST_POINTS) {
            return Err(Error::unsolvable(
                problem,
                format!(
                    "resolution {self} is too fine; choose at most {MOST_POINTS} points in all"
                ),
            ));
        }
        match axes.iter().find(|&&n| n < least) {
            None => Ok(axes),
            Some(n) => Err(Error::unsolvable(
                problem,
                format!("resolution {n} is too coarse; choose at least {least} points per axis"),
            )),
        }
    }
}

impl Resolution {
    /// Whether a grid of this shape has this resolution.
    pub fn is_of(&self, shape: &[usize]) -> bool {
        match self {
            Self::Uniform(n) => shape.iter().all(|m| m == n),
            Self::PerAxis(list) => list == shape,
        }
    }

    /// The notation of a configuration file: `64` or `[64, 128]`.
    pub fn to_toml(&self) -> String {
        match self {
            Self::Uniform(n) => n.to_string(),
            Self::PerAxis(list) => format!("{list:?}"),
        }
    }
}

impl fmt::Display for Resolution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Uniform(n) => write!(f, "{n}"),
            Self::PerAxis(list) => {
                let numbers: Vec<String> = list.iter().map(usize::to_string).collect();
                f.write_str(&numbers.join("x"))
            }
        }
    }
}

impl FromStr for Resolution {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let numbers: std::result::Result<Vec<usize>, _> =
            text.split('x').map(|part| part.trim().parse()).collect();
        match numbers.as_deref() {
            Ok([n]) => Ok(Self::Uniform(*n)),
            Ok(list) => Ok(Self::PerAxis(list.to_vec())),
            Err(_) => Err(Error::config(
                format!("resolution {text:?}"),
                "write a number such as 64, or one per axis such as 64x128",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_number_serves_every_axis() {
        let resolution: Resolution = "64".parse().unwrap();
        assert_eq!(resolution.axes::<2>("darcy", 2).unwrap(), [64, 64]);
        let resolution: Resolution = "64x128".parse().unwrap();
        assert_eq!(resolution.axes::<2>("burgers", 2).unwrap(), [64, 128]);
    }

    #[test]
    fn nonsense_is_refused_with_the_reason() {
        assert!("64x".parse::<Resolution>().is_err());
        let wrong: Resolution = "8x8x8".parse().unwrap();
        let message = wrong.axes::<2>("darcy", 2).unwrap_err().to_string();
        assert!(message.contains("3 axes"), "{message}");
        assert!(Resolution::Uniform(1).axes::<1>("1dcr", 2).is_err());
        for n in [4097, 1 << 32, usize::MAX] {
            let huge = Resolution::Uniform(n).axes::<2>("darcy", 2);
            let message = huge.unwrap_err().to_string();
            assert!(message.contains("too fine"), "{message}");
        }
    }
}
