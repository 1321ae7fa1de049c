//! What a sensitivity analysis has found, from the values at its inputs.

use floral_decisions::design::{Design, Row};
use floral_decisions::interval::interval;
use floral_decisions::law::Laws;
use floral_decisions::share::{Shares, between_and_within};
use floral_decisions::sobol::{Blocked, Indices, Sums, indices};
use serde::{Deserialize, Serialize};

use super::maps::FinishedMaps;
use super::point::{AtPoint, Evaluator, Values};
use super::{refusal, refused};
use crate::Result;
use crate::predict::interest::{Interest, InterestSummary, STATISTICS};

/// The level of all intervals.
const LEVEL: f64 = 0.9;

/// Distributions, shares of variances and indices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sensitivity {
    /// Parameters that vary; none for a pool.
    pub parameters: Vec<String>,
    /// Inputs that were predicted.
    pub inputs: usize,
    /// In the order in which they were asked for.
    pub quantities: Vec<QuantityOutcome>,
    /// What is unusual about the inputs.
    #[serde(skip)]
    pub notes: Vec<String>,
    /// Indices at every point of the field, if they are wanted.
    #[serde(skip)]
    pub maps: Option<FinishedMaps>,
}

/// What is found of one quantity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QuantityOutcome {
    /// Its name.
    pub name: String,
    /// Its expression.
    pub expression: String,
    /// Its units.
    pub units: Option<String>,
    /// Draws over inputs and realizations.
    pub draws: usize,
    /// Statistics over inputs and realizations, by their name.
    pub statistics: Vec<Statistic>,
    /// Probabilities of exceedance: the name is the threshold.
    pub exceedances: Vec<Statistic>,
    /// Where its variance comes from.
    pub variance: VarianceShares,
    /// The indices of each parameter that varies.
    pub indices: Vec<ParameterIndices>,
}

/// A statistic with its standard error for the number of draws.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Statistic {
    /// What it is.
    pub name: String,
    /// Its value.
    pub value: f64,
    /// Its standard error.
    pub standard_error: f64,
}

/// The variance of a quantity and its shares, which add up to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct VarianceShares {
    /// All of it, in squared units.
    pub total: f64,
    /// From the input.
    pub input: f64,
    /// Inherent randomness of the solution.
    pub inherent: f64,
    /// Ignorance for lack of training data; absent if the method does not separate it.
    pub ignorance: Option<f64>,
}

/// Indices of one parameter: shares of the variance of the conditional mean over inputs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ParameterIndices {
    /// The parameter.
    pub name: String,
    /// First-order index.
    pub first: IndexEstimate,
    /// Total index.
    pub total: IndexEstimate,
}

/// An index with its interval of 90 %, which contains the uncertainty of the run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct IndexEstimate {
    /// The index.
    pub value: f64,
    /// The interval.
    pub interval: [f64; 2],
}

/// From the rows of a design.
pub(super) fn of_design(
    evaluator: &Evaluator<'_>,
    rows: &[Row<AtPoint>],
    design: &Design,
    laws: &Laws,
) -> Result<Sensitivity> {
    let names: Vec<String> = laws
        .varying_names()
        .into_iter()
        .map(str::to_owned)
        .collect();
    let one = |(i, interest): (usize, &Interest)| {
        let of: Vec<Row<&Values>> = rows
            .iter()
            .map(|row| row.map(|p| &p.quantities[i]))
            .collect();
        let independent: Vec<&Values> = of.iter().flat_map(|row| [row.a, row.b]).collect();
        let mut found = distribution(interest, &independent, 2)?;
        let mean = found.statistics[0].value;
        let exact = independent.iter().all(|v| v.mean.is_some());
        let at = |values: &Values| match values.mean.filter(|_| exact) {
            Some(value) => vec![value],
            None => values.draws.clone(),
        };
        let whole = of_rows(&of, design, mean, at)?;
        let count = of.first().map_or(0, |row| row.a.plausible.len());
        let plausible = (0..count)
            .map(|t| {
                of_rows(&of, design, mean, |values: &Values| {
                    values.plausible[t].clone()
                })
            })
            .collect::<Result<Vec<Indices>>>()?;
        found.indices = (0..names.len())
            .map(|i| ParameterIndices {
                name: names[i].clone(),
                first: estimate(&whole, &plausible, |found| found.first[i]),
                total: estimate(&whole, &plausible, |found| found.total[i]),
            })
            .collect();
        found.variance = shares(whole.variance.value.max(0.0), &independent);
        Ok(found)
    };
    let all = evaluator.interests.all().iter().enumerate();
    Ok(Sensitivity {
        inputs: design.points(),
        quantities: all.map(one).collect::<Result<_>>()?,
        parameters: names,
        notes: Vec::new(),
        maps: None,
    })
}

/// From the inputs of a pool.
pub(super) fn of_pool(evaluator: &Evaluator<'_>, points: &[AtPoint]) -> Result<Sensitivity> {
    let one = |(i, interest): (usize, &Interest)| {
        let values: Vec<&Values> = points.iter().map(|point| &point.quantities[i]).collect();
        let mut found = distribution(interest, &values, 1)?;
        let draws: Vec<Vec<f64>> = values.iter().map(|v| v.draws.clone()).collect();
        let parts = between_and_within(&draws);
        let [between, _] =
            parts.ok_or_else(|| refusal("pool", "has too few inputs or realizations"))?;
        found.variance = shares(between, &values);
        Ok(found)
    };
    let all = evaluator.interests.all().iter().enumerate();
    Ok(Sensitivity {
        parameters: Vec::new(),
        inputs: points.len(),
        quantities: all.map(one).collect::<Result<_>>()?,
        notes: Vec::new(),
        maps: None,
    })
}

/// Indices of what `at` makes of the values at a point.
fn of_rows(
    rows: &[Row<&Values>],
    design: &Design,
    centre: f64,
    at: impl Fn(&Values) -> Vec<f64>,
) -> Result<Indices> {
    let centred =
        |values: &&Values| -> Vec<f64> { at(values).iter().map(|v| v - centre).collect() };
    let block = |rows: &[Row<&Values>]| {
        let realizations = rows.first().map_or(1, |row| at(row.a).len());
        let parameters = rows.first().map_or(0, |row| row.mixed.len());
        let mut sums = Sums::new(parameters, realizations);
        rows.iter().for_each(|row| sums.add(&row.map(centred)));
        sums
    };
    let blocks: Vec<Sums> = rows.chunks(design.block_rows()).map(block).collect();
    indices(&blocks).map_err(refused)
}

fn estimate(
    whole: &Indices,
    plausible: &[Indices],
    of: impl Fn(&Indices) -> Blocked,
) -> IndexEstimate {
    let found = of(whole);
    let others: Vec<f64> = plausible.iter().map(|one| of(one).value).collect();
    // Surrogates share the realizations they are drawn with: their common error is that of the design.
    let shift = found.value - others.iter().sum::<f64>() / others.len().max(1) as f64;
    let others: Vec<f64> = others.iter().map(|other| other + shift).collect();
    let limits = interval(&found, whole.freedom, &others, LEVEL);
    IndexEstimate {
        value: found.value,
        // No index lies outside of 0 and 1; an estimate may.
        interval: limits.map(|limit| limit.clamp(0.0, 1.0)),
    }
}

/// The distribution over inputs and realizations; inputs come in groups of this size that share random
/// numbers.
fn distribution(interest: &Interest, values: &[&Values], size: usize) -> Result<QuantityOutcome> {
    let all: Vec<f64> = values.iter().flat_map(|v| &v.draws).copied().collect();
    let each = values.first().map_or(1, |v| v.draws.len());
    let quantity = &interest.quantity;
    let plausible = values.iter().flat_map(|v| v.plausible.iter().flatten());
    let missing = all
        .iter()
        .chain(plausible)
        .filter(|v| !v.is_finite())
        .count();
    if missing > 0 {
        let reason = format!(
            "it has no value on {missing} realizations; change the expression so that it has one everywhere"
        );
        return Err(refusal(
            &format!("{} = {}", quantity.name(), quantity.text()),
            &reason,
        ));
    }
    let summary = InterestSummary::grouped(&all, size * each, &interest.thresholds, None);
    let named = |(name, estimate): (String, &crate::predict::interest::Estimate)| Statistic {
        name,
        value: estimate.value,
        standard_error: estimate.standard_error,
    };
    let names = STATISTICS.iter().map(|name| (*name).to_owned());
    let thresholds = interest.thresholds.iter().map(f64::to_string);
    Ok(QuantityOutcome {
        name: quantity.name().to_owned(),
        expression: quantity.text().to_owned(),
        units: quantity.unit().map(str::to_owned),
        draws: all.len(),
        statistics: names.zip(&summary.statistics).map(named).collect(),
        exceedances: thresholds.zip(&summary.exceedances).map(named).collect(),
        variance: VarianceShares {
            total: f64::NAN,
            input: f64::NAN,
            inherent: f64::NAN,
            ignorance: None,
        },
        indices: Vec::new(),
    })
}

/// The parts of the variance: from the input, and what is left at inputs on average.
fn shares(input: f64, values: &[&Values]) -> VarianceShares {
    let mean = |of: &dyn Fn(&Values) -> f64| -> f64 {
        values.iter().map(|v| of(v)).sum::<f64>() / values.len() as f64
    };
    let left = mean(&|v| variance(&v.draws));
    let known = values.iter().all(|v| v.epistemic.is_some());
    let is_separate = values.iter().all(|v| !v.plausible.is_empty());
    let inherent = match (known, is_separate) {
        (true, _) => Some(left - mean(&|v| v.epistemic.unwrap_or(0.0))),
        (false, true) => Some(mean(&|v| {
            v.plausible.iter().map(|p| variance(p)).sum::<f64>() / v.plausible.len() as f64
        })),
        (false, false) => None,
    };
    // Of estimates from draws, one may be a little larger than the whole.
    let inherent = inherent.map(|v| v.clamp(0.0, left));
    let parts = Shares {
        input,
        inherent: inherent.unwrap_or(left),
        ignorance: inherent.map(|inherent| left - inherent),
    };
    let [input, inherent, ignorance] = parts.normalised();
    VarianceShares {
        total: parts.variance(),
        input: input.unwrap_or(f64::NAN),
        inherent: inherent.unwrap_or(f64::NAN),
        ignorance,
    }
}

/// The unbiased variance; 0 of one value.
fn variance(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    squares / (n - 1.0).max(1.0)
}
