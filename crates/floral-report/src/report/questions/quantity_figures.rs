//! Densities, exceedance curves and tables of quantities of interest.

use super::Answer;
use super::quantities::{QuantityShown, RunQuantity};
use crate::draw::{Best, Block, Colour, Column, Curve, Dash, Figure, Label, Row, Table, extremes};
use crate::report::names::capitalized;

/// Number of points of a density curve.
const POINTS: usize = 120;

/// Maximum number of inputs with figures, per quantity.
const DRAWN: usize = 4;

/// With fewer values, each is drawn as a point instead of a density.
const FEWEST: usize = 10;

/// The section; `None` if no quantity is requested.
pub(super) fn answer(all: &[QuantityShown]) -> Option<Answer> {
    let blocks: Vec<(String, Block)> = all.iter().flat_map(of_quantity).collect();
    (!all.is_empty()).then(|| {
        Answer::new(
            "Quantities of interest",
            "Densities and probabilities of exceedance over draws, with the truth if known. \
             Stretched: calibration factor of deviations from the median on left-out inputs. \
             Coverage is that of the 90 % interval, of the draws and after calibration.",
            blocks,
        )
    })
}

fn of_quantity(quantity: &QuantityShown) -> Vec<(String, Block)> {
    let name = &quantity.label.name;
    let inputs = 0..quantity.inputs.len().min(DRAWN);
    let figures = inputs.flat_map(|i| [density(quantity, i), exceedance(quantity, i)]);
    let figures: Vec<Figure> = figures.flatten().collect();
    let mut all = vec![(
        String::new(),
        Block::Text(format!("{name} = {}", quantity.expression)),
    )];
    all.push((
        format!("quantity-{name}"),
        Block::Table(statistics(quantity)),
    ));
    if quantity.runs.iter().any(|run| run.scores.is_some()) {
        all.push((
            format!("quantity-{name}-scores"),
            Block::Table(scores(quantity)),
        ));
    }
    if !figures.is_empty() {
        all.push((format!("quantity-{name}"), Block::Figures(figures)));
    }
    all
}

/// Statistics with a row per input and run.
fn statistics(quantity: &QuantityShown) -> Table {
    let units = quantity.label.units.as_deref().unwrap_or("");
    let plain = |name: &str| Column::new(name, units, Best::Unranked);
    let mut columns = vec![
        plain("mean"),
        plain("std"),
        plain("5 %"),
        plain("50 %"),
        plain("95 %"),
        Column::new("superquantile", "mean of the largest 5 %", Best::Unranked),
        Column::new("aleatoric", "standard deviation", Best::Unranked),
        Column::new("epistemic", "standard deviation", Best::Unranked),
    ];
    for threshold in &quantity.thresholds {
        let name = format!("P(> {threshold})");
        columns.push(Column::new(&name, "probability", Best::Unranked));
    }
    let known = |value: f64| value.is_finite().then_some(value);
    let of_run = |(run, i): (&RunQuantity, usize)| {
        let found = run.summary(i, &quantity.thresholds);
        let parts = found.variance_parts();
        let mut values: Vec<Option<f64>> =
            found.statistics.iter().map(|e| known(e.value)).collect();
        values.extend([0, 1].map(|part| parts.map(|parts| parts[part].sqrt())));
        values.extend(found.exceedances.iter().map(|e| known(e.value)));
        Row {
            name: format!("{}, {}", quantity.inputs[i].name, run.label),
            values,
            competes: false,
        }
    };
    let of_truth = |i: usize| {
        let input = &quantity.inputs[i];
        let found = floral::predict::interest::InterestSummary::new(
            &input.truth,
            &quantity.thresholds,
            None,
        );
        let mut values: Vec<Option<f64>> =
            found.statistics.iter().map(|e| known(e.value)).collect();
        values.extend([None, None]);
        values.extend(found.exceedances.iter().map(|e| known(e.value)));
        (!input.truth.is_empty()).then(|| Row {
            name: format!("{}, truth", input.name),
            values,
            competes: false,
        })
    };
    let rows = (0..quantity.inputs.len()).flat_map(|i| {
        let runs = quantity.runs.iter().map(move |run| of_run((run, i)));
        of_truth(i).into_iter().chain(runs).collect::<Vec<Row>>()
    });
    Table {
        columns,
        rows: rows.collect(),
    }
}

/// Scores of each run over all inputs.
fn scores(quantity: &QuantityShown) -> Table {
    let units = quantity.label.units.as_deref().unwrap_or("");
    let mut columns = vec![
        Column::new("bias", "of the predicted mean", Best::Unranked),
        Column::new("RMSE", "of the predicted mean", Best::Lowest),
        Column::new("CRPS", units, Best::Lowest),
        Column::new("drawn", "coverage of the 90 % interval", Best::Nearest(0.9)),
        Column::new("stretched", "factor of deviations", Best::Unranked),
        Column::new(
            "calibrated",
            "coverage of the 90 % interval",
            Best::Nearest(0.9),
        ),
    ];
    for threshold in &quantity.thresholds {
        let name = |what: &str| format!("{what} > {threshold}");
        columns.push(Column::new(&name("P"), "mean probability", Best::Unranked));
        columns.push(Column::new(&name("observed"), "share", Best::Unranked));
        columns.push(Column::new(&name("Brier"), "score", Best::Lowest));
        columns.push(Column::new(&name("truth's Brier"), "score", Best::Unranked));
    }
    let row = |run: &RunQuantity| {
        let own = run.scores.as_ref()?;
        let drawn = match own.applied_stretch {
            Some(_) => own.uncalibrated_coverage,
            None => own.coverage,
        };
        let mut values = vec![
            Some(own.bias),
            Some(own.rmse),
            own.crps,
            drawn,
            own.applied_stretch,
            own.applied_stretch.and(own.coverage),
        ];
        for above in &own.exceedances {
            let known = [above.predicted, above.observed, above.brier];
            values.extend(known.map(Some));
            values.push(above.brier_of_truth);
        }
        values.resize(6 + 4 * quantity.thresholds.len(), None);
        Some(Row {
            name: run.label.clone(),
            values,
            competes: true,
        })
    };
    Table {
        columns,
        rows: quantity.runs.iter().filter_map(row).collect(),
    }
}

/// The values at an input with name and style: first the truth, then the runs.
fn series(quantity: &QuantityShown, input: usize) -> Vec<(String, &[f64], Colour, Dash)> {
    let truth = &quantity.inputs[input].truth;
    let truth = (!truth.is_empty()).then(|| {
        let values = &truth[..];
        ("truth".to_owned(), values, Colour::Ink, Dash::Dashed)
    });
    let runs = quantity.runs.iter().map(|run| {
        let dash = Dash::ALL[run.variant % Dash::ALL.len()];
        let values = &run.draws[input][..];
        (run.label.clone(), values, Colour::of(run.method), dash)
    });
    let all = truth.into_iter().chain(runs);
    all.filter(|one| !one.1.is_empty() && one.1.iter().all(|v| v.is_finite()))
        .collect()
}

/// The range of all values at an input, with a margin.
fn ends(series: &[(String, &[f64], Colour, Dash)]) -> Option<[f64; 2]> {
    let all = series.iter().flat_map(|one| one.1);
    let [low, high] = extremes(all.copied())?;
    let room = 0.05 * (high - low);
    (high > low).then_some([low - room, high + room])
}

fn grid([from, to]: [f64; 2]) -> Vec<f64> {
    let step = (to - from) / (POINTS - 1) as f64;
    (0..POINTS).map(|k| from + step * k as f64).collect()
}

fn titled(quantity: &QuantityShown, input: usize, what: &str) -> String {
    let name = capitalized(&quantity.inputs[input].name);
    format!("{name}, {} of {}", what, quantity.label.name)
}

fn density(quantity: &QuantityShown, input: usize) -> Option<Figure> {
    let series = series(quantity, input);
    let x = grid(ends(&series)?);
    let curve = |(name, values, colour, dash): &(String, &[f64], Colour, Dash)| {
        if values.len() < FEWEST {
            return points(name, values, *colour);
        }
        let curve = Curve::line(name, smoothed(values, &x), *colour).with_dash(*dash);
        match dash {
            Dash::Dashed if *colour == Colour::Ink => vec![curve],
            _ => vec![curve.with_fill()],
        }
    };
    // The truth is drawn last, in front.
    let curves = series.iter().rev().flat_map(curve).collect();
    Some(Figure {
        title: titled(quantity, input, "density"),
        x_label: quantity.label.clone(),
        y_label: quantity.label.named("density").inverse(),
        curves,
        covers: vec![0.0],
        x,
        ..Figure::default()
    })
}

/// A mark on the axis for every value.
fn points(name: &str, values: &[f64], colour: Colour) -> Vec<Curve> {
    let point = |(i, value): (usize, &f64)| {
        let point = Curve::line(name, vec![0.0], colour).at(vec![*value]);
        if i == 0 { point } else { point.unnamed() }
    };
    values.iter().enumerate().map(point).collect()
}

/// A kernel density estimate with Gaussian kernels of Silverman's width, 0.9 min(s, IQR / 1.34)
/// n^(-1/5).
fn smoothed(values: &[f64], x: &[f64]) -> Vec<f64> {
    let n = values.len() as f64;
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let mean = values.iter().sum::<f64>() / n;
    let std = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt();
    let at = |share: f64| sorted[(share * (n - 1.0)).round() as usize];
    let range = (at(0.75) - at(0.25)) / 1.34;
    let scale = if range > 0.0 { std.min(range) } else { std };
    // Not narrower than the distance between points of the curve.
    let least = x.get(1).map_or(0.0, |next| next - x[0]);
    let width = (0.9 * scale * n.powf(-0.2))
        .max(least)
        .max(f64::MIN_POSITIVE);
    let norm = n * width * (2.0 * std::f64::consts::PI).sqrt();
    let density = |x: &f64| {
        let kernel = |v: &f64| (-0.5 * ((x - v) / width).powi(2)).exp();
        values.iter().map(kernel).sum::<f64>() / norm
    };
    x.iter().map(density).collect()
}

fn exceedance(quantity: &QuantityShown, input: usize) -> Option<Figure> {
    let series = series(quantity, input);
    let x = grid(ends(&series)?);
    let share = |values: &[f64], x: f64| {
        values.iter().filter(|v| **v > x).count() as f64 / values.len() as f64
    };
    let curve = |(name, values, colour, dash): &(String, &[f64], Colour, Dash)| {
        let shares = x.iter().map(|x| share(values, *x)).collect();
        Curve::line(name, shares, *colour).with_dash(*dash)
    };
    let mut curves: Vec<Curve> = series.iter().map(curve).collect();
    for threshold in &quantity.thresholds {
        let line = Curve::line("threshold", vec![0.0, 1.0], Colour::Grey);
        curves.push(line.at(vec![*threshold; 2]).unnamed());
    }
    Some(Figure {
        title: titled(quantity, input, "exceedance"),
        x_label: quantity.label.clone(),
        y_label: Label::new("probability to exceed", Some("1")),
        curves,
        covers: vec![0.0, 1.0],
        x,
        ..Figure::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_density_integrates_to_one() {
        let values: Vec<f64> = (0..400).map(|i| (0.37 * f64::from(i)).sin()).collect();
        let x = grid([-1.5, 1.5]);
        let sum: f64 = smoothed(&values, &x).iter().sum();
        assert!((sum * (x[1] - x[0]) - 1.0).abs() < 0.01);
    }
}
