//! Single figures and tables, for a paper.

use super::comparison::Comparison;
use super::{curve_figures as curves, map_figures as maps, tables};
use crate::report::{Figure, Panels, Table};

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

/// All figures and tables of a comparison with the names of their files, without extension.
pub fn exports(comparison: &Comparison) -> Vec<(String, Exported)> {
    let mut all: Vec<(String, Exported)> = vec![
        ("scores".into(), Exported::Table(tables::scores(comparison))),
        ("speed".into(), Exported::Table(tables::speed(comparison))),
    ];
    let mut add = |name: String, exported: Exported| all.push((name, exported));
    let is_plane = comparison.setting.grid.dimensions() == 2;
    for portrait in &comparison.portraits {
        let input = portrait.input;
        if is_plane {
            add(
                format!("fields-{input}"),
                Exported::Maps(maps::fields(comparison, portrait)),
            );
            add(
                format!("samples-{input}"),
                Exported::Maps(maps::samples(comparison, portrait)),
            );
            continue;
        }
        for (i, figure) in curves::bands(comparison, portrait).into_iter().enumerate() {
            add(format!("mean-{input}-{i}"), Exported::Curves(figure));
        }
        for (i, figure) in curves::samples(comparison, portrait)
            .into_iter()
            .enumerate()
        {
            add(format!("samples-{input}-{i}"), Exported::Curves(figure));
        }
    }
    for (is_residual, name) in [(false, "solution"), (true, "residual")] {
        if is_residual && comparison.low.is_none() {
            continue;
        }
        add(
            format!("marginal-{name}"),
            Exported::Curves(curves::marginal(comparison, is_residual)),
        );
        if let Some(panels) = maps::joints(comparison, is_residual) {
            add(format!("joint-{name}"), Exported::Maps(panels));
        }
    }
    if comparison.runs.iter().any(|run| !run.coverage.is_empty()) {
        add(
            "coverage".into(),
            Exported::Curves(curves::coverage(comparison)),
        );
        add("ranks".into(), Exported::Curves(curves::ranks(comparison)));
        add(
            "spread-skill".into(),
            Exported::Curves(curves::spread_error(comparison)),
        );
    }
    add(
        "spectra".into(),
        Exported::Curves(curves::spectra(comparison)),
    );
    let numbered = [
        ("training", curves::training(comparison)),
        ("learning-inputs", curves::learning(comparison, false)),
        ("learning-grid", curves::learning(comparison, true)),
    ];
    for (name, figures) in numbered {
        for (i, figure) in figures.into_iter().enumerate() {
            add(format!("{name}-{i}"), Exported::Curves(figure));
        }
    }
    all
}
