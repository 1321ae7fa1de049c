//! Figures of curves: one input in one dimension, distributions, calibration, spectra, training.

use super::comparison::{Comparison, RunResult, ShownInput};
use super::distribution::Distribution;
use super::histogram::{density, edges, range};
use crate::draw::{Colour, Curve, Dash, Figure};
use floral::metric::calibration::rank_histogram::BINS as RANKS;

/// Half the height of a band, in standard deviations: the paper's.
const BAND: f64 = 5.0;

/// Realizations drawn in one figure.
const DRAWN: usize = 6;

fn wide(values: &[f32]) -> Vec<f64> {
    values.iter().map(|value| f64::from(*value)).collect()
}

/// A line in the style of a run.
fn line(run: &RunResult, values: Vec<f64>) -> Curve {
    Curve::line(&run.label, values, Colour::of(run.method)).broken(dash(run))
}

/// Runs of one method differ in their dashes.
pub(super) fn dash(run: &RunResult) -> Dash {
    Dash::ALL[run.variant % Dash::ALL.len()]
}

fn banded(name: &str, distribution: &Distribution, colour: Colour) -> Curve {
    let band = distribution.deviation.iter().map(|d| BAND * f64::from(*d));
    Curve::line(name, wide(&distribution.mean), colour).with_band(band.collect())
}

fn over_grid(comparison: &Comparison, title: String, curves: Vec<Curve>) -> Figure {
    Figure {
        title,
        x_label: comparison.setting.axes[0].clone(),
        y_label: comparison.setting.quantity.clone(),
        x: comparison.setting.grid.axes[0].coordinates.clone(),
        curves,
        ..Figure::default()
    }
}

/// Mean and band of the truth beside the low-fidelity solution and each run, one scale for all.
pub(super) fn bands(comparison: &Comparison, shown: &ShownInput) -> Vec<Figure> {
    let truth = || banded("truth", &shown.truth, Colour::Ink).dashed();
    let low = shown.low.as_ref().map(|low| {
        let low = Curve::line("low fidelity", wide(low), Colour::Green);
        let title = format!("Input {}: truth, mean \u{b1} {BAND} std", shown.input);
        over_grid(comparison, title, vec![truth(), low])
    });
    let runs = comparison
        .runs
        .iter()
        .zip(&shown.runs)
        .map(|(run, distribution)| {
            let title = format!(
                "Input {}: {}, mean \u{b1} {BAND} std",
                shown.input, run.label
            );
            let own = banded(&run.label, distribution, Colour::of(run.method));
            over_grid(comparison, title, vec![own, truth()])
        });
    let mut figures: Vec<Figure> = low.into_iter().chain(runs).collect();
    let truth_extent = over_grid(comparison, String::new(), vec![truth()]).extent();
    for figure in &mut figures {
        figure.covers.clone_from(&truth_extent);
    }
    figures
}

/// Single realizations of the truth and of each run that has them.
pub(super) fn samples(comparison: &Comparison, shown: &ShownInput) -> Vec<Figure> {
    let figure = |name: &str, distribution: &Distribution, colour| {
        let drawn = (0..distribution.kept().min(DRAWN)).filter_map(|i| distribution.realization(i));
        let curves: Vec<Curve> = drawn
            .map(|values| Curve::line(name, wide(&values), colour).thin().unnamed())
            .collect();
        let title = format!("Input {}: realizations of {name}", shown.input);
        (!curves.is_empty()).then(|| over_grid(comparison, title, curves))
    };
    let truth = figure("the truth", &shown.truth, Colour::Ink);
    let runs = comparison.runs.iter().zip(&shown.runs);
    let runs = runs.filter_map(|(run, own)| figure(&run.label, own, Colour::of(run.method)));
    let mut figures: Vec<Figure> = truth.into_iter().chain(runs).collect();
    let all: Vec<f64> = figures.iter().flat_map(Figure::extent).collect();
    figures
        .iter_mut()
        .for_each(|figure| figure.covers.clone_from(&all));
    figures
}

/// Which value of a pair: the solution, or what it has beyond the low-fidelity one.
pub(super) fn value([low, value]: [f32; 2], is_residual: bool) -> f64 {
    if is_residual {
        f64::from(value) - f64::from(low)
    } else {
        f64::from(value)
    }
}

/// Distributions over all inputs, points and realizations, of solutions or residuals.
pub(super) fn marginal(comparison: &Comparison, is_residual: bool) -> Figure {
    let of = |pairs: &[[f32; 2]]| -> Vec<f64> {
        pairs.iter().map(|pair| value(*pair, is_residual)).collect()
    };
    let truth = of(&comparison.truth_pairs);
    let range = range(truth.iter().copied());
    let edges = edges(range);
    let curve = |name: &str, values: Vec<f64>, colour| {
        Curve::steps(name, &edges, &density(values.into_iter(), range), colour)
    };
    let truth = curve("truth", truth, Colour::Ink).with_fill();
    let runs = comparison.runs.iter();
    let runs =
        runs.map(|run| curve(&run.label, of(&run.pairs), Colour::of(run.method)).broken(dash(run)));
    let quantity = &comparison.setting.quantity;
    let (title, x_label) = if is_residual {
        ("Residuals", format!("{quantity}, minus low fidelity"))
    } else {
        ("Solutions", quantity.clone())
    };
    Figure {
        title: title.into(),
        x_label,
        y_label: "density".into(),
        curves: std::iter::once(truth).chain(runs).collect(),
        covers: vec![0.0],
        ..Figure::default()
    }
}

fn calibrated(comparison: &Comparison) -> impl Iterator<Item = &RunResult> {
    comparison
        .runs
        .iter()
        .filter(|run| !run.coverage.is_empty())
}

/// Coverage over the level of central intervals.
pub(super) fn coverage(comparison: &Comparison) -> Figure {
    let curve = |run: &RunResult| {
        let levels = run.coverage.iter().map(|interval| interval.level);
        let found = run.coverage.iter().map(|interval| interval.coverage);
        line(run, found.collect()).at(levels.collect())
    };
    let ideal = Curve::line("calibrated", vec![0.0, 1.0], Colour::Ink).dashed();
    Figure {
        title: "Coverage of central intervals".into(),
        x_label: "nominal level".into(),
        y_label: "share of realizations inside".into(),
        x: vec![0.0, 1.0],
        curves: std::iter::once(ideal)
            .chain(calibrated(comparison).map(curve))
            .collect(),
        ..Figure::default()
    }
}

/// Rank histograms.
pub(super) fn ranks(comparison: &Comparison) -> Figure {
    let edges: Vec<f64> = (0..=RANKS).map(|i| i as f64 / RANKS as f64).collect();
    let curve = |run: &RunResult| {
        let heights: Vec<f64> = run.ranks.iter().map(|f| f * RANKS as f64).collect();
        Curve::steps(&run.label, &edges, &heights, Colour::of(run.method)).broken(dash(run))
    };
    let flat = Curve::line("calibrated", vec![1.0, 1.0], Colour::Ink).dashed();
    Figure {
        title: "Rank histogram".into(),
        x_label: "rank of realizations among the members".into(),
        y_label: "frequency, 1 = calibrated".into(),
        x: vec![0.0, 1.0],
        curves: std::iter::once(flat)
            .chain(calibrated(comparison).map(curve))
            .collect(),
        covers: vec![0.0],
        ..Figure::default()
    }
}

/// The error found over the error expected.
pub(super) fn spread_error(comparison: &Comparison) -> Figure {
    let curve = |run: &RunResult| {
        let [x, y] = [0, 1].map(|i| run.spread_error.iter().map(|pair| pair[i]).collect());
        // Neighbouring groups differ by chance: their points count, not the way between them.
        line(run, y).at(x).marked().thin()
    };
    let all = calibrated(comparison).flat_map(|run| run.spread_error.iter().flatten());
    let largest = all.copied().fold(0.0, f64::max);
    let ideal = Curve::line("calibrated", vec![0.0, largest], Colour::Ink).dashed();
    Figure {
        title: "Spread and skill".into(),
        x_label: "spread: the error that is expected".into(),
        y_label: "error that is found".into(),
        x: vec![0.0, largest],
        curves: std::iter::once(ideal)
            .chain(calibrated(comparison).map(curve))
            .collect(),
        ..Figure::default()
    }
}

/// Energy by wave number of single fields.
pub(super) fn spectra(comparison: &Comparison) -> Figure {
    let count = comparison.truth_spectrum.len();
    let positive = |energies: &[f64]| energies.iter().skip(1).copied().collect();
    let truth = Curve::line("truth", positive(&comparison.truth_spectrum), Colour::Ink).dashed();
    let low = comparison.low.as_ref();
    let low = low.map(|low| Curve::line("low fidelity", positive(&low.spectrum), Colour::Green));
    let runs = comparison
        .runs
        .iter()
        .map(|run| line(run, positive(&run.spectrum)));
    Figure {
        title: "Radially averaged spectra".into(),
        x_label: "wave number [cycles per domain]".into(),
        y_label: "energy".into(),
        x: (1..count).map(|k| k as f64).collect(),
        curves: low.into_iter().chain(runs).chain([truth]).collect(),
        log_x: true,
        log_y: true,
        ..Figure::default()
    }
}

/// Validation losses over epochs; regression and flow matching have losses of their own.
pub(super) fn training(comparison: &Comparison) -> Vec<Figure> {
    let kinds = [
        (false, "Training of regression"),
        (true, "Training of flow matching"),
    ];
    let figure = |(is_generative, title): (bool, &str)| {
        let runs = comparison.runs.iter();
        let logged = runs.filter(|run| run.method.is_generative() == is_generative);
        let curves: Vec<Curve> = logged
            .filter(|run| !run.epochs.is_empty())
            .flat_map(|run| {
                let x: Vec<f64> = run.epochs.iter().map(|e| e.epoch as f64).collect();
                let validation = run.epochs.iter().map(|e| e.validation_loss).collect();
                let training = run.epochs.iter().map(|e| e.train_loss).collect();
                [
                    line(run, training).at(x.clone()).thin().unnamed(),
                    line(run, validation).at(x),
                ]
            })
            .collect();
        (!curves.is_empty()).then(|| Figure {
            title: format!("{title}: validation loss, and thin the training loss"),
            x_label: "epoch".into(),
            y_label: "loss".into(),
            curves,
            log_y: true,
            ..Figure::default()
        })
    };
    kinds.into_iter().filter_map(figure).collect()
}

/// A score of a run, where it has one.
type Score = fn(&RunResult) -> Option<f64>;

/// The scores that are drawn over size and resolution.
const SCORES: [(&str, Score); 3] = [
    ("mean L2 error", |run| Some(run.prediction.mean.mean_l2)),
    ("relative variance error", |run| {
        run.prediction.spread.as_ref()?.variance_relative
    }),
    ("CRPS", |run| {
        let spread = run.prediction.spread.as_ref()?;
        spread.observed.as_ref().map(|observed| observed.crps)
    }),
];

/// Scores over what the runs were trained on: the number of inputs, or points of the grid.
pub(super) fn learning(comparison: &Comparison, over_grid: bool) -> Vec<Figure> {
    let place = |run: &RunResult| {
        if over_grid {
            run.training_grid.last().map(|n| *n as f64)
        } else {
            run.training_inputs.map(|n| n as f64)
        }
    };
    let other = |run: &RunResult| {
        if over_grid {
            run.training_inputs.map(|n| vec![n])
        } else {
            Some(run.training_grid.clone())
        }
    };
    let (title, x_label) = if over_grid {
        ("training grid", "points per axis in training")
    } else {
        ("training inputs", "training inputs")
    };
    let figure = |(name, score): (&str, Score)| {
        let mut curves: Vec<(Curve, Option<Vec<usize>>, floral::train::Method)> = Vec::new();
        for run in &comparison.runs {
            let (Some(x), Some(y)) = (place(run), score(run)) else {
                continue;
            };
            let same = |(_, o, m): &&mut (Curve, _, _)| *o == other(run) && *m == run.method;
            match curves.iter_mut().find(same) {
                Some((curve, ..)) if curve.x.last() == Some(&x) => {}
                Some((curve, ..)) => {
                    curve.x.push(x);
                    curve.values.push(y);
                }
                None => {
                    let curve = Curve::line(run.method.title(), vec![y], Colour::of(run.method));
                    curves.push((curve.at(vec![x]).marked(), other(run), run.method));
                }
            }
        }
        let curves: Vec<Curve> = curves
            .into_iter()
            .map(|(curve, ..)| curve)
            .filter(|curve| curve.x.len() > 1)
            .collect();
        (!curves.is_empty()).then(|| Figure {
            title: format!("{name} over {title}"),
            x_label: x_label.into(),
            y_label: name.into(),
            curves,
            log_x: true,
            log_y: true,
            ..Figure::default()
        })
    };
    SCORES.into_iter().filter_map(figure).collect()
}
