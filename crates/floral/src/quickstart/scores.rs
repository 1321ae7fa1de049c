//! The table of a quickstart: methods by metrics.

use super::Contestant;
use super::figures::title;
use crate::evaluate::Prediction;
use crate::report::{Best, Column, Row, Table};

/// Methods by metrics.
pub(super) fn table(results: &[Contestant]) -> Table {
    let column = |name: &str, meaning: &str, best| Column {
        name: name.into(),
        meaning: meaning.into(),
        best,
    };
    let low = results.iter().find_map(|r| r.evaluation.low.as_ref());
    let low = low.map(|low| Row {
        name: "cheap solver".into(),
        values: vec![Some(low.mean_l2), Some(low.nrmse)],
        competes: false,
    });
    Table {
        columns: vec![
            column("mean L2", "error of the mean", Best::Lowest),
            column("nRMSE", "the same, relative", Best::Lowest),
            column("variance", "relative error, 1 = no skill", Best::Lowest),
            column("CRPS", "of the distribution", Best::Lowest),
            column(
                "95 % band",
                "share of true runs inside",
                Best::Nearest(0.95),
            ),
            column("training", "seconds", Best::Unranked),
        ],
        rows: low.into_iter().chain(results.iter().map(row)).collect(),
    }
}

fn row(result: &Contestant) -> Row {
    let prediction = &result.evaluation.prediction;
    let Prediction { mean, spread, .. } = prediction;
    let observed = spread.as_ref().and_then(|s| s.observed.as_ref());
    let band = observed.and_then(|o| o.coverage.iter().find(|i| (i.level - 0.95).abs() < 1e-9));
    Row {
        name: title(result.method).0.into(),
        values: vec![
            Some(mean.mean_l2),
            Some(mean.nrmse),
            spread.as_ref().and_then(|s| s.variance_relative),
            observed.map(|o| o.crps),
            band.map(|interval| interval.coverage),
            Some(result.training_seconds),
        ],
        competes: true,
    }
}
