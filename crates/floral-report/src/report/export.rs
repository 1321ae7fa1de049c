//! Single figures and tables for a paper.

use super::comparison::{Comparison, ShownInput};
use super::view::View;
use super::{
    curve_figures as curves, learning_figures as learning, map_figures as maps, predictions,
    questions, tables,
};
use crate::draw::{Bars, Figure, Panels, Table};

/// A figure or table on its own.
#[derive(Debug, Clone, PartialEq)]
pub enum Exported {
    /// Curves.
    Curves(Figure),
    /// Fields as colours.
    Maps(Panels),
    /// Groups of bars.
    Bars(Bars),
    /// A table.
    Table(Table),
}

/// An exported figure or table with its file name, without extension.
pub(super) type Named = (String, Exported);

/// All figures and tables of a comparison, with their file names without extension. If there are
/// several channels, each has its own figures, and its name at the end of the file name.
pub fn exports(comparison: &Comparison) -> Vec<Named> {
    if comparison.setting.truth.is_none() {
        let mut all = of_predictions(comparison);
        all.extend(questions::exports(comparison));
        return all;
    }
    let mut all: Vec<Named> = View::all(comparison)
        .map(|view| {
            (
                view.file("scores"),
                Exported::Table(tables::channel_scores(view)),
            )
        })
        .collect();
    all.push(("speed".into(), Exported::Table(tables::speed(comparison))));
    for view in View::all(comparison) {
        let own = of_channel(view).into_iter();
        all.extend(own.map(|(name, exported)| (view.file(&name), exported)));
    }
    all.extend(numbered("training", learning::training(comparison)));
    all.extend(questions::exports(comparison));
    all
}

/// Figures and tables of new inputs, without scores.
fn of_predictions(comparison: &Comparison) -> Vec<Named> {
    let views = View::all(comparison).flat_map(|view| {
        let table = Exported::Table(predictions::summaries(view));
        let all = std::iter::once(("predictions".to_owned(), table)).chain(of_inputs(view));
        all.map(move |(name, exported)| (view.file(&name), exported))
    });
    views.collect()
}

fn of_channel(view: View) -> Vec<Named> {
    let mut all = of_inputs(view);
    all.extend(distributions(view));
    all.extend(calibration(view));
    let spectra = curves::spectra(view);
    all.extend(spectra.map(|figure| ("spectra".into(), Exported::Curves(figure))));
    let by_inputs = learning::learning(view, false);
    all.extend(numbered("learning-inputs", by_inputs));
    let by_grid = learning::learning(view, true);
    all.extend(numbered("learning-grid", by_grid));
    all
}

/// Mean and spread of the input at this position by every run, channel by channel; empty in two
/// dimensions.
pub fn curves_of_input(comparison: &Comparison, position: usize) -> Vec<Figure> {
    let shown = comparison.shown.get(position);
    let shown = shown.filter(|_| comparison.setting.has_curves());
    let views = shown.into_iter().flat_map(|shown| {
        let views = View::all(comparison);
        views.flat_map(|view| curves::bands(view, shown))
    });
    views.collect()
}

/// Fields of all inputs on every plane, named after the axes of the plane.
fn of_inputs(view: View) -> Vec<Named> {
    let mut all = Vec::new();
    for plane in view.comparison.planes() {
        let view = view.on(&plane.comparison);
        for shown in &plane.comparison.shown {
            let named = of_input(view, shown).into_iter();
            all.extend(named.map(|(name, exported)| match plane.key.as_str() {
                "" => (name, exported),
                key => (format!("{name}-{key}"), exported),
            }));
        }
    }
    all
}

/// Mean, spread and realizations of an input: maps of a plane, curves on a line.
fn of_input(view: View, shown: &ShownInput) -> Vec<Named> {
    let input = shown.input;
    if view.comparison.setting.has_maps() {
        let fields = maps::fields(view, shown);
        let samples = maps::samples(view, shown);
        return vec![
            (format!("fields-{input}"), Exported::Maps(fields)),
            (format!("samples-{input}"), Exported::Maps(samples)),
        ];
    }
    if !view.comparison.setting.has_curves() {
        return Vec::new();
    }
    let means = curves::bands(view, shown);
    let mut all = numbered(&format!("mean-{input}"), means);
    let samples = curves::samples(view, shown);
    all.extend(numbered(&format!("samples-{input}"), samples));
    all
}

/// Marginal and joint distributions of solutions and, with low fidelity, of residuals.
fn distributions(view: View) -> Vec<Named> {
    let mut all = Vec::new();
    for (is_residual, name) in [(false, "solution"), (true, "residual")] {
        if is_residual && view.truth().low.is_none() {
            continue;
        }
        let marginal = curves::marginal(view, is_residual);
        all.push((format!("marginal-{name}"), Exported::Curves(marginal)));
        if let Some(panels) = maps::joints(view, is_residual) {
            all.push((format!("joint-{name}"), Exported::Maps(panels)));
        }
    }
    all
}

/// Figures of calibration; empty unless some run has a spread.
fn calibration(view: View) -> Vec<Named> {
    if view.calibrated().next().is_none() {
        return Vec::new();
    }
    let figures = [
        ("coverage", curves::coverage(view)),
        ("ranks", curves::ranks(view)),
        ("spread-skill", curves::spread_error(view)),
    ];
    figures
        .map(|(name, figure)| (name.into(), Exported::Curves(figure)))
        .into()
}

/// Figures with a common name, numbered.
fn numbered(name: &str, figures: Vec<Figure>) -> Vec<Named> {
    let named = |(i, figure)| (format!("{name}-{i}"), Exported::Curves(figure));
    figures.into_iter().enumerate().map(named).collect()
}
