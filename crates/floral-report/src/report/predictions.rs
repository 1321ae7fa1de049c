//! The sections of a report on new inputs, whose truth is unknown.

use super::comparison::{Comparison, ShownInput};
use super::distribution::Distribution;
use super::planes::Plane;
use super::sections::{by_channel, drawn_how, file, on_planes, section, with_answers};
use super::view::View;
use super::{curve_figures as curves, explorer, map_figures as maps};
use crate::draw::{Best, Block, Column, Label, Page, Row, Section, Table};
use floral::{Result, counted};

/// The whole report as a page that needs no other file.
pub(super) fn page(comparison: &Comparison) -> Result<Page> {
    let setting = &comparison.setting;
    let drawn = &comparison.drawn();
    let names: Vec<&str> = comparison
        .runs
        .iter()
        .map(|run| run.label.as_str())
        .collect();
    let sections = [
        Some(overview(comparison)),
        setting.is_explored().then(|| explore(drawn)).transpose()?,
        parameters(comparison),
        (setting.has_maps() || setting.has_curves()).then(|| figures(drawn)),
    ];
    let sections = sections.into_iter().flatten().collect();
    Ok(Page {
        title: format!("FLORAL report: {}", setting.title),
        lead: format!(
            "{} predicted by {}. The truth is unknown: the report shows predictions, their uncertainty, \
             and the distance of the inputs from the training inputs.",
            counted(comparison.shown.len(), "new input"),
            names.join(", ")
        ),
        sections: with_answers(sections, comparison),
        footer: format!(
            "Made by {} from {}, {}.",
            setting.build,
            file(setting),
            drawn_how(comparison)
        ),
    })
}

fn overview(comparison: &Comparison) -> Section {
    section(
        "Predictions",
        "Novelty is 1 for inputs like those that validated the fit and grows with the distance from \
         them; well above 1, intervals rest on extrapolation. The epistemic share is the part of the \
         variance that more training inputs would reduce; the rest is aleatoric. A dash marks methods \
         that estimate neither.",
        comparison
            .setting
            .notes
            .iter()
            .map(|note| Block::Text(format!("Note: {note}.")))
            .chain(by_channel(comparison, |view| {
                vec![Block::Table(summaries(view))]
            }))
            .collect(),
    )
}

/// A table of one channel: a row per input and run, with properties of the prediction.
pub(super) fn summaries(view: View) -> Table {
    let column = |name: &str, meaning: &str| Column::new(name, meaning, Best::Unranked);
    let inputs = view.comparison.shown.iter();
    let rows = inputs.flat_map(|shown| {
        let runs = view.runs().zip(&shown.runs).enumerate();
        runs.map(move |(i, ((run, _), own))| Row {
            name: format!("{}, {}", shown.name, run.label),
            values: values(view, shown, i, own),
            competes: false,
        })
    });
    Table {
        columns: vec![
            column("novelty", "1 = like the validation inputs"),
            column("epistemic", "share of the variance"),
            column("smallest mean", "over the domain"),
            column("largest mean", "over the domain"),
            column("spread", "standard deviation, root mean square"),
            column("largest spread", "standard deviation, maximum"),
            column("residual", "mean minus low fidelity, root mean square"),
        ],
        rows: rows.collect(),
    }
}

fn values(view: View, shown: &ShownInput, run: usize, own: &Distribution) -> Vec<Option<f64>> {
    let certainty = shown.certainty[run].as_ref();
    let mean = view.of(&own.mean);
    let deviation = view.of(&own.deviation);
    let low = shown.low.as_ref().map(|low| view.of(low));
    let residual = low.map(|low| mean.iter().zip(low).map(|(m, l)| m - l).collect::<Vec<_>>());
    let largest = |values: &[f64]| values.iter().copied().reduce(f64::max);
    vec![
        certainty.map(|certainty| certainty.novelty),
        certainty.and_then(|certainty| view.own(&certainty.epistemic).copied()),
        mean.iter().copied().reduce(f64::min),
        largest(&mean),
        root_mean_square(&deviation),
        largest(&deviation),
        residual.and_then(|residual| root_mean_square(&residual)),
    ]
}

/// `None` without values.
fn root_mean_square(values: &[f64]) -> Option<f64> {
    let square: f64 = values.iter().map(|v| v * v).sum();
    (!values.is_empty()).then(|| (square / values.len() as f64).sqrt())
}

fn explore(comparison: &Comparison) -> Result<Section> {
    let planes = comparison.planes();
    let text = format!(
        "Choose an input and a method. Click a point of any figure to see the distribution there, step \
         through realizations, and move the threshold to see where and with which probability it is \
         exceeded.{}",
        on_planes(&planes)
    );
    let explorer = explorer::interactive(&planes)?;
    Ok(section(
        "Explore",
        &text,
        vec![Block::Interactive(explorer)],
    ))
}

/// The parameters of every shown input; `None` if inputs have no parameters.
pub(super) fn parameters(comparison: &Comparison) -> Option<Section> {
    let labels = &comparison.setting.parameters;
    let column = |label: &Label| Column {
        name: label.name.clone(),
        meaning: label.units.clone().unwrap_or_default(),
        best: Best::Unranked,
    };
    let row = |shown: &ShownInput| Row {
        name: shown.name.clone(),
        values: shown.parameters.iter().map(|value| Some(*value)).collect(),
        competes: false,
    };
    let table = Table {
        columns: labels.iter().map(column).collect(),
        rows: comparison.shown.iter().map(row).collect(),
    };
    let text = "The parameters of the inputs that are shown.";
    (!labels.is_empty()).then(|| section("Parameters", text, vec![Block::Table(table)]))
}

/// The static figures of every input.
fn figures(comparison: &Comparison) -> Section {
    let planes = comparison.planes();
    let of_plane = |view: View<'_>, plane: &Plane<'_>, input: usize| {
        let comparison = &*plane.comparison;
        of_input(view.on(comparison), &comparison.shown[input])
    };
    let blocks = by_channel(comparison, |view| {
        let inputs = 0..comparison.shown.len();
        let figures = inputs.flat_map(|i| planes.iter().flat_map(move |p| of_plane(view, p, i)));
        figures.collect()
    });
    let text = format!(
        "Mean, quantiles, standard deviation and realizations of every input, with low fidelity.{}",
        on_planes(&planes)
    );
    section("Figures", &text, blocks)
}

/// The figures of one input; empty if the solution is a single number.
pub(super) fn of_input(view: View, shown: &ShownInput) -> Vec<Block> {
    if view.comparison.setting.has_maps() {
        return vec![
            Block::Panels(maps::fields(view, shown)),
            Block::Panels(maps::samples(view, shown)),
        ];
    }
    if !view.comparison.setting.has_curves() {
        return Vec::new();
    }
    let mut figures = curves::bands(view, shown);
    figures.extend(curves::samples(view, shown));
    vec![Block::Figures(figures)]
}
