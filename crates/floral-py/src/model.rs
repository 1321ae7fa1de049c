//! A model: what a run has learned, in memory, with the bytes of its file.

use std::path::{Path, PathBuf};

use floral::cost::check_training;
use floral::dataset::{InputSource, write_atomically};
use floral::device::Device;
use floral::evaluate::{self, Evaluation};
use floral::predict::{self, Case, Cases, Predictor, Sampling};
use floral::problem::{Problem, Resolution};
use floral::sample::{Adaptive, OdeSolver};
use floral::train::{RunFolder, TrainConfig};
use floral::{Error, Field, Grid, Result, fit};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::Deserialize;

use crate::arrays::{Doubles, to_field, to_grid, to_json};
use crate::dataset::Dataset;
use crate::ensemble::Ensemble;
use crate::error::raised;
use crate::work::{short, watched};

/// What a run has learned.
#[pyclass(frozen, module = "floral._floral")]
pub struct Model {
    predictor: Predictor,
    bytes: Vec<u8>,
}

#[pymethods]
impl Model {
    /// Trains a run in a folder, with settings in JSON, and loads what it has learned.
    #[staticmethod]
    #[pyo3(signature = (dataset, folder, settings, told=None))]
    fn fit(
        py: Python<'_>,
        dataset: &Bound<'_, Dataset>,
        folder: PathBuf,
        settings: &str,
        told: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let settings = to_settings(settings).map_err(|error| raised(py, error))?;
        let dataset = &dataset.get().0;
        watched(py, told.as_ref(), |observer| {
            check_training(&settings, dataset)?;
            let predictor = fit(dataset, &folder, &settings, observer)?;
            let bytes = RunFolder::open(&folder)?.best_bytes()?;
            Ok(Self { predictor, bytes })
        })
    }

    /// That of a model file or a run folder.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        short(py, || {
            let run = RunFolder::open(&path)?;
            let predictor = Predictor::load(&run, &Device::flex())?;
            let bytes = run.best_bytes()?;
            Ok(Self { predictor, bytes })
        })
    }

    /// Writes the model file, whole or not at all.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        short(py, || write_atomically(&path, &self.bytes))
    }

    /// The bytes of its file.
    #[getter]
    fn bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.bytes)
    }

    /// All that its file tells besides arrays, as JSON: settings, shapes, grid, where its data come from.
    #[getter]
    fn header(&self) -> PyResult<String> {
        to_json(self.predictor.header())
    }

    /// Whether it looks at a low-fidelity solution.
    #[getter]
    fn uses_low(&self) -> bool {
        self.predictor.header().uses_low()
    }

    /// Realizations of the solution of an input [channel, grid...] on the grid of `axes`, or of
    /// training, interpolated to a resolution if one is given.
    #[pyo3(signature = (input, low, axes, resolution, index, sampling, told=None))]
    fn sample(
        &self,
        py: Python<'_>,
        input: Doubles<'_>,
        low: Option<Doubles<'_>>,
        axes: Option<&str>,
        resolution: Option<Vec<usize>>,
        index: u64,
        sampling: &str,
        told: Option<Py<PyAny>>,
    ) -> PyResult<Ensemble> {
        let sampling = to_sampling(sampling).map_err(|error| raised(py, error))?;
        let given = Given {
            input: to_field(py, &input)?,
            low: low.as_ref().map(|low| to_field(py, low)).transpose()?,
            grid: match axes {
                Some(axes) => to_grid(axes)?,
                None => self.predictor.grid().clone(),
            },
        };
        let resolution = resolution.map(Resolution::PerAxis);
        watched(py, told.as_ref(), |observer| {
            let cases = Cases::from_source(Box::new(given), &self.predictor, resolution.as_ref())?;
            let Case { input, low } = cases.case(0)?;
            let predicted = self
                .predictor
                .for_input(&input, low.as_ref(), cases.grid())?;
            let mut values = Vec::new();
            predicted.deliver(index, &sampling, observer, |_, realization| {
                values.extend_from_slice(realization);
                Ok(())
            })?;
            let channels = self.predictor.header().shapes.solution_channels;
            let ensemble = predict::Ensemble::new(cases.grid().clone(), channels, values)?;
            Ok(Ensemble::new(ensemble, predicted.moments().cloned()))
        })
    }

    /// Its predictions beside the truth, as JSON and in words.
    #[pyo3(signature = (dataset, inputs, sampling, reference, told=None))]
    fn evaluate(
        &self,
        py: Python<'_>,
        dataset: &Bound<'_, Dataset>,
        inputs: Option<(usize, usize)>,
        sampling: &str,
        reference: usize,
        told: Option<Py<PyAny>>,
    ) -> PyResult<(String, String)> {
        let options = evaluate::Options {
            sampling: to_sampling(sampling).map_err(|error| raised(py, error))?,
            inputs: inputs.map(|(start, end)| start..end),
            reference,
            ..evaluate::Options::default()
        };
        let dataset = &dataset.get().0;
        let evaluation: Evaluation = watched(py, told.as_ref(), |observer| {
            evaluate::evaluate(&self.predictor, dataset, &options, observer)
        })?;
        let words = floral_cli::evaluation_text("model", &evaluation)
            .map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        Ok((to_json(&evaluation)?, words))
    }
}

fn to_settings(json: &str) -> Result<TrainConfig> {
    let context = "settings";
    let table = serde_json::from_str(json).map_err(|error| Error::Config {
        context: context.into(),
        reason: error.to_string(),
    })?;
    TrainConfig::from_table(table, context)
}

/// How realizations are asked for.
#[derive(Deserialize)]
struct Wanted {
    realizations: usize,
    seed: u64,
    solver: Option<String>,
    steps: Option<usize>,
    tolerance: Option<f64>,
}

fn to_sampling(json: &str) -> Result<Sampling> {
    let bad = |reason: String| Error::Config {
        context: "sampling".into(),
        reason,
    };
    let wanted: Wanted = serde_json::from_str(json).map_err(|error| bad(error.to_string()))?;
    if wanted.realizations == 0 {
        return Err(bad("realizations is 0; ask for at least one".into()));
    }
    let solver = match (&wanted.solver, wanted.steps, wanted.tolerance) {
        (None, None, None) => OdeSolver::default(),
        (name, steps, None) => OdeSolver::named(name.as_deref().unwrap_or("dopri5"), steps)?,
        (None, None, Some(tolerance)) => OdeSolver::Adaptive(Adaptive::new(tolerance, tolerance)?),
        (Some(name), None, Some(tolerance)) if name == "dopri5" => {
            OdeSolver::Adaptive(Adaptive::new(tolerance, tolerance)?)
        }
        _ => {
            return Err(bad(
                "a tolerance is for dopri5 without steps; leave one of them out".into(),
            ));
        }
    };
    Ok(Sampling {
        realizations: wanted.realizations,
        seed: wanted.seed,
        solver,
    })
}

/// One input that the caller holds in memory.
struct Given {
    input: Field,
    low: Option<Field>,
    grid: Grid,
}

impl InputSource for Given {
    fn path(&self) -> &Path {
        Path::new("the input")
    }

    fn grid(&self) -> &Grid {
        &self.grid
    }

    fn inputs(&self) -> usize {
        1
    }

    fn input(&self, _index: usize) -> Result<Field> {
        Ok(self.input.clone())
    }

    fn has_low(&self) -> bool {
        self.low.is_some()
    }

    fn low(&self, _index: usize) -> Result<Field> {
        self.low.clone().ok_or_else(|| Error::Config {
            context: "low fidelity".into(),
            reason: "the input has none".into(),
        })
    }

    fn origin(&self) -> Result<Option<Box<dyn Problem>>> {
        Ok(None)
    }
}
