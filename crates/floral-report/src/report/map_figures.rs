//! Figures of colours: fields of one input, and joint distributions.

use super::comparison::{Comparison, Setting, ShownInput};
use super::curve_figures::value;
use super::distribution::Distribution;
use super::histogram::{JOINT_BINS, joint, range, widened};
use super::view::View;
use crate::draw::{ColourMap, Map, MapRow, Panels, Span};
use floral::Axis;
use floral::grid::AxisKind;
use floral::units::relation;

/// Realizations drawn in one figure.
const DRAWN: usize = 4;

/// The share of its length by which a scale of colours is longer than the truth, so that predictions
/// a little beyond it keep their order.
const MARGIN: f64 = 0.05;

fn spans(comparison: &Comparison) -> [Span; 2] {
    let setting = &comparison.setting;
    [0, 1].map(|i| {
        let domain = &setting.grid.axes[i].domain;
        Span {
            label: setting.axes[i].clone(),
            from: domain.from,
            to: domain.to,
        }
    })
}

/// How high a map is for its width: as the domain, where both its axes are lengths of one kind.
pub(super) fn aspect(setting: &Setting) -> Option<f64> {
    let ([x, y], [of_x, of_y]) = (&setting.grid.axes[..], &setting.axes[..]) else {
        return None;
    };
    let is_time = |axis: &Axis| axis.domain.kind == AxisKind::Times;
    let factor = match (&of_y.units, &of_x.units) {
        (None, None) => 1.0,
        (Some(of_y), Some(of_x)) => relation(of_y, of_x).conversion()?.factor,
        _ => return None,
    };
    let aspect = factor * y.domain.length() / x.domain.length();
    (is_time(x) == is_time(y) && aspect.is_finite() && aspect > 0.0).then_some(aspect)
}

/// The range of the colours of a field; of one that is never negative it is not negative either.
fn colours(values: &[f64]) -> [f64; 2] {
    let finite = values.iter().copied().filter(|value| value.is_finite());
    let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| {
        (low.min(v), high.max(v))
    });
    if low > high {
        return [0.0, 1.0];
    }
    let [wide_low, wide_high] = widened([low, high], MARGIN);
    [
        if low >= 0.0 {
            wide_low.max(0.0)
        } else {
            wide_low
        },
        wide_high,
    ]
}

/// A number that is not zero, or else one.
fn nonzero(value: f64) -> f64 {
    if value > 0.0 { value } else { 1.0 }
}

fn panels(comparison: &Comparison, title: String, rows: Vec<MapRow>) -> Panels {
    let [x, y] = spans(comparison);
    let setting = &comparison.setting;
    Panels {
        title,
        x,
        y,
        height: setting.grid.axes[1].len(),
        aspect: aspect(setting),
        rows,
    }
}

/// Mean, error of the mean, and standard deviation: truth, low fidelity and every run.
pub(super) fn fields(view: View, shown: &ShownInput) -> Panels {
    let of = |values: &[f32]| Some(view.of(values)).filter(|values| !values.is_empty());
    let truth = view.of(&shown.truth.mean);
    let mut names = vec!["truth".to_owned()];
    let mut means = vec![Some(truth.clone())];
    let mut deviations = vec![of(&shown.truth.deviation)];
    if let Some(low) = &shown.low {
        names.push("low fidelity".into());
        means.push(of(low));
        deviations.push(None);
    }
    for ((run, _), distribution) in view.runs().zip(&shown.runs) {
        names.push(run.label.clone());
        means.push(of(&distribution.mean));
        deviations.push(of(&distribution.deviation));
    }
    let error = |mean: &Option<Vec<f64>>| -> Option<Vec<f64>> {
        let mean = mean.as_ref()?;
        Some(mean.iter().zip(&truth).map(|(m, t)| m - t).collect())
    };
    let errors: Vec<Option<Vec<f64>>> = std::iter::once(None)
        .chain(means[1..].iter().map(error))
        .collect();
    let all = errors.iter().flatten().flatten().map(|e| e.abs());
    let reach = nonzero(range(all)[1]);
    let spread = deviations.iter().flatten().next();
    let spread = nonzero(spread.map_or(1.0, |deviation| colours(deviation)[1]));
    let row = |name: &str, colours, range, values| MapRow {
        label: view.quantity().named(name),
        colours,
        range,
        maps: titled(&names, values),
    };
    let mean = format!("mean of {}", view.quantity().name);
    let rows = vec![
        row(&mean, ColourMap::Field, colours(&truth), means),
        row(
            "error of the mean",
            ColourMap::Difference,
            [-reach, reach],
            errors,
        ),
        row(
            "standard deviation",
            ColourMap::Spread,
            [0.0, spread],
            deviations,
        ),
    ];
    panels(view.comparison, view.titled_input(shown, ""), rows)
}

/// Maps of these values, none of them where there are none.
fn titled(titles: &[String], values: Vec<Option<Vec<f64>>>) -> Vec<Map> {
    let map = |(title, values): (&String, _)| Map {
        title: title.clone(),
        values,
    };
    titles.iter().zip(values).map(map).collect()
}

/// Realizations of the truth and of every run that has them, one run a row.
pub(super) fn samples(view: View, shown: &ShownInput) -> Panels {
    let range = colours(&view.of(&shown.truth.mean));
    let row = |name: &str, distribution: &Distribution| {
        let drawn = (0..distribution.kept().min(DRAWN)).filter_map(|i| distribution.realization(i));
        let maps: Vec<Map> = drawn
            .enumerate()
            .map(|(i, values)| Map {
                title: format!("{name} {}", i + 1),
                values: Some(view.of(&values)),
            })
            .collect();
        (!maps.is_empty()).then(|| MapRow {
            label: view.quantity().clone(),
            colours: ColourMap::Field,
            range,
            maps,
        })
    };
    let truth = row("truth", &shown.truth);
    let runs = view.runs().zip(&shown.runs);
    let runs = runs.filter_map(|((run, _), distribution)| row(&run.label, distribution));
    let title = view.titled_input(shown, "realizations");
    panels(
        view.comparison,
        title,
        truth.into_iter().chain(runs).collect(),
    )
}

/// The low-fidelity solution against solutions or residuals, over all inputs; none without it.
pub(super) fn joints(view: View, is_residual: bool) -> Option<Panels> {
    let truth = view.truth();
    truth.low.as_ref()?;
    let pair = |pair: &[f32; 2]| [f64::from(pair[0]), value(*pair, is_residual)];
    let pairs = || truth.pairs.iter().map(pair);
    let first = range(pairs().map(|[low, _]| low));
    let second = range(pairs().map(|[_, value]| value));
    let map = |title: &str, pairs: &[[f32; 2]]| Map {
        title: title.into(),
        values: Some(joint(pairs.iter().map(pair), first, second)),
    };
    let runs = view.runs().map(|(run, own)| map(&run.label, &own.pairs));
    let maps: Vec<Map> = std::iter::once(map("truth", &truth.pairs))
        .chain(runs)
        .collect();
    let quantity = view.quantity();
    let (title, label) = if is_residual {
        ("Low fidelity and residual", quantity.named("residual"))
    } else {
        ("Low fidelity and solution", quantity.clone())
    };
    let span = |label, [from, to]: [f64; 2]| Span { label, from, to };
    Some(Panels {
        title: view.titled(title),
        x: span(quantity.named("low fidelity"), first),
        y: span(label, second),
        height: JOINT_BINS,
        aspect: None,
        rows: vec![MapRow {
            label: "share of values, power of 10".into(),
            colours: ColourMap::Spread,
            range: [-4.5, -1.5],
            maps,
        }],
    })
}
