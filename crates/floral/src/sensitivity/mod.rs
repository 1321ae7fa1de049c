//! Sensitivity analysis and uncertainty propagation: the distribution of quantities of interest
//! over inputs *and* the randomness of the solution, the sources of their variance, and the
//! parameters that matter.
//!
//! [`sensitivity`] takes distributions of parameters and estimates Sobol indices; [`propagate`]
//! takes a pool of inputs. Both predict many inputs by a run (`point`). The intervals of indices
//! include the uncertainty of the run: indices are also computed for `surrogates`, which are
//! functions as plausible as the run's mean. `maps` has indices at every point of the field. The
//! numerical methods are in the crate `floral-decisions`.

mod maps;
mod outcome;
mod point;
mod surrogates;

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use floral_decisions::design::{Design, Row};
pub use floral_decisions::law::{Law, Laws};
use rayon::prelude::*;

use crate::low::OnDemand;
use crate::observer::{Event, Observer, go_on};
use crate::predict::interest::{Asked, Interests};
use crate::predict::{Cases, ParameterTable, Predictor, Sampling};
use crate::train::Header;
use crate::{Error, Result};
use maps::Maps;
pub use maps::{FinishedMaps, read_maps, write_maps};
pub use outcome::{
    IndexEstimate, ParameterIndices, QuantityOutcome, Sensitivity, Statistic, VarianceShares,
};
use point::{AtPoint, Evaluator};
use surrogates::Surrogates;

/// Rows of the design that are predicted together.
const TOGETHER: usize = 64;

/// Settings of [`sensitivity`] and [`propagate`].
#[derive(Debug, Clone)]
pub struct SensitivityRequest {
    /// Quantities of interest and thresholds.
    pub asked: Asked,
    /// Number of rows of the design; with d varying parameters, each row has d + 2 inputs.
    pub samples: usize,
    /// Realizations per input.
    pub realizations: usize,
    /// Number of plausible surrogates from which the intervals of indices are computed.
    pub surrogates: usize,
    /// Seed of inputs and realizations.
    pub seed: u64,
    /// Whether to compute indices at every point of the field.
    pub maps: bool,
}

impl Default for SensitivityRequest {
    fn default() -> Self {
        Self {
            asked: Asked::default(),
            samples: 1024,
            realizations: 8,
            surrogates: 24,
            seed: 0,
            maps: false,
        }
    }
}

impl SensitivityRequest {
    fn check(&self) -> Result<()> {
        if self.asked.quantities.is_empty() {
            return Err(refusal(
                "quantity",
                "none is given; name what matters, as in peak = max(u)",
            ));
        }
        if self.realizations < 2 {
            let reason = format!(
                "{} does not separate inherent randomness; draw at least 2 per input",
                self.realizations
            );
            return Err(refusal("realizations", &reason));
        }
        Ok(())
    }

    fn sampling(&self) -> Sampling {
        Sampling {
            realizations: self.realizations,
            seed: self.seed,
            ..Sampling::default()
        }
    }
}

/// Sobol indices and distributions of quantities over parameters with the distributions `laws`. If
/// the run needs low fidelity, `solver` computes it.
pub fn sensitivity(
    predictor: &Predictor,
    laws: &Laws,
    solver: Option<Arc<OnDemand>>,
    request: &SensitivityRequest,
    observer: &dyn Observer,
) -> Result<Sensitivity> {
    request.check()?;
    let header = predictor.header();
    let laws = laws.ordered(&names(header)?).map_err(refused)?;
    let design = Design::new(laws.varying(), request.samples, request.seed).map_err(refused)?;
    let rows = (0..design.blocks()).flat_map(|b| (0..design.block_rows()).map(move |r| (b, r)));
    let units = rows.flat_map(|(b, r)| design.row(b, r).into_all());
    let values = units.map(|unit| laws.values(&unit)).collect();
    let table = ParameterTable::of_rows("the laws of parameters", values, header)?;
    let cases = Cases::seen((Box::new(table), Vec::new()), predictor, None, solver)?;
    let width = laws.varying() + 2;
    let evaluator = evaluator(predictor, &cases, request, observer, Some(width))?;
    let all = 0..cases.inputs();
    let mut maps = request.maps.then(|| Maps::new(laws.varying()));
    let mut found: Vec<Row<AtPoint>> = Vec::with_capacity(design.rows());
    begin(observer, all.len());
    let starts: Vec<usize> = all.step_by(width).collect();
    for chunk in starts.chunks(TOGETHER) {
        let one = |first: &usize| {
            let points = (*first..first + width).map(|p| evaluator.at(p, first / width));
            let points = points.collect::<Result<Vec<AtPoint>>>()?;
            (0..width).for_each(|_| observer.observe(&Event::Generated { input: *first }));
            go_on(observer)?;
            Row::of_all(points).ok_or_else(|| refusal("design", "has no points"))
        };
        let mut rows = chunk.par_iter().map(one).collect::<Result<Vec<_>>>()?;
        if let Some(maps) = &mut maps {
            rows.iter_mut().for_each(|row| maps.add(row));
        }
        found.append(&mut rows);
    }
    let mut outcome = outcome::of_design(&evaluator, &found, &design, &laws)?;
    outcome.notes = evaluator.notes.clone();
    outcome.maps = maps.map(|maps| maps.finish(cases.grid().clone(), &laws));
    Ok(outcome)
}

/// Distributions of quantities over the inputs of a pool, all with the same probability.
pub fn propagate(
    predictor: &Predictor,
    cases: &Cases<'_>,
    inputs: Range<usize>,
    request: &SensitivityRequest,
    observer: &dyn Observer,
) -> Result<Sensitivity> {
    request.check()?;
    if inputs.len() < 2 {
        return Err(refusal("pool", "it has fewer than two inputs; give more"));
    }
    let evaluator = evaluator(predictor, cases, request, observer, None)?;
    begin(observer, inputs.len());
    let one = |index: usize| {
        go_on(observer)?;
        let point = evaluator.at(index, index);
        observer.observe(&Event::Generated { input: index });
        point
    };
    let found = inputs
        .into_par_iter()
        .map(one)
        .collect::<Result<Vec<AtPoint>>>()?;
    let mut outcome = outcome::of_pool(&evaluator, &found)?;
    outcome.notes = evaluator.notes.clone();
    Ok(outcome)
}

/// The names of the channels of a run's input, to which `laws` refer: parameters, or channels that
/// are constant over the domain.
fn names(header: &Header) -> Result<Vec<String>> {
    let quantities = &header.quantities.input;
    let count = header.shapes.input_channels;
    let name = |i: usize| {
        let quantity = quantities.get(i)?;
        match &quantity.name {
            Some(name) => Some(name.clone()),
            None => quantity.parameter.then(|| format!("p{i}")),
        }
    };
    let all: Option<Vec<String>> = (0..count).map(name).collect();
    all.ok_or_else(|| {
        refusal(
            "laws of parameters",
            "the run was trained on inputs that are fields, not named parameters; give a pool of inputs",
        )
    })
}

fn begin(observer: &dyn Observer, total: usize) {
    observer.observe(&Event::Inputs { done: 0, total });
}

/// The evaluator of the inputs, after all checks. `width` is the number of inputs per row of a
/// design; `None` for a pool.
fn evaluator<'a>(
    predictor: &'a Predictor,
    cases: &'a Cases<'a>,
    request: &SensitivityRequest,
    observer: &dyn Observer,
    width: Option<usize>,
) -> Result<Evaluator<'a>> {
    if cases.lacks_low() {
        return Err(refusal(
            "low fidelity",
            "the run needs it and these inputs have none; store it in the pool, or give the command that computes it",
        ));
    }
    let header = predictor.header();
    let interests = Interests::of_cases(&request.asked, header, cases)?;
    let interests = interests.ok_or_else(|| refusal("quantity", "none is given"))?;
    let all = 0..cases.inputs();
    cases.prepare(all.clone(), observer)?;
    let checked = cases.check(predictor, all)?;
    let factors = {
        let case = cases.case(0)?;
        let derived = predictor.for_input(&case.input, case.low.as_ref(), cases.grid())?;
        derived.epistemic_count()
    };
    let surrogates = match (factors, width) {
        (0, _) => None,
        (_, None) => Some(Surrogates::independent(factors, request.seed)),
        (_, Some(_)) => Some(Surrogates::over(
            predictor,
            cases,
            (request.surrogates.max(1), factors),
            request.seed,
        )?),
    };
    Ok(Evaluator {
        predictor,
        cases,
        interests,
        sampling: request.sampling(),
        surrogates,
        wants_fields: request.maps,
        notes: checked.notes,
    })
}

/// Converts an error of `floral-decisions` into one of this library.
pub(crate) fn refused(error: floral_decisions::Error) -> Error {
    Error::config(error.context, error.reason)
}

/// Reads distributions of parameters from a TOML file.
pub fn read_laws(path: impl Into<PathBuf>) -> Result<Laws> {
    let path = path.into();
    let text = std::fs::read_to_string(&path).map_err(Error::io(&path))?;
    Laws::parse(&text).map_err(|error| Error::bad_file(path, error.to_string()))
}

pub(crate) fn refusal(context: &str, reason: &str) -> Error {
    Error::config(context, reason)
}

#[cfg(test)]
#[cfg(feature = "networks")]
mod tests;
