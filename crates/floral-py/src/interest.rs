//! Quantities of interest: values of an expression on every realization, and their distribution.

use floral::predict::interest::{
    Calibration, Estimate, Interests, Judged, QuantityOfInterest, Subject, names, refused,
};
use floral::predict::{Predictor, Values, interest};
use floral::{Field, Quantities, Result, Silent};
use numpy::PyArrayDyn;
use pyo3::prelude::*;

use crate::arrays::{Doubles, array, from_json};
use crate::ensemble::Ensemble;
use crate::error::raised;
use crate::work::short;

/// The values of a quantity on the realizations of an ensemble, its name and its units.
/// `quantities` (names and units of the solution's channels, as JSON) is used if the ensemble
/// stores no input.
#[pyfunction]
pub fn quantity<'py>(
    py: Python<'py>,
    ensemble: &Ensemble,
    text: &str,
    quantities: &str,
) -> PyResult<(Bound<'py, PyArrayDyn<f64>>, String, Option<String>)> {
    let solution = from_json("quantities", quantities)?;
    let input = Vec::new();
    let (values, name, unit) = short(py, || taken(ensemble, text, Quantities { input, solution }))?;
    Ok((array(py, &[values.len()], values)?, name, unit))
}

type Taken = (Vec<f64>, String, Option<String>);

fn taken(ensemble: &Ensemble, text: &str, quantities: Quantities) -> Result<Taken> {
    let (all, given) = (ensemble.inner(), ensemble.given.as_ref());
    let mask = all.mask();
    let low = given.and_then(|given| given.case.low.as_ref());
    let subject = Subject {
        grid: all.grid(),
        mask: mask.as_ref(),
        quantities: given.map_or(&quantities, |given| &given.quantities),
        channels: [
            given.map_or(0, |given| given.case.input.channels()),
            all.shape()[1],
        ],
        has_low: low.is_some(),
    };
    let quantity = read(text, &names(&subject)).map_err(refused)?;
    let interests = Interests::of_quantity(quantity.clone(), &subject)?;
    let input = given.map_or(&[][..], |given| given.case.input.values());
    let mut prepared = interests.on_fields(input, low.map_or(&[], Field::values))?;
    let size = all.shape()[1..].iter().product::<usize>().max(1);
    match all.values() {
        Values::Single(values) => {
            for realization in values.chunks_exact(size) {
                let doubles: Vec<f64> = realization.iter().map(|v| f64::from(*v)).collect();
                prepared.push(&doubles)?;
            }
        }
        Values::Double(values) => {
            for realization in values.chunks_exact(size) {
                prepared.push(realization)?;
            }
        }
    }
    let unit = quantity.unit().map(str::to_owned);
    let values = prepared.values().concat();
    Ok((values, quantity.name().to_owned(), unit))
}

/// A calibration factor, the bounds of the quantity, and the reason if there is no factor.
pub type Calibrated = (Option<f64>, [f64; 2], Option<String>);

/// Calibrates an expression by the left-out inputs that a model stores.
pub fn calibration(predictor: &Predictor, text: &str) -> Result<Calibrated> {
    let header = predictor.header();
    let subject = Subject::of_run(
        header,
        &header.grid,
        header.mask.as_ref(),
        header.needs_low(),
    );
    let quantity = read(text, &names(&subject)).map_err(refused)?;
    let bounds = quantity.bounds();
    let mut interests = Interests::of_quantity(quantity, &subject)?;
    let notes = interests.calibrate(predictor, false, &Silent)?;
    let factor = interests.calibrations().next().flatten();
    let factor = factor.map(|found| found.factor);
    Ok((factor, bounds, notes.into_iter().next()))
}

/// The calibration factor of a function of realizations, from its values on the draws and on the
/// runs of each left-out input.
#[pyfunction]
pub fn stretch(py: Python<'_>, judged: Vec<(Vec<f64>, Vec<f64>)>) -> PyResult<f64> {
    let inputs = judged
        .iter()
        .map(|(draws, observed)| Judged { draws, observed });
    let inputs: Vec<Judged<'_>> = inputs.collect();
    let found = Calibration::fit(&inputs, 0.9);
    let found = found.map_err(|error| raised(py, refused(error)))?;
    Ok(found.factor)
}

/// Parses `peak = max(u)`, or an expression alone, which then is the name of the quantity too.
fn read(
    text: &str,
    names: &interest::Names,
) -> std::result::Result<QuantityOfInterest, interest::QuantityError> {
    let is_name = |name: &str| {
        let name = name.trim();
        let is_allowed = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        !name.is_empty() && name.chars().all(is_allowed)
    };
    match text.split_once('=') {
        Some((name, rest)) if is_name(name) && !rest.starts_with('=') => {
            QuantityOfInterest::define(text, names)
        }
        _ => QuantityOfInterest::parse(text.trim(), text, names),
    }
}

/// The distribution of values over draws. Every statistic is returned with its standard error.
#[pyclass(frozen, module = "floral._floral")]
pub struct Distribution {
    distribution: interest::Distribution,
}

#[pymethods]
impl Distribution {
    #[new]
    fn new(py: Python<'_>, values: Doubles<'_>) -> PyResult<Self> {
        let values = values.as_slice()?.to_vec();
        let distribution = interest::Distribution::new(values);
        let distribution = distribution.map_err(|error| raised(py, refused(error)))?;
        Ok(Self { distribution })
    }

    fn mean(&self) -> (f64, f64) {
        pair(self.distribution.mean())
    }

    fn std(&self) -> (f64, f64) {
        pair(self.distribution.std())
    }

    fn quantile(&self, py: Python<'_>, level: f64) -> PyResult<(f64, f64)> {
        let found = self.distribution.quantile(level);
        found.map(pair).map_err(|error| raised(py, refused(error)))
    }

    fn exceedance(&self, threshold: f64) -> (f64, f64) {
        pair(self.distribution.exceedance(threshold))
    }

    fn superquantile(&self, py: Python<'_>, level: f64) -> PyResult<(f64, f64)> {
        let found = self.distribution.superquantile(level);
        found.map(pair).map_err(|error| raised(py, refused(error)))
    }
}

fn pair(estimate: Estimate) -> (f64, f64) {
    (estimate.value, estimate.standard_error)
}
