//! The frame of a figure: two axes, and curves between them.

use super::colour::Colour;
use super::escape::escaped;
use super::figure::{Curve, mark, opacity, stroke};
use super::scale::{Scale, is_drawable};

/// The drawing's size, and the frame of the curves in it.
pub(super) const WIDTH: f64 = 480.0;
pub(super) const HEIGHT: f64 = 300.0;
pub(super) const LEFT: f64 = 64.0;
pub(super) const RIGHT: f64 = 462.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 256.0;

/// The two axes of a figure.
pub(super) struct Frame {
    pub x: Scale,
    pub y: Scale,
}

impl Frame {
    fn at_x(&self, value: f64) -> f64 {
        LEFT + self.x.position(value) * (RIGHT - LEFT)
    }

    fn at_y(&self, value: f64) -> f64 {
        BOTTOM - self.y.position(value) * (BOTTOM - TOP)
    }

    /// A polyline through points, interrupted where a value cannot be drawn.
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

    /// A curve's line over its own places, or else these, and its marks.
    pub fn line(&self, x: &[f64], curve: &Curve) -> String {
        let points = || {
            places(x, curve)
                .iter()
                .copied()
                .zip(curve.values.iter().copied())
        };
        let (path, style) = (self.path(points()), stroke(curve));
        let line = format!("<path d=\"{path}\" style=\"{style}\"/>\n");
        if curve.marked {
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
        let path = self.path(around.filter(|(x, y)| is_drawable(*x) && is_drawable(*y)));
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

    /// Ticks, grid lines and names of the axes.
    pub fn axes(&self, x_label: &str, y_label: &str) -> String {
        let mut svg = format!("<g style=\"fill:{}\">\n", Colour::Grey);
        for tick in self.y.ticks() {
            let (y, label) = (self.at_y(*tick), self.y.label(*tick));
            svg += &format!(
                "<path d=\"M{LEFT} {y:.2}H{RIGHT}\" style=\"stroke:var(--grid,#e3e6ea)\"/>\n\
                 <text x=\"{:.1}\" y=\"{:.2}\" text-anchor=\"end\">{label}</text>\n",
                LEFT - 7.0,
                y + 4.5
            );
        }
        for tick in self.x.ticks() {
            let (x, label) = (self.at_x(*tick), self.x.label(*tick));
            svg += &format!(
                "<path d=\"M{x:.2} {BOTTOM}v5\" style=\"stroke:{}\"/>\n\
                 <text x=\"{x:.2}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>\n",
                Colour::Grey,
                BOTTOM + 19.0
            );
        }
        let (middle, centre) = ((LEFT + RIGHT) / 2.0, (TOP + BOTTOM) / 2.0);
        svg += &format!(
            "<path d=\"M{LEFT} {BOTTOM}H{RIGHT}\" style=\"stroke:{}\"/>\n\
             <text x=\"{middle}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n\
             <text transform=\"translate(14 {centre}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n\
             </g>\n",
            Colour::Grey,
            HEIGHT - 7.0,
            escaped(x_label),
            escaped(y_label)
        );
        svg
    }
}

fn places<'a>(x: &'a [f64], curve: &'a Curve) -> &'a [f64] {
    if curve.x.is_empty() { x } else { &curve.x }
}
