//! Colours that colour-blind readers can tell apart.

use std::fmt;

use floral::train::Method;

/// Okabe & Ito (2008), "Color universal design", a brown beside them, and the colour of the text.
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
    /// A dark brown, apart from the others in every kind of colour vision and on both themes.
    Brown,
}

impl Colour {
    /// All colours.
    pub const ALL: [Self; 9] = [
        Self::Ink,
        Self::Grey,
        Self::Orange,
        Self::Sky,
        Self::Green,
        Self::Blue,
        Self::Vermillion,
        Self::Purple,
        Self::Brown,
    ];

    /// The colour of a method in all figures.
    pub fn of(method: Method) -> Self {
        match method {
            Method::Fno => Self::Orange,
            Method::ResidualFno => Self::Purple,
            Method::Flora => Self::Sky,
            Method::Floral => Self::Vermillion,
            Method::Kriging => Self::Brown,
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
            Self::Brown => "brown",
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
            Self::Brown => "#783c00",
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
            Self::Brown => "#9a5b1f",
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Linear shares of red, green and blue (IEC 61966-2-1).
    fn linear(hex: &str) -> [f64; 3] {
        [1, 3, 5].map(|at| {
            let share = f64::from(u8::from_str_radix(&hex[at..at + 2], 16).unwrap()) / 255.0;
            match share {
                s if s <= 0.04045 => s / 12.92,
                s => ((s + 0.055) / 1.055).powf(2.4),
            }
        })
    }

    /// WCAG's contrast of two colours.
    fn contrast(a: &str, b: &str) -> f64 {
        let luminance = |hex: &str| {
            let [r, g, b] = linear(hex);
            0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05
        };
        let (a, b) = (luminance(a), luminance(b));
        a.max(b) / a.min(b)
    }

    #[test]
    fn no_method_has_the_colour_of_the_grid_and_kriging_is_seen_on_both_themes() {
        let methods = Method::ALL.map(Colour::of);
        for (i, colour) in methods.iter().enumerate() {
            assert!(![Colour::Grey, Colour::Ink, Colour::Green].contains(colour));
            assert!(!methods[..i].contains(colour), "{colour:?}");
        }
        let kriging = Colour::of(Method::Kriging);
        assert!(contrast(kriging.light(), "#ffffff") > 3.0);
        assert!(contrast(kriging.dark(), "#15181c") > 3.0);
    }
}
