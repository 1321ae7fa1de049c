//! A symmetry as declared: `roll:x`, `roll:x:1/2`, `sign`, `reflect:x:-`, `transpose:x,y`,
//! `scale:-1`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{Role, Signs};
use crate::{Error, Result};

/// One symmetry of a problem; axes are given by name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Symmetry {
    /// Translation along a periodic axis, by any number of points.
    Roll {
        /// The axis.
        axis: String,
    },
    /// Translation along a periodic axis by one of several equal parts of its length, for example
    /// where a forcing repeats along the axis.
    RollPart {
        /// The axis.
        axis: String,
        /// The number of equal parts.
        parts: usize,
    },
    /// Change of sign.
    Sign(Signs),
    /// Reflection of an axis: i -> n-1-i on a non-periodic one, i -> -i mod n on a periodic one.
    Reflect {
        /// The axis.
        axis: String,
        /// The signs of the channels.
        signs: Signs,
    },
    /// Exchange of two axes.
    Transpose {
        /// The axes.
        axes: [String; 2],
    },
    /// a -> c a and u -> c^exponent u for every c > 0.
    Scale {
        /// The exponent of the solution.
        exponent: f64,
    },
}

impl Symmetry {
    /// Whether the symmetry moves points.
    pub fn moves_points(&self) -> bool {
        !matches!(self, Self::Sign(_) | Self::Scale { .. })
    }

    /// The axis that has to be evenly spaced for the symmetry to map points to points.
    pub fn spaced_axis(&self) -> Option<&str> {
        match self {
            Self::Roll { axis } | Self::RollPart { axis, .. } | Self::Reflect { axis, .. } => {
                Some(axis)
            }
            Self::Sign(_) | Self::Transpose { .. } | Self::Scale { .. } => None,
        }
    }

    /// Whether the symmetry leaves the values of these channels of the solution unchanged and only
    /// moves them. A function of the values then has the symmetry too.
    pub fn keeps_values(&self, channels: &[bool]) -> bool {
        match self {
            Self::Roll { .. } | Self::RollPart { .. } | Self::Transpose { .. } => true,
            Self::Scale { exponent } => *exponent == 0.0,
            Self::Sign(signs) | Self::Reflect { signs, .. } => {
                let factors = signs.factors(Role::Solution, channels.len());
                let keeps = |(kept, factor): (&bool, f64)| !kept || factor > 0.0;
                factors.is_none_or(|factors| channels.iter().zip(factors).all(keeps))
            }
        }
    }
}

impl fmt::Display for Symmetry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Roll { axis } => write!(f, "roll:{axis}"),
            Self::RollPart { axis, parts } => write!(f, "roll:{axis}:1/{parts}"),
            Self::Sign(signs) if *signs == Signs::minus() => f.write_str("sign"),
            Self::Sign(signs) => write!(f, "sign:{signs}"),
            Self::Reflect { axis, signs } if *signs == Signs::plus() => {
                write!(f, "reflect:{axis}")
            }
            Self::Reflect { axis, signs } => write!(f, "reflect:{axis}:{signs}"),
            Self::Transpose { axes: [a, b] } => write!(f, "transpose:{a},{b}"),
            Self::Scale { exponent } => write!(f, "scale:{exponent}"),
        }
    }
}

impl FromStr for Symmetry {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        read(text).ok_or_else(|| Error::UnknownName {
            kind: "symmetry",
            name: text.to_owned(),
            known: "roll:AXIS, roll:AXIS:1/PARTS, sign, sign:input=-,solution=+, reflect:AXIS, reflect:AXIS:-, \
                    transpose:AXIS,AXIS, scale:EXPONENT"
                .into(),
        })
    }
}

fn read(text: &str) -> Option<Symmetry> {
    let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
    let axis = |name: &str| (!name.is_empty()).then(|| name.to_owned());
    match kind {
        "roll" => match rest.split_once(":1/") {
            None => Some(Symmetry::Roll { axis: axis(rest)? }),
            Some((name, parts)) => Some(Symmetry::RollPart {
                axis: axis(name)?,
                parts: parts.parse().ok().filter(|parts| *parts > 1)?,
            }),
        },
        "sign" if rest.is_empty() => Some(Symmetry::Sign(Signs::minus())),
        "sign" => Some(Symmetry::Sign(rest.parse().ok()?)),
        "reflect" => {
            let (name, signs) = rest.split_once(':').unwrap_or((rest, "+"));
            Some(Symmetry::Reflect {
                axis: axis(name)?,
                signs: signs.parse().ok()?,
            })
        }
        "transpose" => {
            let (first, second) = rest.split_once(',')?;
            Some(Symmetry::Transpose {
                axes: [axis(first)?, axis(second)?],
            })
        }
        "scale" => {
            let exponent: f64 = rest.parse().ok()?;
            exponent.is_finite().then_some(Symmetry::Scale { exponent })
        }
        _ => None,
    }
}

impl TryFrom<String> for Symmetry {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl From<Symmetry> for String {
    fn from(symmetry: Symmetry) -> Self {
        symmetry.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_declaration_reads_back_as_it_was_written() {
        let texts = [
            "roll:x",
            "roll:x:1/2",
            "sign",
            "sign:input=+,solution=-",
            "reflect:x",
            "reflect:y:-",
            "reflect:x:input=+,solution=-+",
            "transpose:x,y",
            "scale:-1",
            "scale:0.5",
        ];
        for text in texts {
            assert_eq!(text.parse::<Symmetry>().unwrap().to_string(), text);
        }
        let list = r#"["roll:x","sign"]"#;
        let read: Vec<Symmetry> = serde_json::from_str(list).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), list);
    }

    #[test]
    fn what_is_no_symmetry_is_refused_with_those_there_are() {
        for text in [
            "spin",
            "roll",
            "roll:x:1/1",
            "roll:x:1/half",
            "transpose:x",
            "scale:big",
            "reflect:x:?",
            "scale:inf",
        ] {
            let message = text.parse::<Symmetry>().unwrap_err().to_string();
            assert!(message.contains("roll:AXIS"), "{message}");
        }
    }
}
