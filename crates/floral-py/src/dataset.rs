//! A dataset on disk: opened, written from arrays, or generated.

use std::path::PathBuf;

use floral::dataset::{self, Request, generate};
use floral::inspect::inspect;
use floral::predict::refined;
use floral::problem::Origin;
use floral::problem::catalogue;
use floral::{Arrays, Axis, Error, Grid, Quantities};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use serde::Deserialize;

use crate::arrays::{
    Doubles, Returned, array, from_field, from_json, to_field, to_fields, to_json,
};
use crate::error::{guarded, raised};
use crate::mesh::{self, Mesh};
use crate::work::{short, watched};

/// The arrays that hold inputs; a dataset has at least one of them.
const ARRAYS: [&str; 2] = ["input", "parameters"];

/// Metadata of arrays.
#[derive(Deserialize)]
struct About {
    axes: Vec<Axis>,
    quantities: Quantities,
    symmetries: Vec<String>,
    #[serde(default)]
    sensors: bool,
    #[serde(default)]
    title: Option<String>,
}

/// A dataset on disk.
#[pyclass(frozen, module = "floral._floral")]
pub struct Dataset(pub dataset::Dataset);

#[pymethods]
impl Dataset {
    /// Whether there is a dataset at a path, rather than files to import.
    #[staticmethod]
    fn is_at(path: PathBuf) -> bool {
        let has = |array: &&str| path.join(array).is_dir();
        path.join("zarr.json").is_file() && ARRAYS.iter().any(has)
    }

    /// Opens a dataset.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        Ok(Self(short(py, || dataset::Dataset::open(path))?))
    }

    /// Writes a dataset: `input` and `low` are [input, channel, grid...], `high` is
    /// [realization, channel, grid...] with `counts[i]` realizations of input i, input by input.
    #[staticmethod]
    #[pyo3(signature = (path, about, input, low, high, counts, mesh=None))]
    #[allow(clippy::too_many_arguments)] // They are the arrays of a dataset.
    fn write(
        py: Python<'_>,
        path: PathBuf,
        about: &str,
        input: Doubles<'_>,
        low: Option<Doubles<'_>>,
        high: Doubles<'_>,
        counts: Vec<usize>,
        mesh: Option<Bound<'_, Mesh>>,
    ) -> PyResult<Self> {
        let About {
            axes,
            quantities,
            symmetries,
            sensors,
            title,
        } = from_json("about", about)?;
        let dimensions = axes.len();
        let symmetries: Vec<&str> = symmetries.iter().map(String::as_str).collect();
        let arrays = Arrays::new(mesh::grid(axes, mesh.as_ref())).symmetries(&symmetries);
        let mut arrays = arrays
            .map_err(|error| raised(py, error))?
            .quantities(quantities.input, quantities.solution)
            .title(title.as_deref().unwrap_or_default());
        if sensors {
            arrays = arrays.sensors();
        }
        let inputs = to_fields(py, &input, dimensions)?;
        let low = low.map(|low| to_fields(py, &low, dimensions)).transpose()?;
        let high = to_fields(py, &high, dimensions)?;
        let mut rest = high.as_slice();
        for (index, (input, count)) in inputs.iter().zip(counts).enumerate() {
            let low = low.as_ref().and_then(|low| low.get(index));
            let (own, behind) = rest.split_at(count.min(rest.len()));
            rest = behind;
            let pushed = arrays.push(input, low, own);
            pushed.map_err(|error| raised(py, error))?;
        }
        Ok(Self(short(py, || arrays.write(path))?))
    }

    /// Generates a dataset of a built-in problem with constants in JSON. An incomplete dataset is
    /// continued, a complete one is opened.
    #[staticmethod]
    #[pyo3(signature = (path, problem, constants, inputs, realizations, seed, watcher=None))]
    #[allow(clippy::too_many_arguments)] // They are the keywords of a Python function.
    fn generate(
        py: Python<'_>,
        path: PathBuf,
        problem: &str,
        constants: &str,
        inputs: usize,
        realizations: usize,
        seed: u64,
        watcher: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let problem = built(py, problem, constants)?;
        let request = Request::new(inputs, realizations, seed);
        let made = watched(py, watcher.as_ref(), |observer| {
            generate(problem.as_ref(), &request, &path, observer)?;
            dataset::Dataset::open(&path)
        });
        Ok(Self(made?))
    }

    #[getter]
    fn path(&self) -> PathBuf {
        self.0.path().to_owned()
    }

    #[getter]
    fn inputs(&self) -> usize {
        self.0.inputs()
    }

    #[getter]
    fn realizations(&self) -> usize {
        self.0.realizations()
    }

    /// The number of realizations of an input.
    fn realizations_of(&self, index: usize) -> usize {
        self.0.realizations_of(index)
    }

    /// Whether NaN in high fidelity marks points that were not measured.
    #[getter]
    fn has_sensors(&self) -> bool {
        self.0.has_sensors()
    }

    /// Flat indices of the grid points at which high fidelity of an input is known; `None` if all
    /// are.
    fn points_of(&self, py: Python<'_>, index: usize) -> PyResult<Option<Vec<usize>>> {
        short(py, || self.0.points_of(index))
    }

    #[getter]
    fn input_channels(&self) -> usize {
        self.0.input_channels()
    }

    #[getter]
    fn solution_channels(&self) -> Option<usize> {
        self.0.solution_channels()
    }

    #[getter]
    fn has_low(&self) -> bool {
        self.0.has_low()
    }

    #[getter]
    fn has_high(&self) -> bool {
        self.0.has_high()
    }

    /// The axes of the grid, as JSON.
    #[getter]
    fn axes(&self) -> PyResult<String> {
        to_json(&self.0.grid().axes)
    }

    /// The mesh, if the fields live on one.
    #[getter]
    fn mesh(&self) -> Option<Mesh> {
        Mesh::of_grid(self.0.grid())
    }

    /// Names and units of the channels of input and solution, as JSON.
    #[getter]
    fn quantities(&self) -> PyResult<String> {
        to_json(self.0.quantities())
    }

    /// Notes about the grid.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.0.notes()
    }

    /// The attributes of the group, as JSON.
    #[getter]
    fn attributes(&self) -> PyResult<String> {
        to_json(self.0.attributes())
    }

    /// The declared symmetries.
    #[getter]
    fn symmetries(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let declared = self.0.symmetries().map_err(|error| raised(py, error))?;
        Ok(declared.iter().map(ToString::to_string).collect())
    }

    /// An input: [channel, grid...].
    fn input<'py>(&self, py: Python<'py>, index: usize) -> Returned<'py> {
        from_field(py, short(py, || self.0.input(index))?)
    }

    /// A low-fidelity solution: [channel, grid...].
    fn low<'py>(&self, py: Python<'py>, index: usize) -> Returned<'py> {
        from_field(py, short(py, || self.0.low(index))?)
    }

    /// The realizations of a high-fidelity solution: [realization, channel, grid...].
    fn high<'py>(&self, py: Python<'py>, index: usize) -> Returned<'py> {
        let high = short(py, || self.0.high(index))?;
        let shape = high.shape().to_vec();
        array(py, &shape, high.into_values())
    }

    /// A summary, as JSON and as text.
    fn inspect(&self, py: Python<'_>) -> PyResult<(String, String)> {
        let path = self.0.path();
        let summary = short(py, || inspect(&dataset::Dataset::open(path)?.as_stored()))?;
        let words = floral_cli::inspection_text(&summary)
            .map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        Ok((to_json(&summary)?, words))
    }
}

/// Builds a problem from its name and its constants in JSON.
fn built(
    py: Python<'_>,
    name: &str,
    constants: &str,
) -> PyResult<Box<dyn floral::problem::Problem>> {
    let context = format!("constants of {name}");
    let table = serde_json::from_str(constants)
        .map_err(|error| Error::config(context.clone(), error.to_string()));
    let problem = guarded(|| table.and_then(|table| catalogue::build(name, table, &context)))?;
    problem.map_err(|error| raised(py, error))
}

/// Every constant of a problem, as JSON.
#[pyfunction]
pub fn constants(py: Python<'_>, problem: &str) -> PyResult<String> {
    to_json(&built(py, problem, "{}")?.constants())
}

/// Interpolates a field [channel, grid...] linearly to other axes; the axes of both are JSON.
#[pyfunction]
pub fn interpolated<'py>(
    py: Python<'py>,
    field: Doubles<'_>,
    from_: &str,
    to: &str,
) -> Returned<'py> {
    let [from, to] = [from_, to].map(|axes| from_json::<Vec<Axis>>("axes", axes).map(Grid::new));
    let (field, from, to) = (to_field(py, &field)?, from?, to?);
    from_field(py, short(py, || refined(&field, &from, &to))?)
}

/// The names of the built-in problems.
#[pyfunction]
pub fn problem_names() -> Vec<&'static str> {
    catalogue::NAMES.to_vec()
}
