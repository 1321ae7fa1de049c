//! Results of a sensitivity analysis, computed from the values for its inputs.

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

/// Nominal coverage of all intervals.
const LEVEL: f64 = 0.9;

/// Results of a sensitivity analysis: distributions, shares of variance and Sobol indices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sensitivity {
    /// Names of the varying parameters; empty for a pool.
    pub parameters: Vec<String>,
    /// Number of predicted inputs.
    pub inputs: usize,
    /// Results for each quantity, in the order in which they were asked for.
    pub quantities: Vec<QuantityOutcome>,
    /// Notes on inputs far outside the training range.
    #[serde(skip)]
    pub notes: Vec<String>,
    /// Indices at every point of the field, if asked for.
    #[serde(skip)]
    pub maps: Option<FinishedMaps>,
}

/// Results for one quantity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QuantityOutcome {
    /// Name.
    pub name: String,
    /// Expression.
    pub expression: String,
    /// Units.
    pub units: Option<String>,
    /// Number of draws over inputs and realizations.
    pub draws: usize,
    /// Statistics over inputs and realizations.
    pub statistics: Vec<Statistic>,
    /// Exceedance probabilities, named by their threshold.
    pub exceedances: Vec<Statistic>,
    /// Variance and its sources.
    pub variance: VarianceShares,
    /// Sobol indices of each varying parameter; empty for a pool.
    pub indices: Vec<ParameterIndices>,
}

/// A statistic with its standard error due to the finite number of draws.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Statistic {
    /// Name.
    pub name: String,
    /// Value.
    pub value: f64,
    /// Standard error.
    pub standard_error: f64,
}

/// The variance of a quantity and its shares, which add up to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct VarianceShares {
    /// Total variance in squared units.
    pub total: f64,
    /// Share due to the variation of the input.
    pub input: f64,
    /// Share due to the inherent randomness of the solution (aleatoric).
    pub inherent: f64,
    /// Share due to the lack of training data (epistemic); `None` if the method does not separate
    /// it.
    pub ignorance: Option<f64>,
}

/// Sobol indices of one parameter: shares of the variance of the mean over inputs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ParameterIndices {
    /// Name of the parameter.
    pub name: String,
    /// First-order index.
    pub first: IndexEstimate,
    /// Total index.
    pub total: IndexEstimate,
}

/// An index with its 90 % interval, which includes the uncertainty of the run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct IndexEstimate {
    /// Index.
    pub value: f64,
    /// Interval.
    pub interval: [f64; 2],
}

/// The results for the rows of a design.
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

/// The results for the inputs of a pool.
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

/// Indices of the numbers that `at` extracts from the values for an input, relative to `centre`.
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
    // All surrogates share their random realizations, and so a common sampling error. It is removed
    // here, because the error of the design already covers it.
    let shift = found.value - others.iter().sum::<f64>() / others.len().max(1) as f64;
    let others: Vec<f64> = others.iter().map(|other| other + shift).collect();
    let limits = interval(&found, whole.freedom, &others, LEVEL);
    IndexEstimate {
        value: found.value,
        // Indices lie between 0 and 1, but estimates may not.
        interval: limits.map(|limit| limit.clamp(0.0, 1.0)),
    }
}

/// The distribution over inputs and realizations. Consecutive groups of `size` inputs share random
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

/// The shares of the variance: `input` due to the input, and the average variance for fixed inputs,
/// split into its inherent and epistemic parts.
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
    // The parts are estimated from draws, so one may be slightly larger than the whole.
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

/// The unbiased variance; 0 for a single value.
fn variance(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    squares / (n - 1.0).max(1.0)
}
