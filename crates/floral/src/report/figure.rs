//! A figure of curves with bands, as SVG.

use super::colour::Colour;
use super::escape::escaped;
use super::scale::{Scale, is_drawable};

/// The drawing's size, and the frame of the curves in it.
const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 58.0;
const RIGHT: f64 = 468.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 256.0;

/// An estimate of the width of a character of the legend.
const CHARACTER: f64 = 7.8;

/// A line over x, perhaps with a band around it.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// Its name in the legend; without one it is not listed.
    pub name: Option<String>,
    /// The line: one value per x.
    pub values: Vec<f64>,
    /// Half the height of the band at every x; empty for none.
    pub half_band: Vec<f64>,
    /// Its colour.
    pub colour: Colour,
    /// Whether it is dashed, as truths are.
    pub dashed: bool,
    /// Whether it is thin, as one of many.
    pub thin: bool,
}

impl Curve {
    /// A plain line.
    pub fn line(name: &str, values: Vec<f64>, colour: Colour) -> Self {
        Self {
            name: Some(name.into()),
            values,
            half_band: Vec::new(),
            colour,
            dashed: false,
            thin: false,
        }
    }

    /// The same with a band around it.
    pub fn with_band(mut self, half_band: Vec<f64>) -> Self {
        self.half_band = half_band;
        self
    }

    /// The same dashed.
    pub fn dashed(mut self) -> Self {
        self.dashed = true;
        self
    }

    /// The same as a thin line.
    pub fn thin(mut self) -> Self {
        self.thin = true;
        self
    }

    /// The same without a place in the legend.
    pub fn unnamed(mut self) -> Self {
        self.name = None;
        self
    }

    /// The lower and the upper edge of the band; empty without one.
    pub fn edges(&self) -> (Vec<f64>, Vec<f64>) {
        let pairs = self.values.iter().zip(&self.half_band);
        pairs.map(|(v, h)| (v - h.abs(), v + h.abs())).unzip()
    }
}

/// Curves over one axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// What it shows.
    pub title: String,
    /// The name of the horizontal axis.
    pub x_label: String,
    /// The name of the vertical axis.
    pub y_label: String,
    /// The places of the values.
    pub x: Vec<f64>,
    /// The curves, the first at the back.
    pub curves: Vec<Curve>,
    /// Values that the vertical axis covers besides the curves, so that figures can share it.
    pub covers: Vec<f64>,
}

impl Figure {
    /// The values that the vertical axis has to cover.
    pub fn extent(&self) -> Vec<f64> {
        let mut all = self.covers.clone();
        for curve in &self.curves {
            let (lower, upper) = curve.edges();
            all.extend(curve.values.iter().chain(&lower).chain(&upper));
        }
        all.retain(|value| is_drawable(*value));
        all
    }

    /// The figure as an SVG element that scales with its container.
    pub fn to_svg(&self) -> String {
        let frame = Frame {
            x: Scale::covering(self.x.iter().copied(), 5),
            y: Scale::covering(self.extent(), 5),
        };
        let bands: String = self.curves.iter().map(|c| frame.band(&self.x, c)).collect();
        let lines: String = self.curves.iter().map(|c| frame.line(&self.x, c)).collect();
        let title = escaped(&self.title);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
             aria-label=\"{title}\" font-family=\"system-ui,sans-serif\" font-size=\"14\">\n\
             {}{bands}{lines}{}</svg>\n",
            frame.axes(&self.x_label, &self.y_label),
            self.legend()
        )
    }

    fn legend(&self) -> String {
        let mut x = LEFT;
        let mut svg = String::new();
        for curve in &self.curves {
            let Some(name) = &curve.name else { continue };
            let (colour, y) = (curve.colour, 15.0);
            if !curve.half_band.is_empty() {
                svg += &format!(
                    "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"26\" height=\"12\" \
                     style=\"fill:{colour};fill-opacity:{}\"/>\n",
                    y - 6.0,
                    opacity(colour)
                );
            }
            let style = stroke(curve);
            svg += &format!(
                "<path d=\"M{x:.1} {y:.1}h26\" style=\"{style}\"/>\n\
                 <text x=\"{:.1}\" y=\"{:.1}\" style=\"fill:{}\">{}</text>\n",
                x + 32.0,
                y + 4.5,
                Colour::Ink,
                escaped(name)
            );
            x += 32.0 + CHARACTER * name.chars().count() as f64 + 16.0;
        }
        svg
    }
}

/// A truth's band stays in the background.
fn opacity(colour: Colour) -> f64 {
    match colour {
        Colour::Ink | Colour::Grey => 0.14,
        _ => 0.38,
    }
}

fn stroke(curve: &Curve) -> String {
    let (width, dashes) = match (curve.thin, curve.dashed) {
        (true, _) => (1.1, ""),
        // Narrow enough to leave what lies under it in sight.
        (false, true) => (1.5, ";stroke-dasharray:6 4"),
        (false, false) => (2.8, ""),
    };
    format!(
        "fill:none;stroke:{};stroke-width:{width};stroke-linejoin:round{dashes}",
        curve.colour
    )
}

/// The two axes of a figure.
struct Frame {
    x: Scale,
    y: Scale,
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
            let drawable = is_drawable(x) && is_drawable(y);
            if drawable {
                let command = if is_down { 'L' } else { 'M' };
                path += &format!("{command}{:.2} {:.2}", self.at_x(x), self.at_y(y));
            }
            is_down = drawable;
        }
        path
    }

    fn line(&self, x: &[f64], curve: &Curve) -> String {
        let points = x.iter().copied().zip(curve.values.iter().copied());
        let (path, style) = (self.path(points), stroke(curve));
        format!("<path d=\"{path}\" style=\"{style}\"/>\n")
    }

    fn band(&self, x: &[f64], curve: &Curve) -> String {
        let (lower, upper) = curve.edges();
        let there = x.iter().zip(upper.iter());
        let back = x.iter().zip(lower.iter()).rev();
        let around = there.chain(back).map(|(x, y)| (*x, *y));
        let path = self.path(around.filter(|(x, y)| is_drawable(*x) && is_drawable(*y)));
        match path.is_empty() {
            true => path,
            false => format!(
                "<path class=\"band\" d=\"{path}Z\" style=\"fill:{};fill-opacity:{}\"/>\n",
                curve.colour,
                opacity(curve.colour)
            ),
        }
    }

    fn axes(&self, x_label: &str, y_label: &str) -> String {
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
             <text transform=\"translate(11 {centre}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n\
             </g>\n",
            Colour::Grey,
            HEIGHT - 7.0,
            escaped(x_label),
            escaped(y_label)
        );
        svg
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::assert_well_formed;

    fn figure() -> Figure {
        let x: Vec<f64> = (0..20).map(|i| i as f64 / 19.0).collect();
        let mean: Vec<f64> = x.iter().map(|x| (6.0 * x).sin()).collect();
        let spread = x.iter().map(|x| 0.1 + 0.1 * x).collect();
        Figure {
            title: "a < b & \"c\"".into(),
            x_label: "x".into(),
            y_label: "w".into(),
            curves: vec![
                Curve::line("truth", mean.clone(), Colour::Ink).dashed(),
                Curve::line("floral", mean, Colour::Vermillion).with_band(spread),
            ],
            x,
            covers: Vec::new(),
        }
    }

    /// All numbers of all paths.
    fn coordinates(svg: &str) -> Vec<f64> {
        let paths = svg
            .split(" d=\"")
            .skip(1)
            .filter_map(|p| p.split('"').next());
        let numbers = paths.flat_map(|path| path.split(|c: char| "MLHZhv ".contains(c)));
        numbers
            .filter(|text| !text.is_empty())
            .map(|text| text.parse().expect("a number"))
            .collect()
    }

    #[test]
    fn svg_is_well_formed_and_inside_its_frame() {
        let svg = figure().to_svg();
        assert_well_formed(&svg);
        let numbers = coordinates(&svg);
        assert!(numbers.len() > 100);
        assert!(numbers.iter().all(|n| (0.0..=WIDTH).contains(n)));
    }

    #[test]
    fn a_band_encloses_its_line_whatever_the_sign() {
        let mut figure = figure();
        for half in &mut figure.curves[1].half_band {
            *half = -*half;
        }
        let curve = &figure.curves[1];
        let (lower, upper) = curve.edges();
        for ((value, lower), upper) in curve.values.iter().zip(&lower).zip(&upper) {
            assert!(lower <= value && value <= upper);
        }
        assert_eq!(lower.len(), figure.x.len());
    }

    #[test]
    fn what_cannot_be_drawn_leaves_a_gap() {
        let mut figure = figure();
        figure.curves[1].values[7] = f64::NAN;
        figure.curves[1].half_band[3] = f64::INFINITY;
        figure.curves[0].values[0] = f64::MAX;
        let svg = figure.to_svg();
        assert_well_formed(&svg);
        assert!(coordinates(&svg).iter().all(|n| n.is_finite()));
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
        figure.curves.clear();
        assert_well_formed(&figure.to_svg());
    }
}
