//! A trained model in memory, with the bytes of its file.

use std::path::PathBuf;

use floral::dataset::write_atomically;
use floral::device::Device;
use floral::evaluate::{self, Evaluation, solver_within};
use floral::predict::{
    Case, ChosenSolver, InMemory, NewInputs, PredictionOpening, PredictionSession, Predictor,
    Sampling, USUAL_ACCURACY,
};
use floral::problem::Resolution;
use floral::ranks::Alone;
use floral::sample::OdeSolver;
use floral::suggest::{suggest, suggest_sensors};
use floral::train::{RunFolder, TrainConfig};
use floral::{Axis, Error, Grid, Quantities, Result, Silent, fit};
use numpy::PyArrayDyn;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::Deserialize;

use crate::advice;
use crate::arrays::{Doubles, array, from_json, to_field, to_json};
use crate::dataset::Dataset;
use crate::ensemble::Ensemble;
use crate::error::raised;
use crate::interest::{self, Calibrated};
use crate::mesh::{self, Mesh};
use crate::observe::{self, Observed};
use crate::work::{short, watched};

/// Arrays of runs and of draws.
type Judging<'py> = (Bound<'py, PyArrayDyn<f64>>, Bound<'py, PyArrayDyn<f64>>);

/// A trained model.
#[pyclass(frozen, module = "floral._floral")]
pub struct Model {
    pub(crate) predictor: Predictor,
    bytes: Vec<u8>,
}

#[pymethods]
impl Model {
    /// Trains a run in a folder, with settings in JSON, and loads its model.
    #[staticmethod]
    #[pyo3(signature = (dataset, folder, settings, watcher=None))]
    fn fit(
        py: Python<'_>,
        dataset: &Bound<'_, Dataset>,
        folder: PathBuf,
        settings: &str,
        watcher: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let settings = to_settings(settings).map_err(|error| raised(py, error))?;
        let dataset = &dataset.get().0;
        watched(py, watcher.as_ref(), |observer| {
            let predictor = fit(dataset, &folder, &settings, observer)?;
            let bytes = RunFolder::open(&folder)?.best_bytes()?;
            Ok(Self { predictor, bytes })
        })
    }

    /// Loads a model file, or the model of a run folder.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        short(py, || {
            let run = RunFolder::open(&path)?;
            let predictor = Predictor::load(&run, &Device::flex())?;
            let bytes = run.best_bytes()?;
            Ok(Self { predictor, bytes })
        })
    }

    /// Writes the model file atomically.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        short(py, || write_atomically(&path, &self.bytes))
    }

    /// The bytes of the model file.
    #[getter]
    fn bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.bytes)
    }

    /// The metadata of the model file, as JSON: settings, shapes, grid, provenance.
    #[getter]
    fn header(&self) -> PyResult<String> {
        to_json(self.predictor.header())
    }

    /// The mesh of the training data, if any.
    #[getter]
    fn mesh(&self) -> Option<Mesh> {
        Mesh::of_grid(&self.predictor.header().grid)
    }

    /// Whether an input needs a low-fidelity solution.
    #[getter]
    fn needs_low(&self) -> bool {
        self.predictor.header().needs_low()
    }

    /// Draws an ensemble for an input [channel, grid...]. Also returns notes and, given readings,
    /// their test against the prediction as JSON. `about` has the axes and quantities of the input,
    /// `wanted` the options.
    #[pyo3(signature = (input, low, about, wanted, mesh=None, watcher=None))]
    #[allow(clippy::too_many_arguments)] // They are the keywords of a Python function.
    fn sample(
        &self,
        py: Python<'_>,
        input: Doubles<'_>,
        low: Option<Doubles<'_>>,
        about: &str,
        wanted: &str,
        mesh: Option<Bound<'_, Mesh>>,
        watcher: Option<Py<PyAny>>,
    ) -> PyResult<(Ensemble, Vec<String>, Option<String>)> {
        let wanted: Wanted = from_json("sampling", wanted)?;
        let given = Given::new(py, (&input, low.as_ref()), about, mesh.as_ref())?;
        let resolution = wanted.resolution.clone().map(Resolution::PerAxis);
        watched(py, watcher.as_ref(), |observer| {
            wanted.check()?;
            let input = given.numbered(wanted.number);
            let session = self.opened(input, resolution.as_ref(), wanted.observe.as_ref())?;
            let accurate = || {
                let draws = (wanted.seed, wanted.index);
                session.solver_within(USUAL_ACCURACY, draws, observer)
            };
            let sampling = wanted.sampling(accurate)?;
            let derived = session.derived(0)?;
            let innovation = derived.innovation();
            let notes = session.notes().into_iter();
            let mut notes: Vec<String> = notes.map(|note| note.worded(advice::worded)).collect();
            notes.extend(innovation.and_then(floral_cli::contradiction));
            let draws = (0, wanted.index);
            let ensemble = session.sample_derived(&derived, draws, &sampling, observer)?;
            let quantities = self.predictor.header().quantities.clone();
            let ensemble = Ensemble::new(ensemble).with_given(session.cases().case(0)?, quantities);
            Ok((ensemble, notes, innovation.map(observe::to_json)))
        })
    }

    /// Suggests where to measure the solution of an input; returns JSON and text.
    #[pyo3(signature = (input, low, about, wanted, mesh=None, watcher=None))]
    #[allow(clippy::too_many_arguments)] // They are the keywords of a Python function.
    fn suggest_sensors(
        &self,
        py: Python<'_>,
        input: Doubles<'_>,
        low: Option<Doubles<'_>>,
        about: &str,
        wanted: &str,
        mesh: Option<Bound<'_, Mesh>>,
        watcher: Option<Py<PyAny>>,
    ) -> PyResult<(String, String)> {
        let wanted: WantedSensors = from_json("sensors", wanted)?;
        let given = Given::new(py, (&input, low.as_ref()), about, mesh.as_ref())?;
        let found = watched(py, watcher.as_ref(), |_| {
            let session = self.opened(given.numbered(None), None, wanted.observe.as_ref())?;
            let (count, std) = (wanted.count, wanted.std);
            suggest_sensors(&self.predictor, session.cases(), 0, count, std)
        })?;
        let words = floral_cli::sensors_text(&found)
            .map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        Ok((to_json(&found)?, words))
    }

    /// The number of left-out inputs that the model stores for calibration.
    #[getter]
    fn judging_inputs(&self) -> usize {
        self.predictor.judging_inputs()
    }

    /// Runs and draws of a stored left-out input: [realization, channel, grid...] each.
    fn judging_input<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Judging<'py>> {
        let found = short(py, || {
            let found = self.predictor.judging_input(index);
            found.ok_or_else(|| refusal("there is no such judging input"))
        })?;
        let header = self.predictor.header();
        let channels = header.shapes.solution_channels;
        let fields = |values: Vec<f64>| {
            let count = values.len() / found.values.max(1);
            let shape = [vec![count, channels], header.grid.shape()].concat();
            array(py, &shape, values)
        };
        Ok((fields(found.runs)?, fields(found.draws)?))
    }

    /// The calibration factor of a quantity of interest, the bounds of its values, and the reason
    /// if there is no factor.
    fn calibration(&self, py: Python<'_>, text: &str) -> PyResult<Calibrated> {
        short(py, || interest::calibration(&self.predictor, text))
    }

    /// Suggests which inputs of a file to simulate next; returns JSON and text.
    #[pyo3(signature = (pool, count, watcher=None))]
    fn suggest(
        &self,
        py: Python<'_>,
        pool: PathBuf,
        count: usize,
        watcher: Option<Py<PyAny>>,
    ) -> PyResult<(String, String)> {
        let found = watched(py, watcher.as_ref(), |observer| {
            let opening = PredictionOpening::default();
            let pool = NewInputs::File(&pool);
            let mut session = PredictionSession::open(&self.predictor, pool, opening)?;
            session.check(&Alone::default(), observer)?;
            let (cases, inputs) = (session.cases(), session.inputs());
            suggest(&self.predictor, cases, inputs, count, observer)
        })?;
        let words = floral_cli::suggestions_text(&found)
            .map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        Ok((to_json(&found)?, words))
    }

    /// Scores predictions against the truth; returns JSON and text.
    #[pyo3(signature = (dataset, inputs, wanted, reference, training=None, watcher=None))]
    #[allow(clippy::too_many_arguments)] // They are the keywords of a Python function.
    fn evaluate(
        &self,
        py: Python<'_>,
        dataset: &Bound<'_, Dataset>,
        inputs: Option<(usize, usize)>,
        wanted: &str,
        reference: usize,
        training: Option<&Bound<'_, Dataset>>,
        watcher: Option<Py<PyAny>>,
    ) -> PyResult<(String, String)> {
        let wanted: Wanted = from_json("sampling", wanted)?;
        let inputs = inputs.map(|(start, end)| start..end);
        let dataset = &dataset.get().0;
        let training = training.map(|training| training.get().0.clone());
        let evaluation: Evaluation = watched(py, watcher.as_ref(), |observer| {
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
    /// Opens and checks one input in memory, conditioned on readings if there are any.
    fn opened(
        &self,
        input: InMemory<'_>,
        resolution: Option<&Resolution>,
        observed: Option<&Observed>,
    ) -> Result<PredictionSession<'_>> {
        let opening = PredictionOpening {
            resolution,
            ..PredictionOpening::default()
        };
        let input = NewInputs::Memory(input);
        let session = PredictionSession::open(&self.predictor, input, opening)?;
        let mut session = match observed {
            Some(observed) => observed.of(session)?,
            None => session,
        };
        session.check(&Alone::default(), &Silent)?;
        Ok(session)
    }
}

pub(crate) fn to_settings(json: &str) -> Result<TrainConfig> {
    let context = "settings";
    let table =
        serde_json::from_str(json).map_err(|error| Error::config(context, error.to_string()))?;
    TrainConfig::from_table(table, context)
}

/// Metadata of an input.
#[derive(Deserialize)]
struct About {
    axes: Vec<Axis>,
    quantities: Quantities,
}

/// An input that Python passes, with its low fidelity, grid and metadata.
struct Given {
    case: Case,
    grid: Grid,
    quantities: Quantities,
}

impl Given {
    fn new(
        py: Python<'_>,
        (input, low): (&Doubles<'_>, Option<&Doubles<'_>>),
        about: &str,
        mesh: Option<&Bound<'_, Mesh>>,
    ) -> PyResult<Self> {
        let About { axes, quantities } = from_json("about", about)?;
        let case = Case {
            input: to_field(py, input)?,
            low: low.map(|low| to_field(py, low)).transpose()?,
        };
        Ok(Self {
            case,
            grid: mesh::grid(axes, mesh),
            quantities,
        })
    }

    /// The input for a prediction; `number` names it in messages if there are several.
    fn numbered(&self, number: Option<usize>) -> InMemory<'_> {
        InMemory {
            case: &self.case,
            grid: &self.grid,
            quantities: &self.quantities,
            number,
        }
    }
}

/// Options of sampling.
#[derive(Deserialize)]
struct Wanted {
    realizations: usize,
    seed: u64,
    /// The index of the random stream.
    #[serde(default)]
    index: u64,
    /// The number that names the input in messages, if there are several.
    number: Option<usize>,
    resolution: Option<Vec<usize>>,
    solver: Option<String>,
    steps: Option<usize>,
    tolerance: Option<f64>,
    /// Readings of one realization.
    observe: Option<Observed>,
}

/// Options of the placement of sensors.
#[derive(Deserialize)]
struct WantedSensors {
    count: usize,
    std: f64,
    observe: Option<Observed>,
}

impl Wanted {
    /// Refuses contradictory options before anything is computed.
    fn check(&self) -> Result<()> {
        if self.realizations == 0 {
            return Err(refusal("realizations is 0; give at least one"));
        }
        self.integrator().map(drop)
    }

    /// The options of sampling; without a named integrator, `accurate` chooses one.
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

    /// The named integrator, if any.
    fn integrator(&self) -> Result<Option<OdeSolver>> {
        OdeSolver::asked(self.solver.as_deref(), self.steps, self.tolerance)
    }
}

fn refusal(reason: &str) -> Error {
    Error::config("sampling", reason)
}
