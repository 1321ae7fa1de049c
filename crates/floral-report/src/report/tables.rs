//! The tables of a report: scores and costs.

use floral::counted;
use floral::evaluate::MeanErrors;
use floral::train::Method;

use super::comparison::{ChannelResult, Comparison, RunResult};
use super::view::View;
use crate::draw::{Best, Column, Label, Row, Table, typeset};

/// One table per channel of the solution: runs by metrics.
pub fn scores(comparison: &Comparison) -> Vec<Table> {
    View::all(comparison).map(channel_scores).collect()
}

/// Runs by metrics for one channel.
pub(super) fn channel_scores(view: View) -> Table {
    let low = view.truth().low.as_ref();
    let low = low.map(|low| baseline("low fidelity".into(), &low.errors));
    let quantity = view.quantity();
    let meaning = |words: &str, label: &Label| match printed_units(label) {
        Some(units) => format!("{words}, {units}"),
        None => words.to_owned(),
    };
    let in_units = |words: &str| meaning(words, quantity);
    Table {
        columns: vec![
            Column::new(
                "mean L2",
                &in_units("error of the mean field"),
                Best::Lowest,
            ),
            Column::new("RMSE", &in_units("over all points"), Best::Lowest),
            Column::new("nRMSE", "relative RMSE", Best::Lowest),
            Column::new(
                "variance",
                &meaning("error of the variance field", &quantity.squared()),
                Best::Lowest,
            ),
            Column::new("rel. variance", "relative, 1 = no skill", Best::Lowest),
            Column::new("CRPS", &in_units("per point"), Best::Lowest),
            Column::new("energy score", &in_units("of whole fields"), Best::Lowest),
            Column::new(
                "90 % band",
                "coverage, 0.9 = calibrated",
                Best::Nearest(0.9),
            ),
            Column::new("spread/error", "1 = calibrated", Best::Nearest(1.0)),
        ],
        rows: low
            .into_iter()
            .chain(baselines(view))
            .chain(view.runs().map(|(run, own)| score_row(run, own)))
            .collect(),
    }
}

/// The units of a quantity in print; `None` for a pure number.
fn printed_units(label: &Label) -> Option<String> {
    let units = label.units.as_deref().filter(|units| *units != "1");
    // A unit must not be broken over two lines.
    units.map(|units| typeset(units).replace(' ', "\u{a0}"))
}

/// Channels by scores without units: relative errors of the mean, and coverage.
pub(super) fn overview(comparison: &Comparison) -> Table {
    let runs = comparison.runs.iter();
    let has_low = comparison.channels.iter().any(|truth| truth.low.is_some());
    let nrmse = |name: &str| Column::new(name, "nRMSE of the mean", Best::Unranked);
    let coverage =
        |run: &RunResult| Column::new(&run.label, "coverage of the 90 % band", Best::Unranked);
    let has_band = |run: &&RunResult| run.channels.iter().any(|own| band(own).is_some());
    let row = |view: View| {
        let low = view.truth().low.as_ref().map(|low| low.errors.nrmse);
        let nrmse = |own: &ChannelResult| Some(own.prediction.as_ref()?.mean.nrmse);
        let own = view.runs().map(|(_, own)| nrmse(own));
        let bands = view.runs().filter(|(run, _)| has_band(run));
        Row {
            name: view.quantity().name.clone(),
            values: has_low
                .then_some(low)
                .into_iter()
                .chain(own)
                .chain(bands.map(|(_, own)| band(own)))
                .collect(),
            competes: false,
        }
    };
    Table {
        columns: has_low
            .then(|| nrmse("low fidelity"))
            .into_iter()
            .chain(runs.clone().map(|run| nrmse(&run.label)))
            .chain(runs.filter(has_band).map(coverage))
            .collect(),
        rows: View::all(comparison).map(row).collect(),
    }
}

/// The row of a baseline, which only predicts the mean.
fn baseline(name: String, errors: &MeanErrors) -> Row {
    Row {
        name,
        values: vec![Some(errors.mean_l2), Some(errors.rmse), Some(errors.nrmse)],
        competes: false,
    }
}

/// Mean residual and kriging, once per number of training inputs. Kriging is left out if a run of
/// it is in the table.
fn baselines(view: View) -> Vec<Row> {
    let has_kriging = |inputs: usize| {
        let mut runs = view.runs();
        runs.any(|(run, _)| run.method == Method::Kriging && run.training_inputs == Some(inputs))
    };
    let mut known = Vec::new();
    let mut rows = Vec::new();
    for (run, own) in view.runs() {
        let Some(inputs) = run.training_inputs.filter(|inputs| !known.contains(inputs)) else {
            continue;
        };
        known.push(inputs);
        let row = |name: &str, errors: &MeanErrors| {
            baseline(format!("{name} {}", counted(inputs, "input")), errors)
        };
        rows.extend(
            own.mean_residual
                .as_ref()
                .map(|e| row("mean residual of", e)),
        );
        let kriging = own.kriging.as_ref().filter(|_| !has_kriging(inputs));
        rows.extend(kriging.map(|e| row("kriging from", e)));
    }
    rows
}

/// The coverage of the 90 % interval.
fn band(own: &ChannelResult) -> Option<f64> {
    let mut intervals = own.coverage.iter();
    let band = intervals.find(|interval| (interval.level - 0.9).abs() < 1e-9);
    band.map(|interval| interval.coverage)
}

fn score_row(run: &RunResult, own: &ChannelResult) -> Row {
    let mean = own.prediction.as_ref().map(|prediction| &prediction.mean);
    let spread = own.prediction.as_ref();
    let spread = spread.and_then(|prediction| prediction.spread.as_ref());
    let observed = spread.and_then(|spread| spread.observed.as_ref());
    Row {
        name: run.label.clone(),
        values: vec![
            mean.map(|mean| mean.mean_l2),
            mean.map(|mean| mean.rmse),
            mean.map(|mean| mean.nrmse),
            spread.and_then(|spread| spread.variance_l2),
            spread.and_then(|spread| spread.variance_relative),
            observed.map(|observed| observed.crps),
            observed.map(|observed| observed.energy_score),
            band(own),
            observed.map(|observed| observed.spread_skill),
        ],
        competes: true,
    }
}

/// The cost of training and prediction.
pub(super) fn speed(comparison: &Comparison) -> Table {
    let row = |run: &RunResult| {
        let epochs = run.epochs.len();
        let per_epoch = (epochs > 0).then(|| run.training_seconds / epochs as f64);
        let cost = run.channels.first();
        let cost = cost.and_then(|own| own.prediction.as_ref());
        Row {
            name: run.label.clone(),
            values: vec![
                run.training_inputs.map(|n| n as f64),
                (epochs > 0).then_some(epochs as f64),
                run.epoch.map(|epoch| epoch as f64),
                Some(run.training_seconds),
                per_epoch,
                cost.map(|prediction| prediction.evaluations)
                    .filter(|_| run.epoch.is_some()),
                cost.map(|prediction| 1e3 * prediction.seconds),
            ],
            competes: true,
        }
    };
    Table {
        columns: vec![
            Column::new("inputs", "trained on", Best::Count),
            Column::new("epochs", "trained", Best::Count),
            Column::new("best epoch", "by validation loss", Best::Count),
            Column::new("training", "s", Best::Unranked),
            Column::new("per epoch", "s", Best::Unranked),
            Column::new(
                "evaluations",
                "of the network per realization",
                Best::Unranked,
            ),
            Column::new(
                "prediction",
                "ms per realization, all threads",
                Best::Unranked,
            ),
        ],
        rows: comparison.runs.iter().map(row).collect(),
    }
}
