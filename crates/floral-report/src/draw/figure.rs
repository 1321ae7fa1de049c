//! A figure of curves with bands, as SVG.

use super::colour::Colour;
use super::escape::escaped;
use super::frame::{Extent, Frame, HEIGHT, LETTERS, WIDTH};
use super::label::Label;
use super::legend::Legend;
use super::scale::is_drawable;

/// The dash pattern of a line. It distinguishes curves of one colour, and curves in print without
/// colours.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Dash {
    /// A continuous line.
    #[default]
    Solid,
    /// Dashes.
    Dashed,
    /// Dots.
    Dotted,
    /// Dashes and dots.
    DashDotted,
}

impl Dash {
    /// All patterns, in the order in which curves of one colour use them.
    pub const ALL: [Self; 4] = [Self::Solid, Self::Dashed, Self::Dotted, Self::DashDotted];

    /// The lengths of dashes and spaces in CSS.
    pub fn lengths(self) -> &'static str {
        match self {
            Self::Solid => "",
            Self::Dashed => "6 4",
            Self::Dotted => "1.5 3.5",
            Self::DashDotted => "9 3 2 3",
        }
    }
}

/// A line over x, optionally with a band around it.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// The name in the legend; `None` if the curve is not listed.
    pub name: Option<String>,
    /// The y values, one per x.
    pub values: Vec<f64>,
    /// The x values of this curve; empty if those of the figure apply.
    pub x: Vec<f64>,
    /// The lower and upper end of the band at every x; empty without a band.
    pub band: Vec<[f64; 2]>,
    /// The colour of line and band.
    pub colour: Colour,
    /// The dash pattern; truths are dashed.
    pub dash: Dash,
    /// Whether the line is thin, as one of many.
    pub thin: bool,
    /// Whether the points are marked, as a curve of few points needs.
    pub marked: bool,
    /// Whether the area under it is filled.
    pub filled: bool,
    /// A lower bound at which the band is cut.
    pub floor: Option<f64>,
}

impl Curve {
    /// A solid line without a band.
    pub fn line(name: &str, values: Vec<f64>, colour: Colour) -> Self {
        Self {
            name: Some(name.into()),
            values,
            x: Vec::new(),
            band: Vec::new(),
            colour,
            dash: Dash::Solid,
            thin: false,
            marked: false,
            filled: false,
            floor: None,
        }
    }

    /// The outline of a histogram, with one height between any two neighbouring edges.
    pub fn steps(name: &str, edges: &[f64], heights: &[f64], colour: Colour) -> Self {
        let x = edges.windows(2).flat_map(|pair| [pair[0], pair[1]]);
        let values = heights.iter().flat_map(|height| [*height; 2]);
        Self::line(name, values.collect(), colour).at(x.collect())
    }

    /// Gives the curve its own x values.
    pub fn at(mut self, x: Vec<f64>) -> Self {
        self.x = x;
        self
    }

    /// Sets the dash pattern.
    pub fn with_dash(mut self, dash: Dash) -> Self {
        self.dash = dash;
        self
    }

    /// Adds a faint fill down to zero.
    pub fn with_fill(mut self) -> Self {
        self.filled = true;
        self
    }

    /// Marks every point.
    pub fn marked(mut self) -> Self {
        self.marked = true;
        self
    }

    /// Adds a band of this half height around the line.
    pub fn with_band(self, half: &[f64]) -> Self {
        let pairs = self.values.iter().zip(half);
        let band = pairs.map(|(v, h)| [v - h.abs(), v + h.abs()]).collect();
        self.between(band)
    }

    /// Adds a band between these ends, for example of an interval.
    pub fn between(mut self, band: Vec<[f64; 2]>) -> Self {
        self.band = band;
        self
    }

    /// Cuts the band at this value, for a quantity that is never below it.
    pub fn above(mut self, floor: Option<f64>) -> Self {
        self.floor = floor;
        self
    }

    /// Makes the line dashed.
    pub fn dashed(self) -> Self {
        self.with_dash(Dash::Dashed)
    }

    /// Makes the line thin.
    pub fn thin(mut self) -> Self {
        self.thin = true;
        self
    }

    /// Removes the curve from the legend.
    pub fn unnamed(mut self) -> Self {
        self.name = None;
        self
    }

    /// The lower and upper edge of the band or fill; empty if there is neither.
    pub fn edges(&self) -> (Vec<f64>, Vec<f64>) {
        if self.filled {
            return (vec![0.0; self.values.len()], self.values.clone());
        }
        let floor = self.floor.unwrap_or(f64::NEG_INFINITY);
        let ends = self.band.iter();
        ends.map(|[lower, upper]| (lower.max(floor), *upper))
            .unzip()
    }

    /// Whether the points are marked. A single point would be invisible otherwise.
    pub(super) fn is_marked(&self) -> bool {
        self.marked || self.values.len() == 1
    }
}

/// Curves over one axis.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Figure {
    /// The title of the figure.
    pub title: String,
    /// The label of the horizontal axis.
    pub x_label: Label,
    /// The label of the vertical axis.
    pub y_label: Label,
    /// The x values of curves without their own.
    pub x: Vec<f64>,
    /// The curves, drawn from back to front.
    pub curves: Vec<Curve>,
    /// The meaning of the bands, for the legend.
    pub bands: Option<String>,
    /// Further values that the vertical axis covers, so that figures can share a scale.
    pub covers: Vec<f64>,
    /// Whether the horizontal axis is logarithmic.
    pub log_x: bool,
    /// Whether the vertical axis is logarithmic.
    pub log_y: bool,
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
        let extent = |values, is_logarithmic| Extent {
            values,
            is_logarithmic,
        };
        let frame = Frame::new(
            &extent(self.places(), self.log_x),
            &extent(self.extent(), self.log_y),
        );
        let bands: String = self.curves.iter().map(|c| frame.band(&self.x, c)).collect();
        let lines: String = self.curves.iter().map(|c| frame.line(&self.x, c)).collect();
        let title = escaped(&self.title);
        let legend = Legend::of(self, frame.left, frame.right);
        let lift = legend.lift();
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 {:.0} {WIDTH} {:.0}\" role=\"img\" \
             aria-label=\"{title}\" font-family=\"system-ui,sans-serif\" font-size=\"{LETTERS}\">\n\
             {}{bands}{lines}{}</svg>\n",
            0.0 - lift,
            HEIGHT + lift,
            frame.axes(&self.x_label, &self.y_label),
            legend.to_svg()
        )
    }

    /// The x values that the horizontal axis has to cover.
    fn places(&self) -> Vec<f64> {
        let own = self.curves.iter().flat_map(|curve| &curve.x);
        self.x.iter().chain(own).copied().collect()
    }
}

/// A point of a curve.
pub(super) fn mark(x: f64, y: f64, colour: Colour) -> String {
    format!("<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"4\" style=\"fill:{colour}\"/>\n")
}

/// The opacity of a band; that of a truth is faint.
pub(super) fn opacity(colour: Colour) -> f64 {
    match colour {
        Colour::Ink | Colour::Grey => 0.14,
        _ => 0.38,
    }
}

pub(super) fn stroke(curve: &Curve) -> String {
    let width = match (curve.thin, curve.dash, curve.colour) {
        (true, ..) => 1.1,
        // Narrow enough to leave the curve under it visible.
        (false, Dash::Dashed, Colour::Ink) => 1.5,
        (false, Dash::Solid, _) => 2.8,
        (false, ..) => 2.2,
    };
    let dashes = match curve.dash.lengths() {
        "" => String::new(),
        lengths => format!(";stroke-dasharray:{lengths}"),
    };
    format!(
        "fill:none;stroke:{};stroke-width:{width};stroke-linejoin:round{dashes}",
        curve.colour
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::testing::assert_well_formed;

    fn figure() -> Figure {
        let x: Vec<f64> = (0..20).map(|i| i as f64 / 19.0).collect();
        let mean: Vec<f64> = x.iter().map(|x| (6.0 * x).sin()).collect();
        let spread: Vec<f64> = x.iter().map(|x| 0.1 + 0.1 * x).collect();
        Figure {
            title: "a < b & \"c\"".into(),
            x_label: "x".into(),
            y_label: "w".into(),
            curves: vec![
                Curve::line("truth", mean.clone(), Colour::Ink).dashed(),
                Curve::line("floral", mean, Colour::Vermillion).with_band(&spread),
            ],
            x,
            ..Figure::default()
        }
    }

    /// All numbers in all paths.
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
        let figure = figure();
        let below: Vec<f64> = figure.x.iter().map(|x| -0.1 - x).collect();
        let curve = figure.curves[1].clone().with_band(&below);
        let (lower, upper) = curve.edges();
        for ((value, lower), upper) in curve.values.iter().zip(&lower).zip(&upper) {
            assert!(lower <= value && value <= upper);
        }
        assert_eq!(lower.len(), figure.x.len());
    }

    #[test]
    fn a_long_legend_takes_further_lines_above_the_drawing() {
        let mut figure = figure();
        let short = figure.to_svg();
        assert!(short.contains("viewBox=\"0 0 480 300\""), "{short}");
        for curve in &mut figure.curves {
            curve.name = Some("a name that is rather long, too long for two".into());
        }
        assert!(figure.to_svg().contains("viewBox=\"0 -19 480 319\""));
    }

    #[test]
    fn the_steps_of_a_histogram_hold_each_height_between_its_edges() {
        let curve = Curve::steps("h", &[0.0, 1.0, 3.0], &[2.0, 5.0], Colour::Blue);
        assert_eq!(curve.x, [0.0, 1.0, 1.0, 3.0]);
        assert_eq!(curve.values, [2.0, 2.0, 5.0, 5.0]);
    }

    #[test]
    fn values_that_cannot_be_drawn_interrupt_the_line() {
        let mut figure = figure();
        figure.curves[1].values[7] = f64::NAN;
        figure.curves[1].band[3] = [f64::NEG_INFINITY, f64::INFINITY];
        figure.curves[0].values[0] = f64::MAX;
        let svg = figure.to_svg();
        assert_well_formed(&svg);
        assert!(coordinates(&svg).iter().all(|n| n.is_finite()));
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
        figure.curves.clear();
        assert_well_formed(&figure.to_svg());
    }
}
