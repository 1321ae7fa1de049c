//! Text in a drawing and its width, so that nothing overlaps or is cut off.

use skrifa::instance::{LocationRef, Size};
use skrifa::{FontRef, MetadataProvider};

use super::escape::escaped;
use super::print::FONT;

/// A page uses the reader's font, which may be wider than the built-in font by this factor.
const WIDEST: f64 = 1.12;

/// A long text is scaled down to at least this fraction of its size, and shortened if still too
/// long.
const SMALLEST: f64 = 0.75;

/// The point of a text that lies at its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Anchor {
    fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Middle => "middle",
            Self::End => "end",
        }
    }
}

/// An upper bound for the width of a text in common fonts, in units of the drawing.
pub(super) fn width(text: &str, size: f64) -> f64 {
    let Ok(font) = FontRef::new(FONT) else {
        return 0.7 * size * text.chars().count() as f64;
    };
    let letters = font.charmap();
    let metrics = font.glyph_metrics(Size::new(1.0), LocationRef::default());
    let advance = |letter: char| {
        let glyph = letters.map(letter);
        glyph.and_then(|glyph| metrics.advance_width(glyph))
    };
    // A character that the font lacks comes from another font, and may be wide.
    let sum: f64 = text
        .chars()
        .map(|letter| advance(letter).map_or(1.0, f64::from))
        .sum();
    WIDEST * size * sum
}

/// The width of the widest text.
pub(super) fn widest<'a>(texts: impl IntoIterator<Item = &'a String>, size: f64) -> f64 {
    let widths = texts.into_iter().map(|text| width(text, size));
    widths.fold(0.0, f64::max)
}

/// A text, scaled down and shortened to fit into `room`, and its font size.
pub(super) fn fitted(text: &str, size: f64, room: f64) -> (String, f64) {
    fitted_before(text, "", size, room)
}

/// A text, shortened so that it fits into `room` together with `end`, which is not shortened; and
/// the font size of both.
pub(super) fn fitted_before(text: &str, end: &str, size: f64, room: f64) -> (String, f64) {
    let taken = |text: &str, size| width(text, size) + width(end, size);
    let whole = taken(text, size);
    if whole <= room {
        return (text.to_owned(), size);
    }
    let smaller = size * (room / whole).max(SMALLEST);
    let mut kept: Vec<char> = text.chars().collect();
    let mut cut = text.to_owned();
    while taken(&cut, smaller) > room && kept.pop().is_some() {
        let start: String = kept.iter().collect();
        cut = format!("{}\u{2026}", start.trim_end());
    }
    (cut, smaller)
}

/// A text at a position.
pub(super) fn text([x, y]: [f64; 2], anchor: Anchor, size: f64, words: &str) -> String {
    format!(
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{}\" font-size=\"{size:.4}\">{}</text>\n",
        anchor.name(),
        escaped(words)
    )
}

/// A text that runs upwards, with its middle at a position.
pub(super) fn upwards([x, y]: [f64; 2], size: f64, words: &str) -> String {
    format!(
        "<text transform=\"translate({x:.1} {y:.1}) rotate(-90)\" text-anchor=\"middle\" \
         font-size=\"{size:.4}\">{}</text>\n",
        escaped(words)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_as_wide_as_its_letters() {
        assert_eq!(width("", 14.0), 0.0);
        assert!(width("iiii", 14.0) < width("mmmm", 14.0));
        assert!((width("pressure", 28.0) - 2.0 * width("pressure", 14.0)).abs() < 1e-9);
    }

    #[test]
    fn a_fitted_text_takes_no_more_than_its_room() {
        let long = "mass concentration of a tracer in air";
        for room in [40.0, 120.0, 200.0, 400.0] {
            let (words, size) = fitted(long, 14.0, room);
            assert!(width(&words, size) <= room + 1e-9, "{room} {words}");
            assert!(size >= SMALLEST * 14.0 - 1e-9);
            assert_eq!(words == long, !words.ends_with('\u{2026}'));
        }
        assert_eq!(fitted("x [m]", 14.0, 400.0), ("x [m]".to_owned(), 14.0));
    }
}
