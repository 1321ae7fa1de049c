//! Colours that colour-blind readers can tell apart.

use std::fmt;

use floral::train::Method;

/// Okabe & Ito (2008), "Color universal design", and the colour of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// The colour of the text, for what is true.
    Ink,
    /// A quiet grey.
    Grey,
    /// Orange.
    Orange,
    /// Sky blue.
    Sky,
    /// Bluish green.
    Green,
    /// Blue.
    Blue,
    /// Vermillion.
    Vermillion,
    /// Reddish purple.
    Purple,
}

impl Colour {
    /// All colours.
    pub const ALL: [Self; 8] = [
        Self::Ink,
        Self::Grey,
        Self::Orange,
        Self::Sky,
        Self::Green,
        Self::Blue,
        Self::Vermillion,
        Self::Purple,
    ];

    /// The colour of a method in all figures.
    pub fn of(method: Method) -> Self {
        match method {
            Method::Fno => Self::Orange,
            Method::ResidualFno => Self::Purple,
            Method::Flora => Self::Sky,
            Method::Floral => Self::Vermillion,
            Method::Kriging => Self::Grey,
            Method::FloralKl => Self::Blue,
        }
    }

    /// The name of its CSS variable, without the dashes.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ink => "ink",
            Self::Grey => "grey",
            Self::Orange => "orange",
            Self::Sky => "sky",
            Self::Green => "green",
            Self::Blue => "blue",
            Self::Vermillion => "vermillion",
            Self::Purple => "purple",
        }
    }

    /// On a light page.
    pub fn light(self) -> &'static str {
        match self {
            Self::Ink => "#1d2126",
            Self::Grey => "#7b828b",
            Self::Orange => "#e69f00",
            Self::Sky => "#56b4e9",
            Self::Green => "#009e73",
            Self::Blue => "#0072b2",
            Self::Vermillion => "#d55e00",
            Self::Purple => "#cc79a7",
        }
    }

    /// On a dark page: the same hues, the darkest of them lifted.
    pub fn dark(self) -> &'static str {
        match self {
            Self::Ink => "#e8eaed",
            Self::Grey => "#98a0aa",
            Self::Green => "#1fc598",
            Self::Blue => "#4aa3dc",
            Self::Vermillion => "#ff8a3d",
            other => other.light(),
        }
    }
}

/// As CSS writes it: the page's variable, or the light colour where there is no page.
impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "var(--{},{})", self.name(), self.light())
    }
}
