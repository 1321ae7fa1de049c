//! A model: what a run has learned, in memory, with the bytes of its file.

use std::path::PathBuf;

use floral::cost::check_training;
use floral::dataset::write_atomically;
use floral::device::Device;
use floral::evaluate::{self, Evaluation, solver_within};
use floral::predict::{
    self, Case, Cases, ChosenSolver, Predictor, Sampling, USUAL_ACCURACY, Values,
};
use floral::problem::Resolution;
use floral::sample::{Adaptive, OdeSolver};
use floral::suggest::suggest;
use floral::train::{RunFolder, TrainConfig};
use floral::{Axis, Error, Grid, Observer, Quantities, Result, fit};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::Deserialize;

use crate::arrays::{Doubles, from_json, to_field, to_json};
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

    /// Whether an input needs a low-fidelity solution.
    #[getter]
    fn needs_low(&self) -> bool {
        self.predictor.header().needs_low()
    }

    /// Realizations of the solution of an input [channel, grid...], and what is to know of it. `about`
    /// tells its axes and quantities, `wanted` what is asked for.
    #[pyo3(signature = (input, low, about, wanted, told=None))]
    fn sample(
        &self,
        py: Python<'_>,
        input: Doubles<'_>,
        low: Option<Doubles<'_>>,
        about: &str,
        wanted: &str,
        told: Option<Py<PyAny>>,
    ) -> PyResult<(Ensemble, Vec<String>)> {
        let About { axes, quantities } = from_json("about", about)?;
        let wanted: Wanted = from_json("sampling", wanted)?;
        let grid = Grid::new(axes);
        let case = Case {
            input: to_field(py, &input)?,
            low: low.as_ref().map(|low| to_field(py, low)).transpose()?,
        };
        let resolution = wanted.resolution.clone().map(Resolution::PerAxis);
        watched(py, told.as_ref(), |observer| {
            wanted.check()?;
            let predictor = &self.predictor;
            let resolution = resolution.as_ref();
            let cases = Cases::in_memory(&case, &grid, &quantities, predictor, resolution)?;
            let checked = cases.check(predictor, 0..1)?;
            // There is but one input, and it has no number.
            let far = checked.notes.iter();
            let far = far.map(|note| note.trim_start_matches("input 0: ").to_owned());
            let fine = self.spread_lost(cases.grid());
            let old = predictor.header().notes();
            let notes = old.into_iter().chain(cases.notes().iter().cloned());
            let notes = notes.chain(far).chain(fine);
            let notes = notes.collect();
            let accurate = || {
                let case = (&cases.case(0)?, wanted.index);
                let (accuracy, grid) = (USUAL_ACCURACY, cases.grid());
                predictor.solver_within(accuracy, case, grid, wanted.seed, observer)
            };
            let sampling = wanted.sampling(accurate)?;
            let ensemble = self.ensemble(&cases, wanted.index, &sampling, observer)?;
            Ok((ensemble, notes))
        })
    }

    /// Which inputs of a file to simulate next, as JSON and in words.
    #[pyo3(signature = (pool, count, told=None))]
    fn suggest(
        &self,
        py: Python<'_>,
        pool: PathBuf,
        count: usize,
        told: Option<Py<PyAny>>,
    ) -> PyResult<(String, String)> {
        let found = watched(py, told.as_ref(), |observer| {
            let cases = Cases::open(&pool, &self.predictor, None)?;
            let inputs = 0..cases.inputs();
            cases.prepare(inputs.clone(), observer)?;
            cases.check(&self.predictor, inputs.clone())?;
            suggest(&self.predictor, &cases, inputs, count, observer)
        })?;
        let words = floral_cli::suggestions_text(&found)
            .map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        Ok((to_json(&found)?, words))
    }

    /// Its predictions beside the truth, as JSON and in words.
    #[pyo3(signature = (dataset, inputs, wanted, reference, training=None, told=None))]
    #[allow(clippy::too_many_arguments)] // They are the keywords of a Python function.
    fn evaluate(
        &self,
        py: Python<'_>,
        dataset: &Bound<'_, Dataset>,
        inputs: Option<(usize, usize)>,
        wanted: &str,
        reference: usize,
        training: Option<&Bound<'_, Dataset>>,
        told: Option<Py<PyAny>>,
    ) -> PyResult<(String, String)> {
        let wanted: Wanted = from_json("sampling", wanted)?;
        let inputs = inputs.map(|(start, end)| start..end);
        let dataset = &dataset.get().0;
        let training = training.map(|training| training.get().0.clone());
        let evaluation: Evaluation = watched(py, told.as_ref(), |observer| {
            wanted.check()?;
            let accurate = || {
                let asked = (USUAL_ACCURACY, wanted.seed);
                let inputs = inputs.clone();
                let found = solver_within(&self.predictor, dataset, inputs, asked, observer)?;
                Ok(found.map(|(chosen, _)| chosen))
            };
            let options = evaluate::Options {
                sampling: wanted.sampling(accurate)?,
                inputs: inputs.clone(),
                reference,
                training,
                ..evaluate::Options::default()
            };
            evaluate::evaluate(&self.predictor, dataset, &options, observer)
        })?;
        let words = floral_cli::evaluation_text("model", &evaluation)
            .map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        Ok((to_json(&evaluation)?, words))
    }
}

impl Model {
    /// What to know of a finer grid than that of training, on which a flow loses spread.
    fn spread_lost(&self, grid: &Grid) -> Option<String> {
        self.predictor.loses_spread_on(grid).then(|| {
            format!(
                "the grid {:?} is finer than the {:?} of training; on it, a flow from a prior that is \
                 next to white noise has too small a spread, by about the ratio of points: sample on \
                 the training grid, or fit floral-kl",
                grid.shape(),
                self.predictor.grid().shape()
            )
        })
    }

    /// The ensemble of the only case.
    fn ensemble(
        &self,
        cases: &Cases,
        index: u64,
        sampling: &Sampling,
        observer: &dyn Observer,
    ) -> Result<Ensemble> {
        let (grid, header) = (cases.grid(), self.predictor.header());
        let channels = header.shapes.solution_channels;
        sampling.check_memory(channels * grid.len())?;
        let Case { input, low } = cases.case(0)?;
        let predicted = self.predictor.for_input(&input, low.as_ref(), grid)?;
        let mut values = Values::new(self.predictor.precision());
        predicted.deliver(index, sampling, observer, |_, realization| {
            values.extend(realization);
            Ok(())
        })?;
        let ensemble = predict::Ensemble::new(grid.clone(), channels, values)?;
        let ensemble = ensemble.with_moments(predicted.moments())?;
        Ok(Ensemble::new(ensemble.masked(header.mask.as_ref())))
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

/// What is told of an input besides its values.
#[derive(Deserialize)]
struct About {
    axes: Vec<Axis>,
    quantities: Quantities,
}

/// How realizations are asked for.
#[derive(Deserialize)]
struct Wanted {
    realizations: usize,
    seed: u64,
    #[serde(default)]
    index: u64,
    resolution: Option<Vec<usize>>,
    solver: Option<String>,
    steps: Option<usize>,
    tolerance: Option<f64>,
}

impl Wanted {
    /// Refuses what contradicts itself, before anything is computed.
    fn check(&self) -> Result<()> {
        if self.realizations == 0 {
            return Err(refusal("realizations is 0; ask for at least one"));
        }
        self.integrator().map(drop)
    }

    /// What is asked for; where no integrator is named, by the one that is accurate enough.
    fn sampling(
        &self,
        accurate: impl FnOnce() -> Result<Option<ChosenSolver>>,
    ) -> Result<Sampling> {
        let solver = match self.integrator()? {
            Some(solver) => solver,
            None => accurate()?.map_or_else(OdeSolver::default, |chosen| chosen.solver),
        };
        Ok(Sampling {
            realizations: self.realizations,
            seed: self.seed,
            solver,
        })
    }

    /// The integrator asked for, if one is.
    fn integrator(&self) -> Result<Option<OdeSolver>> {
        let usual = if self.steps.is_some() {
            "midpoint"
        } else {
            "dopri5"
        };
        let name = self.solver.as_deref().unwrap_or(usual);
        match self.tolerance {
            None if self.solver.is_none() && self.steps.is_none() => Ok(None),
            None => OdeSolver::named(name, self.steps).map(Some),
            Some(tolerance) if name == "dopri5" && self.steps.is_none() => {
                let adaptive = Adaptive::new(tolerance, tolerance)?;
                Ok(Some(OdeSolver::Adaptive(adaptive)))
            }
            Some(_) => Err(refusal(
                "a tolerance is for dopri5 without steps; leave one of them out",
            )),
        }
    }
}

fn refusal(reason: &str) -> Error {
    Error::Config {
        context: "sampling".into(),
        reason: reason.into(),
    }
}
