//! Figures of curves: an input in one dimension, distributions, calibration, spectra.

use super::band::Band;
use super::comparison::{ChannelResult, RunResult, ShownInput};
use super::distribution::Distribution;
use super::histogram::{Bins, range};
use super::view::View;
use crate::draw::{Colour, Curve, Dash, Figure};
use floral::metric::calibration::rank_histogram::BINS as RANKS;

/// Maximum number of realizations in one figure.
const DRAWN: usize = 6;

/// A line with the colour and dashes of a run.
pub(super) fn line(run: &RunResult, values: Vec<f64>) -> Curve {
    Curve::line(&run.label, values, Colour::of(run.method)).with_dash(dash(run))
}

/// The dash pattern of a run, which distinguishes runs of one method.
pub(super) fn dash(run: &RunResult) -> Dash {
    Dash::ALL[run.variant % Dash::ALL.len()]
}

/// Mean and band. The band of a quantity that is never negative is cut at zero.
fn banded(view: View, name: &str, distribution: &Distribution, colour: Colour) -> Curve {
    Curve::line(name, view.of(&distribution.mean), colour)
        .between(view.band(distribution))
        .above(view.floor())
}

fn over_grid(view: View, title: String, curves: Vec<Curve>) -> Figure {
    let setting = &view.comparison.setting;
    let end = match (view.floor(), setting.band) {
        (Some(floor), Band::Deviations(_)) => format!(", not below {floor}"),
        _ => String::new(),
    };
    Figure {
        title,
        x_label: setting.axes[0].clone(),
        y_label: view.quantity().clone(),
        x: setting.grid.axes[0].coordinates.clone(),
        curves,
        bands: Some(format!("{}{end}", setting.band)),
        ..Figure::default()
    }
}

/// Mean and band of the truth with the low-fidelity solution, and of each run with the truth, on a
/// common scale. Without a truth, each run is drawn with the low-fidelity solution.
pub(super) fn bands(view: View, shown: &ShownInput) -> Vec<Figure> {
    let band = view.comparison.setting.band.title();
    let truth = || {
        let truth = shown.truth.as_ref();
        truth.map(|truth| banded(view, "truth", truth, Colour::Ink).dashed())
    };
    let low = || {
        let low = shown.low.as_ref();
        low.map(|low| Curve::line("low fidelity", view.of(low), Colour::Green))
    };
    let beside = truth().zip(low()).map(|(truth, low)| {
        let title = view.titled_input(shown, &format!("truth, {band}"));
        over_grid(view, title, vec![truth, low])
    });
    let runs = view
        .runs()
        .zip(&shown.runs)
        .map(|((run, _), distribution)| {
            let title = view.titled_input(shown, &format!("{}, {band}", run.label));
            let own = banded(view, &run.label, distribution, Colour::of(run.method));
            let other = truth().or_else(low);
            over_grid(view, title, std::iter::once(own).chain(other).collect())
        });
    let mut figures: Vec<Figure> = beside.into_iter().chain(runs).collect();
    let extent = match truth() {
        Some(truth) => over_grid(view, String::new(), vec![truth]).extent(),
        None => figures.iter().flat_map(Figure::extent).collect(),
    };
    for figure in &mut figures {
        figure.covers.clone_from(&extent);
    }
    figures
}

/// Single realizations of the truth, and of each run that stores some.
pub(super) fn samples(view: View, shown: &ShownInput) -> Vec<Figure> {
    let figure = |name: &str, distribution: &Distribution, colour| {
        let drawn = (0..distribution.kept().min(DRAWN)).filter_map(|i| distribution.realization(i));
        let curves: Vec<Curve> = drawn
            .map(|values| Curve::line(name, view.of(&values), colour).thin().unnamed())
            .collect();
        let title = view.titled_input(shown, &format!("realizations of {name}"));
        (!curves.is_empty()).then(|| over_grid(view, title, curves))
    };
    let truth = shown.truth.as_ref();
    let truth = truth.and_then(|truth| figure("the truth", truth, Colour::Ink));
    let runs = view.runs().zip(&shown.runs);
    let runs = runs.filter_map(|((run, _), own)| figure(&run.label, own, Colour::of(run.method)));
    let mut figures: Vec<Figure> = truth.into_iter().chain(runs).collect();
    let all: Vec<f64> = figures.iter().flat_map(Figure::extent).collect();
    figures
        .iter_mut()
        .for_each(|figure| figure.covers.clone_from(&all));
    figures
}

/// The solution or the residual of a pair.
pub(super) fn value([low, value]: [f32; 2], is_residual: bool) -> f64 {
    if is_residual {
        f64::from(value) - f64::from(low)
    } else {
        f64::from(value)
    }
}

fn values(pairs: &[[f32; 2]], is_residual: bool) -> impl Iterator<Item = f64> + '_ {
    pairs.iter().map(move |pair| value(*pair, is_residual))
}

/// Bins over the range of the truth. If the truth is never negative, no bin reaches below zero; if
/// predictions do, no bin contains values of both signs.
fn bins(view: View, is_residual: bool) -> Bins {
    let range_of = |pairs| range(values(pairs, is_residual));
    let [low, high] = range_of(&view.truth().pairs);
    let below = view.runs().map(|(_, own)| range_of(&own.pairs)[0]);
    let below = below.fold(0.0, f64::min);
    if is_residual || view.floor().is_none() || below == 0.0 {
        Bins::over([low, high])
    } else {
        Bins::around_zero([below.max(-high), high])
    }
}

/// Distributions of solutions or residuals over all inputs, points and realizations.
pub(super) fn marginal(view: View, is_residual: bool) -> Figure {
    let bins = bins(view, is_residual);
    let edges = bins.edges();
    let curve = |name: &str, pairs: &[[f32; 2]], colour| {
        let heights = bins.density(values(pairs, is_residual));
        Curve::steps(name, &edges, &heights, colour)
    };
    let truth = curve("truth", &view.truth().pairs, Colour::Ink).with_fill();
    let runs = view.runs().map(|(run, own)| {
        curve(&run.label, &own.pairs, Colour::of(run.method)).with_dash(dash(run))
    });
    let quantity = view.quantity();
    let (title, x_label) = if is_residual {
        let name = format!("residual of {}", quantity.name);
        ("Residuals", quantity.named(name))
    } else {
        ("Solutions", quantity.clone())
    };
    Figure {
        title: view.titled(title),
        x_label,
        y_label: quantity.named("density").inverse(),
        curves: std::iter::once(truth).chain(runs).collect(),
        covers: vec![0.0],
        ..Figure::default()
    }
}

/// A dashed line for perfect calibration, and a curve for every run with a spread.
fn beside_calibrated<'a>(
    view: View<'a>,
    ideal: Vec<f64>,
    curve: impl Fn(&'a RunResult, &'a ChannelResult) -> Curve,
) -> Vec<Curve> {
    let ideal = Curve::line("calibrated", ideal, Colour::Ink).dashed();
    let runs = view.calibrated().map(|(run, own)| curve(run, own));
    std::iter::once(ideal).chain(runs).collect()
}

/// Coverage as a function of the nominal level of central intervals.
pub(super) fn coverage(view: View) -> Figure {
    let curves = beside_calibrated(view, vec![0.0, 1.0], |run, own| {
        let levels = own.coverage.iter().map(|interval| interval.level);
        let found = own.coverage.iter().map(|interval| interval.coverage);
        line(run, found.collect()).at(levels.collect())
    });
    Figure {
        title: view.titled("Coverage of central intervals"),
        x_label: "nominal level".into(),
        y_label: "coverage: share of realizations inside".into(),
        x: vec![0.0, 1.0],
        curves,
        ..Figure::default()
    }
}

/// Rank histograms.
pub(super) fn ranks(view: View) -> Figure {
    let edges: Vec<f64> = (0..=RANKS).map(|i| i as f64 / RANKS as f64).collect();
    let curves = beside_calibrated(view, vec![1.0, 1.0], |run, own| {
        let heights: Vec<f64> = own.ranks.iter().map(|f| f * RANKS as f64).collect();
        Curve::steps(&run.label, &edges, &heights, Colour::of(run.method)).with_dash(dash(run))
    });
    Figure {
        title: view.titled("Rank histogram"),
        x_label: "rank of the observation in the ensemble, relative".into(),
        y_label: "relative frequency, 1 = calibrated".into(),
        x: vec![0.0, 1.0],
        curves,
        covers: vec![0.0],
        ..Figure::default()
    }
}

/// The observed error as a function of the expected error.
pub(super) fn spread_error(view: View) -> Figure {
    let all = view
        .calibrated()
        .flat_map(|(_, own)| own.spread_error.iter().flatten());
    let largest = all.copied().fold(0.0, f64::max);
    let curves = beside_calibrated(view, vec![0.0, largest], |run, own| {
        let [x, y] = [0, 1].map(|i| own.spread_error.iter().map(|pair| pair[i]).collect());
        // Neighbouring groups differ by chance: the points are informative, not the line between
        // them.
        line(run, y).at(x).marked().thin()
    });
    Figure {
        title: view.titled("Spread and skill"),
        x_label: view.quantity().named("expected error (spread)"),
        y_label: view.quantity().named("observed error"),
        x: vec![0.0, largest],
        curves,
        ..Figure::default()
    }
}

/// Energy of single realizations by wave number; `None` on a grid of a single point.
pub(super) fn spectra(view: View) -> Option<Figure> {
    let truth = view.truth();
    let count = truth.spectrum.len();
    let positive = |energies: &[f64]| energies.iter().skip(1).copied().collect();
    let low = truth.low.as_ref();
    let low = low.map(|low| Curve::line("low fidelity", positive(&low.spectrum), Colour::Green));
    let runs = view
        .runs()
        .map(|(run, own)| line(run, positive(&own.spectrum)));
    let truth = Curve::line("truth", positive(&truth.spectrum), Colour::Ink).dashed();
    (count > 1).then(|| Figure {
        title: view.titled("Radially averaged energy spectra"),
        x_label: "wave number [cycles per domain]".into(),
        y_label: view.quantity().named("energy").squared(),
        x: (1..count).map(|k| k as f64).collect(),
        curves: low.into_iter().chain(runs).chain([truth]).collect(),
        log_x: true,
        log_y: true,
        ..Figure::default()
    })
}
