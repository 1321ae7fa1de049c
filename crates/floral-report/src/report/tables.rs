//! The tables of a report: scores, and what they cost.

use floral::evaluate::MeanErrors;
use floral::train::Method;

use super::comparison::{Comparison, RunResult};
use crate::draw::{Best, Column, Row, Table};

fn column(name: &str, meaning: &str, best: Best) -> Column {
    Column {
        name: name.into(),
        meaning: meaning.into(),
        best,
    }
}

/// Runs by metrics.
pub fn scores(comparison: &Comparison) -> Table {
    let low = comparison.low.as_ref();
    let low = low.map(|low| baseline("low fidelity".into(), &low.errors));
    Table {
        columns: vec![
            column("mean L2", "error of the mean field", Best::Lowest),
            column("RMSE", "pooled", Best::Lowest),
            column("nRMSE", "pooled, relative", Best::Lowest),
            column("variance", "error of the variance field", Best::Lowest),
            column("rel. variance", "the same, 1 = no skill", Best::Lowest),
            column("CRPS", "of the distribution", Best::Lowest),
            column("energy score", "of whole fields", Best::Lowest),
            column(
                "90 % band",
                "share of true values inside",
                Best::Nearest(0.9),
            ),
            column("spread/error", "1 = calibrated", Best::Nearest(1.0)),
        ],
        rows: low
            .into_iter()
            .chain(baselines(comparison))
            .chain(comparison.runs.iter().map(score_row))
            .collect(),
    }
}

/// A prediction of the mean that nothing was learned for.
fn baseline(name: String, errors: &MeanErrors) -> Row {
    Row {
        name,
        values: vec![Some(errors.mean_l2), Some(errors.rmse), Some(errors.nrmse)],
        competes: false,
    }
}

/// Mean residual and kriging, once for every number of training inputs; not kriging where a run of
/// it stands in the table.
fn baselines(comparison: &Comparison) -> Vec<Row> {
    let has_kriging = |inputs: usize| {
        let mut runs = comparison.runs.iter();
        runs.any(|run| run.method == Method::Kriging && run.training_inputs == Some(inputs))
    };
    let mut known = Vec::new();
    let mut rows = Vec::new();
    for run in &comparison.runs {
        let Some(inputs) = run.training_inputs.filter(|inputs| !known.contains(inputs)) else {
            continue;
        };
        known.push(inputs);
        let row =
            |name: &str, errors: &MeanErrors| baseline(format!("{name} {inputs} inputs"), errors);
        rows.extend(
            run.mean_residual
                .as_ref()
                .map(|e| row("mean residual of", e)),
        );
        let kriging = run.kriging.as_ref().filter(|_| !has_kriging(inputs));
        rows.extend(kriging.map(|e| row("kriging from", e)));
    }
    rows
}

fn score_row(run: &RunResult) -> Row {
    let mean = &run.prediction.mean;
    let spread = run.prediction.spread.as_ref();
    let observed = spread.and_then(|spread| spread.observed.as_ref());
    let band = run
        .coverage
        .iter()
        .find(|interval| (interval.level - 0.9).abs() < 1e-9);
    Row {
        name: run.label.clone(),
        values: vec![
            Some(mean.mean_l2),
            Some(mean.rmse),
            Some(mean.nrmse),
            spread.and_then(|spread| spread.variance_l2),
            spread.and_then(|spread| spread.variance_relative),
            observed.map(|observed| observed.crps),
            observed.map(|observed| observed.energy_score),
            band.map(|interval| interval.coverage),
            observed.map(|observed| observed.spread_skill),
        ],
        competes: true,
    }
}

/// What training and prediction have cost.
pub(super) fn speed(comparison: &Comparison) -> Table {
    let row = |run: &RunResult| {
        let epochs = run.epochs.len();
        let per_epoch = (epochs > 0).then(|| run.training_seconds / epochs as f64);
        Row {
            name: run.label.clone(),
            values: vec![
                run.training_inputs.map(|n| n as f64),
                (epochs > 0).then_some(epochs as f64),
                Some(run.epoch as f64),
                Some(run.training_seconds),
                per_epoch,
                Some(run.prediction.evaluations),
                Some(1e3 * run.prediction.seconds),
            ],
            competes: true,
        }
    };
    Table {
        columns: vec![
            column("inputs", "trained on", Best::Count),
            column("epochs", "trained", Best::Count),
            column("best epoch", "by validation loss", Best::Count),
            column("training", "s", Best::Unranked),
            column("per epoch", "s", Best::Unranked),
            column(
                "evaluations",
                "of the network per realization",
                Best::Unranked,
            ),
            column(
                "prediction",
                "ms per realization, all threads",
                Best::Unranked,
            ),
        ],
        rows: comparison.runs.iter().map(row).collect(),
    }
}
