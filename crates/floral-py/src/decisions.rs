//! Sensitivity, unbiased means and the learning loop; results are JSON and the text of the command.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use floral::dataset;
use floral::learn::{self, LoopSettings};
use floral::predict::interest::Asked;
use floral::predict::{NewInputs, PredictionOpening, PredictionSession, Predictor};
use floral::sensitivity::{Laws, SensitivityRequest};
use floral::unbiased::{self, Fresh, UnbiasedRequest};
use floral::{Error, Result};
use pyo3::prelude::*;
use serde::Deserialize;

use crate::arrays::{Doubles, from_json, to_fields, to_json};
use crate::dataset::Dataset;
use crate::error::raised;
use crate::model::Model;
use crate::work::{short, watched};

/// Options of the functions below.
#[derive(Deserialize)]
#[serde(default)]
struct Wanted {
    quantities: Vec<String>,
    thresholds: Vec<String>,
    samples: usize,
    realizations: usize,
    seed: u64,
    cost_high: Option<f64>,
    cost_low: Option<f64>,
    budget: Option<f64>,
}

impl Default for Wanted {
    fn default() -> Self {
        Self {
            quantities: Vec::new(),
            thresholds: Vec::new(),
            samples: 1024,
            realizations: 8,
            seed: 0,
            cost_high: None,
            cost_low: None,
            budget: None,
        }
    }
}

impl Wanted {
    fn asked(&self) -> Asked {
        Asked {
            quantities: self.quantities.clone(),
            thresholds: self.thresholds.clone(),
        }
    }
}

/// Distributions and Sobol indices of quantities, over laws of parameters (TOML) or over the inputs
/// of a file. Returns JSON, text and notes.
#[pyfunction]
#[pyo3(signature = (model, laws, pool, wanted, watcher=None))]
pub fn sensitivity(
    py: Python<'_>,
    model: &Bound<'_, Model>,
    laws: Option<&str>,
    pool: Option<PathBuf>,
    wanted: &str,
    watcher: Option<Py<PyAny>>,
) -> PyResult<(String, String, Vec<String>)> {
    let wanted: Wanted = from_json("sensitivity", wanted)?;
    let predictor = &model.get().predictor;
    let request = SensitivityRequest {
        asked: wanted.asked(),
        samples: wanted.samples,
        realizations: wanted.realizations,
        seed: wanted.seed,
        ..SensitivityRequest::default()
    };
    let found = watched(py, watcher.as_ref(), |observer| match (laws, &pool) {
        (Some(laws), _) => {
            let laws =
                Laws::parse(laws).map_err(|error| Error::config(error.context, error.reason))?;
            floral::sensitivity::sensitivity(predictor, &laws, None, &request, observer)
        }
        (None, Some(pool)) => {
            let session = opened(predictor, pool)?;
            let (cases, inputs) = (session.cases(), session.inputs());
            floral::sensitivity::propagate(predictor, cases, inputs, &request, observer)
        }
        (None, None) => Err(Error::config("inputs", "give laws or a pool")),
    })?;
    let notes = found.notes.clone();
    Ok((
        to_json(&found)?,
        floral_cli::sensitivity_text(&found),
        notes,
    ))
}

/// Unbiased means of quantities from fresh runs and a pool of inputs. Returns JSON and text.
#[pyfunction]
#[pyo3(signature = (model, fresh, pool, wanted, watcher=None))]
pub fn unbiased_mean(
    py: Python<'_>,
    model: &Bound<'_, Model>,
    fresh: PathBuf,
    pool: PathBuf,
    wanted: &str,
    watcher: Option<Py<PyAny>>,
) -> PyResult<(String, String)> {
    let wanted: Wanted = from_json("unbiased_mean", wanted)?;
    let predictor = &model.get().predictor;
    let request = UnbiasedRequest {
        asked: wanted.asked(),
        realizations: wanted.realizations,
        seed: wanted.seed,
        cost_high: wanted.cost_high,
        cost_low: wanted.cost_low,
        budget: wanted.budget,
    };
    let found = watched(py, watcher.as_ref(), |observer| {
        let dataset = dataset::Dataset::open(&fresh)?;
        let (fresh, pool) = (opened(predictor, &fresh)?, opened(predictor, &pool)?);
        let fresh = Fresh {
            dataset: &dataset,
            cases: fresh.cases(),
            inputs: fresh.inputs(),
        };
        unbiased::unbiased_mean(predictor, &fresh, pool.cases(), &request, observer)
    })?;
    Ok((to_json(&found)?, floral_cli::unbiased_text(&found)))
}

/// A loop that chooses the inputs of a pool to solve next.
#[pyclass(frozen, module = "floral._floral")]
pub struct Loop {
    inner: Mutex<learn::Loop>,
    axes: usize,
}

#[pymethods]
impl Loop {
    /// Begins a loop in a folder, or continues the loop in it; `settings` are those of a fit.
    #[new]
    fn new(
        py: Python<'_>,
        pool: &Bound<'_, Dataset>,
        folder: PathBuf,
        quantity: String,
        start: usize,
        settings: &str,
        seed: u64,
    ) -> PyResult<Self> {
        let fit = crate::model::to_settings(settings).map_err(|error| raised(py, error))?;
        let settings = LoopSettings {
            quantity,
            start,
            fit,
            seed,
            ..LoopSettings::default()
        };
        let pool = &pool.get().0;
        let opened = short(py, || {
            let opened = learn::Loop::open(pool, &folder, settings)?;
            opened.check_quantity()?;
            Ok(opened)
        })?;
        Ok(Self {
            inner: Mutex::new(opened),
            axes: pool.grid().shape().len(),
        })
    }

    /// The inputs to solve next, and the present estimate of the quantity, as JSON.
    #[pyo3(signature = (count, watcher=None))]
    fn ask(&self, py: Python<'_>, count: usize, watcher: Option<Py<PyAny>>) -> PyResult<String> {
        let asking = watched(py, watcher.as_ref(), |observer| {
            self.held(|looped| looped.ask(count, observer))
        })?;
        to_json(&asking)
    }

    /// Adds the realizations of an input: [realization, channel, grid...].
    fn tell(&self, py: Python<'_>, input: usize, high: Doubles<'_>) -> PyResult<()> {
        let fields = to_fields(py, &high, self.axes)?;
        short(py, || self.held(|looped| looped.tell(input, &fields)))
    }

    /// Excludes an input from the loop.
    fn skip(&self, py: Python<'_>, input: usize, reason: &str) -> PyResult<()> {
        short(py, || self.held(|looped| looped.skip(input, reason)))
    }

    /// The folder of the last fit.
    fn run(&self, py: Python<'_>) -> PyResult<Option<PathBuf>> {
        short(py, || {
            self.held(|looped| Ok(looped.run().map(PathBuf::from)))
        })
    }
}

impl Loop {
    fn held<T>(&self, work: impl FnOnce(&mut learn::Loop) -> Result<T>) -> Result<T> {
        work(&mut self.inner.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Opens all inputs of a file for prediction.
fn opened<'a>(predictor: &'a Predictor, path: &Path) -> Result<PredictionSession<'a>> {
    let opening = PredictionOpening::default();
    PredictionSession::open(predictor, NewInputs::File(path), opening)
}
