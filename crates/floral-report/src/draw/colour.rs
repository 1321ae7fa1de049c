//! Colours that colour-blind readers can distinguish.

use std::fmt;

use floral::train::Method;

/// The palette of Okabe & Ito (2008), "Color universal design", with a brown and the colour of
/// text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// The colour of text, used for the truth.
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
    /// A dark brown that stands out from the others in every kind of colour vision and on both
    /// themes.
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

    /// The name of the CSS variable without the dashes, and the colour on a light and on a dark
    /// page: the same hues, with the dark ones lightened.
    fn shades(self) -> [&'static str; 3] {
        match self {
            Self::Ink => ["ink", "#1d2126", "#e8eaed"],
            Self::Grey => ["grey", "#7b828b", "#98a0aa"],
            Self::Orange => ["orange", "#e69f00", "#e69f00"],
            Self::Sky => ["sky", "#56b4e9", "#56b4e9"],
            Self::Green => ["green", "#009e73", "#1fc598"],
            Self::Blue => ["blue", "#0072b2", "#4aa3dc"],
            Self::Vermillion => ["vermillion", "#d55e00", "#ff8a3d"],
            Self::Purple => ["purple", "#cc79a7", "#cc79a7"],
            Self::Brown => ["brown", "#783c00", "#9a5b1f"],
        }
    }

    /// The name of the CSS variable without the dashes.
    pub fn name(self) -> &'static str {
        self.shades()[0]
    }

    /// The colour on a light page.
    pub fn light(self) -> &'static str {
        self.shades()[1]
    }

    /// The colour on a dark page.
    pub fn dark(self) -> &'static str {
        self.shades()[2]
    }
}

/// CSS: the variable of the page, or the light colour outside a page.
impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "var(--{},{})", self.name(), self.light())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Linear red, green and blue from 0 to 1 (IEC 61966-2-1).
    fn linear(hex: &str) -> [f64; 3] {
        [1, 3, 5].map(|at| {
            let share = f64::from(u8::from_str_radix(&hex[at..at + 2], 16).unwrap()) / 255.0;
            match share {
                s if s <= 0.04045 => s / 12.92,
                s => ((s + 0.055) / 1.055).powf(2.4),
            }
        })
    }

    /// The contrast ratio of two colours by WCAG.
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
