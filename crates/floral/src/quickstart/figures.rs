//! The figures of a quickstart: one input's truth, and what the methods make of it.

use super::portrait::{Likeness, Portrait};
use crate::report::{Colour, Curve, Figure};
use crate::train::Method;

/// Half the height of a band, in standard deviations.
pub(super) const BAND: f64 = 2.0;

/// The name of a method in print, and its colour.
pub(super) fn title(method: Method) -> (&'static str, Colour) {
    (method.title(), Colour::of(method))
}

/// What is drawn: solutions, or what is left of them without the low-fidelity one.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum View {
    Solution,
    Gap,
}

impl View {
    fn of(self, values: &[f64], portrait: &Portrait) -> Vec<f64> {
        match self {
            Self::Solution => values.to_vec(),
            Self::Gap => {
                let pairs = values.iter().zip(&portrait.low);
                pairs.map(|(value, low)| value - low).collect()
            }
        }
    }

    fn label(self) -> &'static str {
        match self {
            Self::Solution => "solution",
            Self::Gap => "gap",
        }
    }

    fn curve(self, name: &str, of: &Likeness, portrait: &Portrait, colour: Colour) -> Curve {
        let band = of.deviation.iter().flatten().map(|d| BAND * d).collect();
        Curve::line(name, self.of(&of.mean, portrait), colour).with_band(band)
    }

    fn truth(self, portrait: &Portrait) -> Curve {
        self.curve("truth", &portrait.truth, portrait, Colour::Ink)
            .dashed()
    }

    /// Thin lines, of which the legend lists the first.
    fn realizations(
        self,
        name: &str,
        of: &Likeness,
        portrait: &Portrait,
        colour: Colour,
    ) -> Vec<Curve> {
        let values = of.realizations.iter().map(|r| self.of(r, portrait));
        let curves = values.map(|values| Curve::line(name, values, colour).thin());
        curves
            .enumerate()
            .map(|(i, curve)| if i == 0 { curve } else { curve.unnamed() })
            .collect()
    }

    fn figure(self, title: &str, portrait: &Portrait, curves: Vec<Curve>) -> Figure {
        Figure {
            title: title.into(),
            x_label: "x".into(),
            y_label: self.label().into(),
            x: portrait.x.clone(),
            curves,
            ..Figure::default()
        }
    }
}

/// One panel a method, all on the same scale.
pub(super) fn panels(portrait: &Portrait, view: View) -> Vec<Figure> {
    let panel = |(method, likeness): &(Method, Likeness)| {
        let (name, colour) = title(*method);
        let curves = vec![
            view.curve(name, likeness, portrait, colour),
            view.truth(portrait),
        ];
        let what = match likeness.deviation {
            Some(_) => format!("{name}: mean ± {BAND} standard deviations"),
            None => format!("{name}: one curve, no uncertainty"),
        };
        view.figure(&what, portrait, curves)
    };
    sharing(portrait.methods.iter().map(panel).collect())
}

/// The figures with one vertical scale.
fn sharing(mut figures: Vec<Figure>) -> Vec<Figure> {
    let all: Vec<f64> = figures.iter().flat_map(Figure::extent).collect();
    for figure in &mut figures {
        figure.covers.clone_from(&all);
    }
    figures
}

/// The cheap solution beside the truth.
pub(super) fn two_solvers(portrait: &Portrait) -> Figure {
    let cheap = Curve::line("cheap solver", portrait.low.clone(), Colour::Green);
    let curves = vec![View::Solution.truth(portrait), cheap];
    View::Solution.figure("Two solvers, one input", portrait, curves)
}

/// The true gap with single runs.
pub(super) fn true_gap(portrait: &Portrait) -> Figure {
    let runs = View::Gap.realizations("single runs", &portrait.truth, portrait, Colour::Blue);
    let mut curves = vec![View::Gap.truth(portrait)];
    curves.extend(runs);
    View::Gap.figure("The gap between them", portrait, curves)
}

/// The gap in runs that a method has drawn, on the scale of the true ones.
pub(super) fn drawn_gap(portrait: &Portrait, method: Method) -> Option<Figure> {
    let (_, likeness) = portrait.methods.iter().find(|(m, _)| *m == method)?;
    let (name, colour) = title(method);
    let mut curves = vec![View::Gap.truth(portrait)];
    curves.extend(View::Gap.realizations("single runs", likeness, portrait, colour));
    let what = format!("Runs drawn by {name}");
    let mut figure = View::Gap.figure(&what, portrait, curves);
    figure.covers = true_gap(portrait).extent();
    Some(figure)
}

/// The standard deviations of probabilistic methods beside the true one.
pub(super) fn spreads(portrait: &Portrait) -> Figure {
    let spread = |of: &Likeness, name: &str, colour| {
        let values = of.deviation.clone()?;
        Some(Curve::line(name, values, colour))
    };
    let methods = portrait.methods.iter().filter_map(|(method, likeness)| {
        let (name, colour) = title(*method);
        spread(likeness, name, colour)
    });
    let truth = spread(&portrait.truth, "truth", Colour::Ink).map(Curve::dashed);
    let curves = methods.chain(truth).collect();
    let mut figure = View::Gap.figure("The size of the spread", portrait, curves);
    figure.y_label = "standard deviation".into();
    // From zero, so that heights can be compared.
    figure.covers = vec![0.0];
    figure
}
