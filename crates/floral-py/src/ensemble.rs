//! An ensemble: realizations of one input's solution, and their statistics.

use floral::kl::Prediction;
use floral::predict::{self, Case, Values};
use floral::{Axis, Field, Quantities, Result};
use numpy::{PyArrayDyn, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arrays::{Doubles, Returned, array, from_field, from_json, to_field, to_json};
use crate::error::raised;
use crate::mesh::{self, Mesh};
use crate::work::short;

/// Realizations of one input's solution: [realization, channel, grid...].
#[pyclass(frozen, module = "floral._floral")]
pub struct Ensemble {
    ensemble: predict::Ensemble,
    /// The input that it was drawn for, if known.
    pub given: Option<Given>,
}

/// The input of an ensemble, with names and units of the channels.
pub struct Given {
    pub case: Case,
    pub quantities: Quantities,
}

impl Ensemble {
    pub fn new(ensemble: predict::Ensemble) -> Self {
        Self {
            ensemble,
            given: None,
        }
    }

    /// The same ensemble, labelled with the input that it was drawn for.
    pub fn with_given(self, case: Case, quantities: Quantities) -> Self {
        let given = Some(Given { case, quantities });
        Self { given, ..self }
    }

    pub fn inner(&self) -> &predict::Ensemble {
        &self.ensemble
    }

    fn statistic<'py>(
        &self,
        py: Python<'py>,
        of: impl FnOnce(&predict::Ensemble) -> Result<Field> + Send,
    ) -> Returned<'py> {
        from_field(py, short(py, || of(&self.ensemble))?)
    }

    fn part<'py>(
        &self,
        py: Python<'py>,
        of: impl FnOnce(&Prediction) -> &Vec<f64>,
    ) -> PyResult<Option<Bound<'py, PyArrayDyn<f64>>>> {
        let shape = &self.ensemble.shape()[1..];
        let values = self.ensemble.known().map(|known| of(known).clone());
        values.map(|values| array(py, shape, values)).transpose()
    }
}

/// Input [channel, grid...], low fidelity, and the quantities of channels as JSON.
type Fields<'py> = (Doubles<'py>, Option<Doubles<'py>>, String);

/// Moments in closed form: mean, aleatoric and epistemic variance, and the novelty.
type Known<'py> = (Doubles<'py>, Doubles<'py>, Doubles<'py>, f64);

#[pymethods]
impl Ensemble {
    /// An ensemble from realizations [realization, channel, grid...], with moments in closed form
    /// if known.
    #[staticmethod]
    #[pyo3(signature = (axes, realizations, known=None, mesh=None, given=None))]
    fn of(
        py: Python<'_>,
        axes: &str,
        realizations: &Bound<'_, PyAny>,
        known: Option<Known<'_>>,
        mesh: Option<Bound<'_, Mesh>>,
        given: Option<Fields<'_>>,
    ) -> PyResult<Self> {
        let grid = mesh::grid(from_json::<Vec<Axis>>("axes", axes)?, mesh.as_ref());
        let (channels, values) = values(realizations)?;
        let ensemble = predict::Ensemble::new(grid, channels, values);
        let known = known.map(|(mean, aleatoric, epistemic, novelty)| {
            let [mean, aleatoric, epistemic] =
                [mean, aleatoric, epistemic].map(|v| v.as_slice().map(<[f64]>::to_vec));
            PyResult::Ok(Prediction {
                mean: mean?,
                aleatoric: aleatoric?,
                epistemic: epistemic?,
                novelty,
            })
        });
        let known = known.transpose()?;
        let ensemble = ensemble.and_then(|ensemble| ensemble.with_moments(known.as_ref()));
        let ensemble = Self::new(ensemble.map_err(|error| raised(py, error))?);
        let Some((input, low, quantities)) = given else {
            return Ok(ensemble);
        };
        let case = Case {
            input: to_field(py, &input)?,
            low: low.as_ref().map(|low| to_field(py, low)).transpose()?,
        };
        Ok(ensemble.with_given(case, from_json("quantities", &quantities)?))
    }

    /// The input, as [`of`](Self::of) takes it.
    fn given<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(Given { case, quantities }) = &self.given else {
            return Ok(None);
        };
        let low = case.low.clone().map(|low| from_field(py, low));
        let fields = (
            from_field(py, case.input.clone())?,
            low.transpose()?,
            to_json(quantities)?,
        );
        Ok(Some(fields.into_pyobject(py)?.into_any()))
    }

    /// Moments in closed form, as [`of`](Self::of) takes them.
    fn known<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(moments) = self.ensemble.known() else {
            return Ok(None);
        };
        let shape = &self.ensemble.shape()[1..];
        let field = |values: &[f64]| array(py, shape, values.to_vec());
        let fields = (
            field(&moments.mean)?,
            field(&moments.aleatoric)?,
            field(&moments.epistemic)?,
            moments.novelty,
        );
        Ok(Some(fields.into_pyobject(py)?.into_any()))
    }

    /// [realization, channel, grid...]
    #[getter]
    fn shape(&self) -> Vec<usize> {
        self.ensemble.shape()
    }

    /// The axes of the grid, as JSON.
    #[getter]
    fn axes(&self) -> PyResult<String> {
        to_json(&self.ensemble.grid().axes)
    }

    /// The mesh, if the fields live on one.
    #[getter]
    fn mesh(&self) -> Option<Mesh> {
        Mesh::of_grid(self.ensemble.grid())
    }

    /// The horizontal axis of a map.
    #[getter]
    fn right(&self) -> usize {
        self.ensemble.grid().rightward()
    }

    /// All realizations, in float32, or in float64 where float32 would lose the spread.
    fn realizations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let shape = self.ensemble.shape();
        Ok(match self.ensemble.values() {
            Values::Single(values) => array(py, &shape, values.clone())?.into_any(),
            Values::Double(values) => array(py, &shape, values.clone())?.into_any(),
        })
    }

    fn mean<'py>(&self, py: Python<'py>) -> Returned<'py> {
        self.statistic(py, predict::Ensemble::mean)
    }

    fn deviation<'py>(&self, py: Python<'py>) -> Returned<'py> {
        self.statistic(py, predict::Ensemble::deviation)
    }

    fn quantile<'py>(&self, py: Python<'py>, level: f64) -> Returned<'py> {
        self.statistic(py, |ensemble| ensemble.quantile(level))
    }

    fn exceedance<'py>(&self, py: Python<'py>, threshold: f64) -> Returned<'py> {
        self.statistic(py, |ensemble| ensemble.exceedance(threshold))
    }

    /// Aleatoric variance; `None` if the method does not separate it.
    fn aleatoric<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArrayDyn<f64>>>> {
        self.part(py, |moments| &moments.aleatoric)
    }

    /// Epistemic variance of the mean; `None` if the method does not separate it.
    fn epistemic<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArrayDyn<f64>>>> {
        self.part(py, |moments| &moments.epistemic)
    }

    /// Novelty: 1 for an input as far from the training inputs as the left-out inputs of the fit.
    #[getter]
    fn novelty(&self) -> Option<f64> {
        self.ensemble.known().map(|known| known.novelty)
    }
}

/// The number of channels of an array [realization, channel, grid...], and its values.
fn values(array: &Bound<'_, PyAny>) -> PyResult<(usize, Values)> {
    let channels = |shape: &[usize]| shape.get(1).copied().unwrap_or(0);
    if let Ok(single) = array.extract::<PyReadonlyArrayDyn<'_, f32>>() {
        return Ok((channels(single.shape()), single.as_slice()?.to_vec().into()));
    }
    let double = array
        .extract::<Doubles<'_>>()
        .map_err(|_| PyValueError::new_err("realizations are float32 or float64"))?;
    Ok((channels(double.shape()), double.as_slice()?.to_vec().into()))
}
