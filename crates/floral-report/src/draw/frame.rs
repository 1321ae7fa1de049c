//! The frame of a figure: two axes with room for their labels, and the curves between them.

use super::colour::Colour;
use super::figure::{Curve, mark, opacity, stroke};
use super::label::Label;
use super::scale::{Scale, is_drawable};
use super::text::{Anchor, text, upwards, widest, width};

/// The size of the drawing, and the frame of the curves in it if labels are short.
pub(super) const WIDTH: f64 = 480.0;
pub(super) const HEIGHT: f64 = 300.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 462.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 256.0;

/// The font size.
pub(super) const LETTERS: f64 = 14.0;

/// The room for the name of the vertical axis, the space between labels, and the height of a label.
const NAME: f64 = 24.0;
const GAP: f64 = 7.0;
const LINE: f64 = 16.0;

/// Half the width of the band of a single point.
const BAR: f64 = 8.0;

/// The values that an axis covers, and whether it is logarithmic.
pub(super) struct Extent {
    pub values: Vec<f64>,
    pub is_logarithmic: bool,
}

/// The two axes of a figure.
pub(super) struct Frame {
    x: Scale,
    y: Scale,
    pub left: f64,
    pub right: f64,
}

impl Frame {
    /// A frame that covers both extents. Long labels make it narrower, with fewer ticks.
    pub fn new(x: &Extent, y: &Extent) -> Self {
        let y = Scale::fitting(&y.values, y.is_logarithmic, |scale| {
            is_apart(scale, BOTTOM - TOP, |_| LINE)
        });
        let left = LEFT.max(NAME + widest(&y.labels(), LETTERS) + GAP);
        let x = Scale::fitting(&x.values, x.is_logarithmic, |scale| {
            let taken = |label: &str| width(label, LETTERS) + GAP;
            is_apart(scale, right(scale) - left, taken)
        });
        let right = right(&x);
        Self { x, y, left, right }
    }

    fn at_x(&self, value: f64) -> f64 {
        self.left + self.x.position(value) * (self.right - self.left)
    }

    fn at_y(&self, value: f64) -> f64 {
        BOTTOM - self.y.position(value) * (BOTTOM - TOP)
    }

    /// A polyline through points, interrupted at values that cannot be drawn.
    fn path(&self, points: impl Iterator<Item = (f64, f64)>) -> String {
        let mut path = String::new();
        let mut is_down = false;
        for (x, y) in points {
            let drawable = is_drawable(x) && is_drawable(y) && self.is_drawable(x, y);
            if drawable {
                let command = if is_down { 'L' } else { 'M' };
                path += &format!("{command}{:.2} {:.2}", self.at_x(x), self.at_y(y));
            }
            is_down = drawable;
        }
        path
    }

    /// The line and the marks of a curve over its own x values or, without any, over `x`.
    pub fn line(&self, x: &[f64], curve: &Curve) -> String {
        let points = || {
            places(x, curve)
                .iter()
                .copied()
                .zip(curve.values.iter().copied())
        };
        let (path, style) = (self.path(points()), stroke(curve));
        let line = format!("<path d=\"{path}\" style=\"{style}\"/>\n");
        if curve.is_marked() {
            line + &points()
                .map(|(x, y)| self.mark(x, y, curve))
                .collect::<String>()
        } else {
            line
        }
    }

    fn mark(&self, x: f64, y: f64, curve: &Curve) -> String {
        if self.is_drawable(x, y) {
            mark(self.at_x(x), self.at_y(y), curve.colour)
        } else {
            String::new()
        }
    }

    fn is_drawable(&self, x: f64, y: f64) -> bool {
        let [x, y] = [self.at_x(x), self.at_y(y)];
        x.is_finite() && y.is_finite()
    }

    /// The band around a curve.
    pub fn band(&self, x: &[f64], curve: &Curve) -> String {
        let (lower, upper) = curve.edges();
        let x = places(x, curve);
        let there = x.iter().zip(upper.iter());
        let back = x.iter().zip(lower.iter()).rev();
        let around = there.chain(back).map(|(x, y)| (*x, *y));
        let around: Vec<(f64, f64)> = around
            .filter(|(x, y)| is_drawable(*x) && is_drawable(*y))
            .collect();
        let path = match around[..] {
            [(x, upper), (_, lower)] => self.bar(x, lower, upper),
            _ => self.path(around.into_iter()),
        };
        if path.is_empty() {
            path
        } else {
            format!(
                "<path class=\"band\" d=\"{path}Z\" style=\"fill:{};fill-opacity:{}\"/>\n",
                curve.colour,
                opacity(curve.colour)
            )
        }
    }

    /// The outline of the band of a single point.
    fn bar(&self, x: f64, lower: f64, upper: f64) -> String {
        let [x, lower, upper] = [self.at_x(x), self.at_y(lower), self.at_y(upper)];
        let (left, right) = (x - BAR, x + BAR);
        format!(
            "M{left:.2} {lower:.2}L{left:.2} {upper:.2}L{right:.2} {upper:.2}L{right:.2} {lower:.2}"
        )
    }

    /// Ticks, grid lines and names of the axes.
    pub fn axes(&self, x_label: &Label, y_label: &Label) -> String {
        let Self { left, right, .. } = self;
        let mut svg = format!("<g style=\"fill:{}\">\n", Colour::Grey);
        for tick in self.y.ticks() {
            let y = self.at_y(*tick);
            let place = [left - GAP, y + 4.5];
            svg += &format!(
                "<path d=\"M{left:.1} {y:.2}H{right:.1}\" style=\"stroke:var(--grid,#e3e6ea)\"/>\n{}",
                text(place, Anchor::End, LETTERS, &self.y.label(*tick))
            );
        }
        for tick in self.x.ticks() {
            let x = self.at_x(*tick);
            let place = [x, BOTTOM + 19.0];
            svg += &format!(
                "<path d=\"M{x:.2} {BOTTOM}v5\" style=\"stroke:{}\"/>\n{}",
                Colour::Grey,
                text(place, Anchor::Middle, LETTERS, &self.x.label(*tick))
            );
        }
        svg += &format!(
            "<path d=\"M{left:.1} {BOTTOM}H{right:.1}\" style=\"stroke:{}\"/>\n",
            Colour::Grey
        );
        svg + &self.names(x_label, y_label) + "</g>\n"
    }

    /// The names of the axes, with the powers of ten of their numbers and the units.
    fn names(&self, x_label: &Label, y_label: &Label) -> String {
        let (middle, centre) = ((self.left + self.right) / 2.0, (TOP + BOTTOM) / 2.0);
        let room = 2.0 * middle.min(WIDTH - middle) - GAP;
        let (words, size) = x_label.fitted(self.x.power(), LETTERS, room);
        let below = text([middle, HEIGHT - GAP], Anchor::Middle, size, &words);
        let room = 2.0 * centre.min(HEIGHT - centre) - GAP;
        let (words, size) = y_label.fitted(self.y.power(), LETTERS, room);
        below + &upwards([LETTERS, centre], size, &words)
    }
}

/// The right end of the frame, which leaves room for half of the last label.
fn right(x: &Scale) -> f64 {
    let last = x.labels().pop().unwrap_or_default();
    RIGHT.min(WIDTH - 2.0 - width(&last, LETTERS) / 2.0)
}

/// Whether the labels along a scale of this length do not overlap; `taken` is the room for a label.
fn is_apart(scale: &Scale, length: f64, taken: impl Fn(&str) -> f64) -> bool {
    let places = scale
        .ticks()
        .iter()
        .map(|tick| length * scale.position(*tick));
    let labels: Vec<(f64, f64)> = places
        .zip(scale.labels())
        .map(|(place, label)| (place, taken(&label) / 2.0))
        .collect();
    let is_clear = |pair: &[(f64, f64)]| pair[1].0 - pair[0].0 >= pair[0].1 + pair[1].1;
    labels.windows(2).all(is_clear)
}

fn places<'a>(x: &'a [f64], curve: &'a Curve) -> &'a [f64] {
    if curve.x.is_empty() { x } else { &curve.x }
}
