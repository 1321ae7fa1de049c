//! A selection from an array, written as `u`, `u[t=0]`, `u[t=1:]` or
//! `group/u[t=0:-1:10,channel=2]`.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use serde::Serialize;

use crate::{Error, Result};

/// An array, and the selection along some of its dimensions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(into = "String")]
pub struct Pick {
    /// The name of the array, or its path in a file with groups.
    pub name: String,
    /// The dimensions that are selected in part.
    pub along: Vec<(String, Along)>,
}

/// The selection along a dimension; negative indices count from the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Along {
    /// One index, which removes the dimension.
    Index(i64),
    /// Every `step`-th index of a half-open range.
    Range {
        /// The first index; none for the start.
        from: Option<i64>,
        /// The end of the range, exclusive; none for the end of the dimension.
        to: Option<i64>,
        /// Distance between indices.
        step: usize,
    },
}

impl Pick {
    /// All of an array.
    pub fn all(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            along: Vec::new(),
        }
    }

    /// One index along a dimension.
    pub fn at(name: impl Into<String>, dimension: &str, index: i64) -> Self {
        Self {
            name: name.into(),
            along: vec![(dimension.to_owned(), Along::Index(index))],
        }
    }
}

impl Along {
    /// The selected range of a dimension of this length, and the step; none if out of range.
    pub(super) fn indices(self, length: usize) -> Option<(Range<usize>, usize)> {
        let place = |index: i64| {
            let length = i64::try_from(length).ok()?;
            let index = if index < 0 { index + length } else { index };
            usize::try_from(index).ok()
        };
        let (range, step) = match self {
            Self::Index(index) => {
                let index = place(index)?;
                (index..index + 1, 1)
            }
            Self::Range { from, to, step } => {
                let from = from.map_or(Some(0), place)?;
                let to = to.map_or(Some(length), place)?;
                (from..to, step)
            }
        };
        (range.start < range.end && range.end <= length).then_some((range, step))
    }
}

impl FromStr for Pick {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let refused = || {
            Error::config(
                format!("{text:?}"),
                "is no array: write NAME, or NAME[t=0], NAME[t=-1], NAME[t=1:], \
                     NAME[t=0:100:10,channel=1]",
            )
        };
        let Some((name, rest)) = text.split_once('[') else {
            return match text.trim() {
                "" => Err(refused()),
                name if name.contains(']') => Err(refused()),
                name => Ok(Self::all(name)),
            };
        };
        let inner = rest.trim().strip_suffix(']').ok_or_else(refused)?;
        let along: Option<Vec<_>> = inner.split(',').map(along).collect();
        let name = name.trim();
        match along {
            Some(along) if !name.is_empty() => {
                let twice =
                    (1..along.len()).find(|&i| along[..i].iter().any(|a| a.0 == along[i].0));
                if let Some(i) = twice {
                    let reason = format!("names the dimension {} twice; name it once", along[i].0);
                    return Err(Error::config(format!("{text:?}"), reason));
                }
                Ok(Self {
                    name: name.to_owned(),
                    along,
                })
            }
            _ => Err(refused()),
        }
    }
}

/// `t=0`, `t=1:` or `t=0:-1:10`.
fn along(text: &str) -> Option<(String, Along)> {
    let (dimension, taken) = text.split_once('=')?;
    let dimension = dimension.trim();
    let number = |text: &str| match text.trim() {
        "" => Some(None),
        text => text.parse().ok().map(Some),
    };
    let parts: Vec<&str> = taken.split(':').collect();
    let taken = match parts[..] {
        [index] => Along::Index(number(index)??),
        [from, to] | [from, to, _] => Along::Range {
            from: number(from)?,
            to: number(to)?,
            step: match parts.get(2) {
                None => 1,
                Some(step) => step.trim().parse().ok().filter(|step| *step > 0)?,
            },
        },
        _ => return None,
    };
    (!dimension.is_empty()).then(|| (dimension.to_owned(), taken))
}

impl fmt::Display for Pick {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        let parts: Vec<String> = self
            .along
            .iter()
            .map(|(dimension, taken)| format!("{dimension}={taken}"))
            .collect();
        match parts[..] {
            [] => Ok(()),
            _ => write!(f, "[{}]", parts.join(",")),
        }
    }
}

impl fmt::Display for Along {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |index: Option<i64>| index.map_or(String::new(), |index| index.to_string());
        match *self {
            Self::Index(index) => write!(f, "{index}"),
            Self::Range { from, to, step } => {
                write!(f, "{}:{}", text(from), text(to))?;
                if step > 1 {
                    write!(f, ":{step}")
                } else {
                    Ok(())
                }
            }
        }
    }
}

impl From<Pick> for String {
    fn from(pick: Pick) -> Self {
        pick.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn picks_are_written_as_they_are_read() {
        let refusal = "u[t=0,t=1]".parse::<Pick>().unwrap_err().to_string();
        assert!(refusal.contains("t twice"), "{refusal}");
        for text in [
            "u",
            "a/u[t=0]",
            "u[t=-1]",
            "u[t=1:]",
            "u[t=:-1:10,channel=2]",
        ] {
            let pick: Pick = text.parse().unwrap();
            assert_eq!(pick.to_string(), text);
        }
        for text in [
            "",
            "[t=0]",
            "u[t]",
            "u[t=]",
            "u[=0]",
            "u[t=0",
            "u]",
            "u[t=0:1:0]",
            "u[t=a]",
        ] {
            assert!(text.parse::<Pick>().is_err(), "{text}");
        }
    }

    #[test]
    fn indices_count_from_both_ends_and_stay_inside() {
        let along = |text: &str| {
            let pick: Pick = format!("u[t={text}]").parse().unwrap();
            pick.along[0].1.indices(5)
        };
        assert_eq!(along("0"), Some((0..1, 1)));
        assert_eq!(along("-1"), Some((4..5, 1)));
        assert_eq!(along("1:"), Some((1..5, 1)));
        assert_eq!(along(":-1:2"), Some((0..4, 2)));
        for text in ["5", "-6", "3:3", "4:2", "0:6"] {
            assert_eq!(along(text), None, "{text}");
        }
    }
}
