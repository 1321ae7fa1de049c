//! The legend above a figure: its curves, and the meaning of the bands.

use super::colour::Colour;
use super::figure::{Curve, Figure, mark, opacity, stroke};
use super::frame::LETTERS;
use super::text::{Anchor, fitted, text, width};

/// The height of a line, and the y coordinate of the last one.
const LINE: f64 = 19.0;
const LAST: f64 = 15.0;

/// The width of a symbol, and the space after it and after a name.
const SIGN: f64 = 26.0;
const GAP: f64 = 6.0;
const SPACE: f64 = 16.0;

/// The symbol before a name.
enum Sign<'a> {
    Curve(&'a Curve),
    Band,
}

/// A name with its symbol, font size and position: x and line number.
struct Entry<'a> {
    sign: Sign<'a>,
    name: String,
    size: f64,
    x: f64,
    line: usize,
}

/// Names on as many lines as needed; the last line is next to the figure.
pub(super) struct Legend<'a> {
    entries: Vec<Entry<'a>>,
}

impl<'a> Legend<'a> {
    /// The legend of a figure between these x coordinates.
    pub fn of(figure: &'a Figure, left: f64, right: f64) -> Self {
        let curves = figure.curves.iter();
        let curves = curves.filter_map(|curve| Some((Sign::Curve(curve), curve.name.as_ref()?)));
        let has_band = |curve: &Curve| !curve.band.is_empty();
        let bands = figure
            .bands
            .iter()
            .filter(|_| figure.curves.iter().any(has_band));
        let bands = bands.map(|name| (Sign::Band, name));
        let mut entries: Vec<Entry> = Vec::new();
        let (mut x, mut line) = (left, 0);
        for (sign, name) in curves.chain(bands) {
            let (name, size) = fitted(name, LETTERS, right - left - SIGN - GAP);
            let taken = SIGN + GAP + width(&name, size);
            if x > left && x + taken > right {
                (x, line) = (left, line + 1);
            }
            entries.push(Entry {
                sign,
                name,
                size,
                x,
                line,
            });
            x += taken + SPACE;
        }
        Self { entries }
    }

    /// The height of all lines but one, by which the drawing grows upwards.
    pub fn lift(&self) -> f64 {
        LINE * self.entries.last().map_or(0, |entry| entry.line) as f64
    }

    /// The legend as SVG.
    pub fn to_svg(&self) -> String {
        let entries = self.entries.iter().map(|entry| self.entry(entry));
        format!(
            "<g style=\"fill:{}\">\n{}</g>\n",
            Colour::Ink,
            entries.collect::<String>()
        )
    }

    fn entry(&self, entry: &Entry) -> String {
        let (x, y) = (entry.x, LAST - self.lift() + LINE * entry.line as f64);
        let sign = match entry.sign {
            Sign::Band => band(x, y, Colour::Grey, 0.3),
            Sign::Curve(curve) => curve_sign(curve, x, y),
        };
        let place = [x + SIGN + GAP, y + 4.5];
        sign + &text(place, Anchor::Start, entry.size, &entry.name)
    }
}

fn curve_sign(curve: &Curve, x: f64, y: f64) -> String {
    let colour = curve.colour;
    let mut svg = String::new();
    if !curve.band.is_empty() || curve.filled {
        svg += &band(x, y, colour, opacity(colour));
    }
    if curve.is_marked() {
        svg += &mark(x + SIGN / 2.0, y, colour);
    }
    let style = stroke(curve);
    svg + &format!("<path d=\"M{x:.1} {y:.1}h{SIGN}\" style=\"{style}\"/>\n")
}

fn band(x: f64, y: f64, colour: Colour, opacity: f64) -> String {
    format!(
        "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"{SIGN}\" height=\"12\" \
         style=\"fill:{colour};fill-opacity:{opacity}\"/>\n",
        y - 6.0
    )
}
