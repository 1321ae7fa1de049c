//! The library's metrics on arrays: members and observations [field, value], means and variances
//! [input, value].

use floral::Result;
use floral::evaluate::MeanErrors;
use floral::metric::{
    self, Coverage, EnsembleScores, Fields, MeanFieldError, PAIR_LAGS, SortedMembers, VarianceError,
};
use numpy::{PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use serde_json::json;

use crate::arrays::to_json;
use crate::work::short;

type Singles<'py> = PyReadonlyArray2<'py, f32>;
type Doubles<'py> = PyReadonlyArray2<'py, f64>;

/// Members and observations on the same points.
fn compared<T: Send>(
    py: Python<'_>,
    members: &Singles<'_>,
    observations: &Singles<'_>,
    score: impl FnOnce(Fields, Fields) -> Result<T> + Send,
) -> PyResult<T> {
    let points = [members, observations].map(|fields| fields.shape()[1]);
    let (members, observations) = (members.as_slice()?, observations.as_slice()?);
    short(py, || {
        let members = Fields::new(members, points[0])?;
        score(members, Fields::new(observations, points[1])?)
    })
}

/// CRPS, ranks and spread, as JSON.
#[pyfunction]
pub fn ensemble_scores(
    py: Python<'_>,
    members: Singles<'_>,
    observations: Singles<'_>,
) -> PyResult<String> {
    let scores = compared(py, &members, &observations, |members, observations| {
        let mut scores = EnsembleScores::default();
        scores.push(members, observations)?;
        Ok(scores)
    })?;
    to_json(&json!({
        "crps": scores.crps.fair(),
        "standard_crps": scores.crps.standard(),
        "rank_histogram": scores.ranks.frequencies(),
        "reliability_index": scores.ranks.reliability_index(),
        "spread": scores.spread.spread(),
        "error": scores.spread.error(),
        "spread_skill": scores.spread.ratio(),
    }))
}

/// Coverage and mean width of the central intervals of these levels, as JSON.
#[pyfunction]
pub fn coverage(
    py: Python<'_>,
    members: Singles<'_>,
    observations: Singles<'_>,
    levels: Vec<f64>,
) -> PyResult<String> {
    let coverage = compared(py, &members, &observations, |members, observations| {
        // Compares their grids.
        EnsembleScores::default().push(members, observations)?;
        let mut coverage = Coverage::new(&levels);
        for point in 0..members.points() {
            let at =
                |fields: Fields| -> Vec<f32> { fields.iter().map(|field| field[point]).collect() };
            let mut column = at(members);
            coverage.push(&SortedMembers::new(&mut column), &at(observations));
        }
        Ok(coverage)
    })?;
    to_json(&coverage.curve())
}

/// The fair energy score.
#[pyfunction]
pub fn energy_score(
    py: Python<'_>,
    members: Singles<'_>,
    observations: Singles<'_>,
) -> PyResult<f64> {
    compared(py, &members, &observations, |members, observations| {
        metric::energy_score(members, observations, PAIR_LAGS)
    })
}

/// Errors of predicted fields against true fields of the same shape, as JSON.
#[pyfunction]
pub fn mean_errors(predicted: Doubles<'_>, truth: Doubles<'_>) -> PyResult<String> {
    let mut errors = MeanFieldError::default();
    for (predicted, truth) in rows(&predicted)?.zip(rows(&truth)?) {
        errors.push(predicted, truth);
    }
    to_json(&MeanErrors::from(&errors))
}

/// Errors of predicted variance fields against true fields of the same shape: the norm of the
/// error, absolute and relative to the norm of the truth.
#[pyfunction]
pub fn variance_errors(predicted: Doubles<'_>, truth: Doubles<'_>) -> PyResult<(f64, f64)> {
    let mut errors = VarianceError::default();
    for (predicted, truth) in rows(&predicted)?.zip(rows(&truth)?) {
        errors.push(predicted, truth);
    }
    Ok((errors.mean_l2(), errors.relative()))
}

fn rows<'a>(fields: &'a Doubles<'_>) -> PyResult<impl Iterator<Item = &'a [f64]>> {
    Ok(fields.as_slice()?.chunks_exact(fields.shape()[1].max(1)))
}
