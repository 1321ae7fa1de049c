//! Single figures and tables, for a paper.

use super::comparison::{Comparison, ShownInput};
use super::{curve_figures as curves, map_figures as maps, tables};
use crate::draw::{Figure, Panels, Table};

/// A figure or table that stands alone.
#[derive(Debug, Clone, PartialEq)]
pub enum Exported {
    /// Curves.
    Curves(Figure),
    /// Fields as colours.
    Maps(Panels),
    /// A table.
    Table(Table),
}

/// With the name of its file, without extension.
type Named = (String, Exported);

/// All figures and tables of a comparison with the names of their files, without extension.
pub fn exports(comparison: &Comparison) -> Vec<Named> {
    let mut all = vec![
        ("scores".into(), Exported::Table(tables::scores(comparison))),
        ("speed".into(), Exported::Table(tables::speed(comparison))),
    ];
    for shown in &comparison.shown {
        all.extend(of_input(comparison, shown));
    }
    all.extend(distributions(comparison));
    all.extend(calibration(comparison));
    let spectra = curves::spectra(comparison);
    all.push(("spectra".into(), Exported::Curves(spectra)));
    all.extend(numbered("training", curves::training(comparison)));
    let by_inputs = curves::learning(comparison, false);
    all.extend(numbered("learning-inputs", by_inputs));
    let by_grid = curves::learning(comparison, true);
    all.extend(numbered("learning-grid", by_grid));
    all
}

/// Mean and spread of the input shown at this position, by every run; none in two dimensions.
pub fn curves_of_input(comparison: &Comparison, position: usize) -> Vec<Figure> {
    let shown = comparison.shown.get(position);
    let shown = shown.filter(|_| comparison.setting.grid.dimensions() == 1);
    shown.map_or_else(Vec::new, |shown| curves::bands(comparison, shown))
}

/// Mean, spread and realizations of one input: maps on a plane, curves on a line.
fn of_input(comparison: &Comparison, shown: &ShownInput) -> Vec<Named> {
    let input = shown.input;
    if comparison.setting.grid.dimensions() == 2 {
        let fields = maps::fields(comparison, shown);
        let samples = maps::samples(comparison, shown);
        return vec![
            (format!("fields-{input}"), Exported::Maps(fields)),
            (format!("samples-{input}"), Exported::Maps(samples)),
        ];
    }
    let means = curves::bands(comparison, shown);
    let mut all = numbered(&format!("mean-{input}"), means);
    let samples = curves::samples(comparison, shown);
    all.extend(numbered(&format!("samples-{input}"), samples));
    all
}

/// Marginal and joint distributions of solutions, and of residuals where there are any.
fn distributions(comparison: &Comparison) -> Vec<Named> {
    let mut all = Vec::new();
    for (is_residual, name) in [(false, "solution"), (true, "residual")] {
        if is_residual && comparison.low.is_none() {
            continue;
        }
        let marginal = curves::marginal(comparison, is_residual);
        all.push((format!("marginal-{name}"), Exported::Curves(marginal)));
        if let Some(panels) = maps::joints(comparison, is_residual) {
            all.push((format!("joint-{name}"), Exported::Maps(panels)));
        }
    }
    all
}

/// Nothing unless some run has a spread.
fn calibration(comparison: &Comparison) -> Vec<Named> {
    if comparison.runs.iter().all(|run| run.coverage.is_empty()) {
        return Vec::new();
    }
    let figures = [
        ("coverage", curves::coverage(comparison)),
        ("ranks", curves::ranks(comparison)),
        ("spread-skill", curves::spread_error(comparison)),
    ];
    figures
        .map(|(name, figure)| (name.into(), Exported::Curves(figure)))
        .into()
}

/// Figures of one name, told apart by their number.
fn numbered(name: &str, figures: Vec<Figure>) -> Vec<Named> {
    let named = |(i, figure)| (format!("{name}-{i}"), Exported::Curves(figure));
    figures.into_iter().enumerate().map(named).collect()
}
