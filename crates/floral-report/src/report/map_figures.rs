//! Figures of colours: fields of one input, and joint distributions.

use super::comparison::{Comparison, ShownInput};
use super::curve_figures::value;
use super::distribution::Distribution;
use super::histogram::{JOINT_BINS, joint, range};
use crate::draw::{ColourMap, Map, MapRow, Panels, Span};

/// Realizations drawn in one figure.
const DRAWN: usize = 4;

fn wide(values: &[f32]) -> Vec<f64> {
    values.iter().map(|value| f64::from(*value)).collect()
}

fn spans(comparison: &Comparison) -> [Span; 2] {
    let setting = &comparison.setting;
    [0, 1].map(|i| {
        let coordinates = &setting.grid.axes[i].coordinates;
        Span {
            label: setting.axes[i].clone(),
            from: coordinates.first().copied().unwrap_or(0.0),
            to: coordinates.last().copied().unwrap_or(1.0),
        }
    })
}

/// The range of a field, widened so that predictions a little beyond it keep their order.
fn widened(values: &[f64]) -> [f64; 2] {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let margin = 0.05 * (high - low).max(1e-12);
    [low - margin, high + margin]
}

fn panels(comparison: &Comparison, title: String, rows: Vec<MapRow>) -> Panels {
    let [x, y] = spans(comparison);
    Panels {
        title,
        x,
        y,
        height: comparison.setting.grid.axes[1].len(),
        rows,
    }
}

/// Mean, error of the mean, and standard deviation: truth, low fidelity and every run. A field of
/// several channels shows its first.
pub(super) fn fields(comparison: &Comparison, shown: &ShownInput) -> Panels {
    let points = comparison.setting.grid.len();
    let first = |values: &[f32]| (!values.is_empty()).then(|| wide(&values[..points]));
    let truth = wide(&shown.truth.mean[..points]);
    let mut names = vec!["truth".to_owned()];
    let mut means = vec![Some(truth.clone())];
    let mut deviations = vec![first(&shown.truth.deviation)];
    if let Some(low) = &shown.low {
        names.push("low fidelity".into());
        means.push(first(low));
        deviations.push(None);
    }
    for (run, distribution) in comparison.runs.iter().zip(&shown.runs) {
        names.push(run.label.clone());
        means.push(first(&distribution.mean));
        deviations.push(first(&distribution.deviation));
    }
    let error = |mean: &Option<Vec<f64>>| -> Option<Vec<f64>> {
        let mean = mean.as_ref()?;
        Some(mean.iter().zip(&truth).map(|(m, t)| m - t).collect())
    };
    let errors: Vec<Option<Vec<f64>>> = std::iter::once(None)
        .chain(means[1..].iter().map(error))
        .collect();
    let all = errors.iter().flatten().flatten().map(|e| e.abs());
    let reach = range(all)[1].max(1e-12);
    let spread = deviations[0].as_deref().map_or(1.0, |d| widened(d)[1]);
    let quantity = &comparison.setting.quantity;
    let row = |label, colours, range, values| MapRow {
        label,
        colours,
        range,
        maps: titled(&names, values),
    };
    let rows = vec![
        row(
            format!("mean {quantity}"),
            ColourMap::Field,
            widened(&truth),
            means,
        ),
        row(
            "error of the mean".into(),
            ColourMap::Difference,
            [-reach, reach],
            errors,
        ),
        row(
            "standard deviation".into(),
            ColourMap::Spread,
            [0.0, spread],
            deviations,
        ),
    ];
    panels(comparison, format!("Input {}", shown.input), rows)
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
pub(super) fn samples(comparison: &Comparison, shown: &ShownInput) -> Panels {
    let points = comparison.setting.grid.len();
    let range = widened(&wide(&shown.truth.mean[..points]));
    let row = |name: &str, distribution: &Distribution| {
        let drawn = (0..distribution.kept().min(DRAWN)).filter_map(|i| distribution.realization(i));
        let maps: Vec<Map> = drawn
            .enumerate()
            .map(|(i, values)| Map {
                title: format!("{name} {}", i + 1),
                values: Some(wide(&values[..points])),
            })
            .collect();
        (!maps.is_empty()).then(|| MapRow {
            label: comparison.setting.quantity.clone(),
            colours: ColourMap::Field,
            range,
            maps,
        })
    };
    let truth = row("truth", &shown.truth);
    let runs = comparison.runs.iter().zip(&shown.runs);
    let runs = runs.filter_map(|(run, distribution)| row(&run.label, distribution));
    let title = format!("Input {}: realizations", shown.input);
    panels(comparison, title, truth.into_iter().chain(runs).collect())
}

/// The low-fidelity solution against solutions or residuals, over all inputs; none without it.
pub(super) fn joints(comparison: &Comparison, is_residual: bool) -> Option<Panels> {
    comparison.low.as_ref()?;
    let pair = |pair: &[f32; 2]| [f64::from(pair[0]), value(*pair, is_residual)];
    let truth = || comparison.truth_pairs.iter().map(pair);
    let first = range(truth().map(|[low, _]| low));
    let second = range(truth().map(|[_, value]| value));
    let map = |title: &str, pairs: &[[f32; 2]]| Map {
        title: title.into(),
        values: Some(joint(pairs.iter().map(pair), first, second)),
    };
    let runs = comparison
        .runs
        .iter()
        .map(|run| map(&run.label, &run.pairs));
    let maps: Vec<Map> = std::iter::once(map("truth", &comparison.truth_pairs))
        .chain(runs)
        .collect();
    let quantity = &comparison.setting.quantity;
    let (title, label) = if is_residual {
        ("Low fidelity and residual", "residual".to_owned())
    } else {
        ("Low fidelity and solution", quantity.clone())
    };
    let span = |label: String, [from, to]: [f64; 2]| Span { label, from, to };
    Some(Panels {
        title: title.into(),
        x: span("low fidelity".into(), first),
        y: span(label, second),
        height: JOINT_BINS,
        rows: vec![MapRow {
            label: "share, power of 10".into(),
            colours: ColourMap::Spread,
            range: [-4.5, -1.5],
            maps,
        }],
    })
}
