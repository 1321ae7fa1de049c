//! An ensemble: realizations of one input's solution, their statistics, and what is known of both.

use floral::predict;
use floral::regression::Prediction;
use floral::{Field, Result};
use numpy::PyArrayDyn;
use pyo3::prelude::*;

use crate::arrays::{Returned, array, from_field, to_json};
use crate::work::short;

/// Realizations of one input's solution: [realization, channel, grid...].
#[pyclass(frozen, module = "floral._floral")]
pub struct Ensemble {
    ensemble: predict::Ensemble,
}

impl Ensemble {
    pub fn new(ensemble: predict::Ensemble) -> Self {
        Self { ensemble }
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

#[pymethods]
impl Ensemble {
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

    /// Which axis a map has to the right.
    #[getter]
    fn right(&self) -> usize {
        self.ensemble.grid().rightward()
    }

    fn realizations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f32>>> {
        array(py, &self.ensemble.shape(), self.ensemble.values().to_vec())
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

    /// Variance of the solution itself, of methods that tell it apart.
    fn aleatoric<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArrayDyn<f64>>>> {
        self.part(py, |moments| &moments.aleatoric)
    }

    /// Variance of what is not known of the mean, of methods that tell it apart.
    fn epistemic<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArrayDyn<f64>>>> {
        self.part(py, |moments| &moments.epistemic)
    }

    /// How new the input is: 1 for one like those that judged the fit.
    #[getter]
    fn novelty(&self) -> Option<f64> {
        self.ensemble.known().map(|known| known.novelty)
    }
}
