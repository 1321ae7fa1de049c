//! Unbiased mean of a quantity of interest from a few fresh high-fidelity runs, with the run's
//! predictions on a larger pool of inputs as control variate.
//!
//! Fresh inputs and pool inputs are assumed to be independent draws from one distribution. The
//! estimator is implemented in `floral_decisions::control_variate`.

use std::ops::Range;
use std::time::Instant;

use floral_decisions::budget::split;
use floral_decisions::control_variate::{UnbiasedMean, unbiased_mean as estimate};
use rayon::prelude::*;
use serde::Serialize;

use crate::dataset::Dataset;
use crate::observer::{Event, Observer, go_on};
use crate::predict::interest::{Asked, Interest, Interests};
use crate::predict::{Cases, Predictor, Sampling, aligned_dataset};
use crate::sensitivity::{refusal, refused};
use crate::{Error, Result, Silent};

/// Nominal coverage of the reported intervals.
const LEVEL: f64 = 0.9;

/// Settings of [`unbiased_mean`].
#[derive(Debug, Clone)]
pub struct UnbiasedRequest {
    /// Quantities of interest; thresholds are ignored.
    pub asked: Asked,
    /// Realizations per input that estimate the predicted mean of a quantity that is not affine in
    /// the solution.
    pub realizations: usize,
    /// Seed of these realizations.
    pub seed: u64,
    /// Cost of a fresh high-fidelity run, in any unit; `None` if no split of a budget is wanted.
    pub cost_high: Option<f64>,
    /// Cost of a prediction, low fidelity included, in the same unit; if absent, the measured time
    /// in seconds.
    pub cost_low: Option<f64>,
    /// Budget to split; if absent, the total cost of the fresh runs and of all predictions.
    pub budget: Option<f64>,
}

impl Default for UnbiasedRequest {
    fn default() -> Self {
        Self {
            asked: Asked::default(),
            realizations: 64,
            seed: 0,
            cost_high: None,
            cost_low: None,
            budget: None,
        }
    }
}

/// The estimated mean of one quantity.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct UnbiasedQuantity {
    /// Name of the quantity.
    pub name: String,
    /// Its expression.
    pub expression: String,
    /// Its units.
    pub units: Option<String>,
    /// Unbiased mean over inputs and realizations.
    pub mean: f64,
    /// Standard error of `mean`.
    pub standard_error: f64,
    /// 90 % confidence interval of the mean.
    pub interval: [f64; 2],
    /// Mean of the fresh runs alone, and its standard error.
    pub runs_alone: [f64; 2],
    /// Mean of the run's predictions over the pool, which may be biased.
    pub predicted: f64,
    /// Correlation over inputs between fresh runs and predictions.
    pub correlation: f64,
    /// Coefficient of the control variate.
    pub coefficient: f64,
    /// Factor by which fresh runs alone would have to be more numerous for the same standard error.
    pub gain: f64,
    /// Mean of predictions minus fresh runs, and its standard error.
    pub bias: [f64; 2],
    /// Probability of a bias estimate at least as large if the true bias is zero.
    pub p_value: f64,
    /// Numbers of fresh inputs and of pool inputs.
    pub inputs: [usize; 2],
    /// Best split of the budget, if costs are given.
    pub split: Option<BudgetSplit>,
}

/// The best split of a budget between fresh runs and predictions.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct BudgetSplit {
    /// Budget, in the unit of the costs.
    pub budget: f64,
    /// Cost of a fresh run and of a prediction.
    pub costs: [f64; 2],
    /// Number of fresh runs.
    pub runs: f64,
    /// Number of further pool inputs.
    pub pool: f64,
    /// Expected standard error of the mean.
    pub standard_error: f64,
    /// Variance of the mean of fresh runs alone at the same budget, divided by that of the split.
    pub gain: f64,
}

/// Fresh inputs with their high-fidelity solutions.
pub struct Fresh<'a> {
    /// Dataset with the fresh inputs and their solutions.
    pub dataset: &'a Dataset,
    /// Inputs of the dataset, aligned with the run.
    pub cases: &'a Cases<'a>,
    /// Indices of the inputs to use.
    pub inputs: Range<usize>,
}

/// Unbiased means of quantities from fresh runs and a pool of inputs, one result per quantity.
pub fn unbiased_mean(
    predictor: &Predictor,
    fresh: &Fresh<'_>,
    pool: &Cases<'_>,
    request: &UnbiasedRequest,
    observer: &dyn Observer,
) -> Result<Vec<UnbiasedQuantity>> {
    check(predictor, fresh, pool, request)?;
    let total = fresh.inputs.len() + pool.inputs();
    observer.observe(&Event::Inputs { done: 0, total });
    let start = Instant::now();
    let at_runs = predicted(
        predictor,
        fresh.cases,
        fresh.inputs.clone(),
        request,
        observer,
    )?;
    let at_pool = predicted(predictor, pool, 0..pool.inputs(), request, observer)?;
    let seconds = start.elapsed().as_secs_f64() / total as f64;
    let (interests, runs) = solved(predictor, fresh, &request.asked)?;
    let one = |(i, interest): (usize, &Interest)| {
        let column = |rows: &[Vec<f64>]| rows.iter().map(|row| row[i]).collect::<Vec<f64>>();
        let found = estimate(&column(&runs), &column(&at_runs), &column(&at_pool));
        let found = found.map_err(|error| {
            let quantity = &interest.quantity;
            refusal(
                &format!("{} = {}", quantity.name(), quantity.text()),
                &error.to_string(),
            )
        })?;
        outcome(
            interest,
            &found,
            [fresh.inputs.len(), pool.inputs()],
            request,
            seconds,
        )
    };
    interests.all().iter().enumerate().map(one).collect()
}

fn check(
    predictor: &Predictor,
    fresh: &Fresh<'_>,
    pool: &Cases<'_>,
    request: &UnbiasedRequest,
) -> Result<()> {
    if request.asked.quantities.is_empty() {
        return Err(refusal(
            "quantity",
            "none is given; name what matters, as in peak = max(u)",
        ));
    }
    if !fresh.dataset.has_high() {
        return Err(Error::BadFile {
            path: fresh.dataset.path().to_owned(),
            reason: "has no high-fidelity solutions; fresh runs need them as the array high".into(),
        });
    }
    if pool.inputs() == 0 {
        return Err(refusal(
            "pool",
            "it has no inputs; give many more than fresh runs",
        ));
    }
    let seen = predictor
        .header()
        .seen_among(fresh.dataset, fresh.inputs.clone())?;
    if let [first, ..] = seen[..] {
        return Err(Error::BadFile {
            path: fresh.dataset.path().to_owned(),
            reason: format!(
                "the run was trained on {} of these inputs, input {first} among them, so that the mean would be \
                 biased; give inputs that it has not seen",
                seen.len()
            ),
        });
    }
    Ok(())
}

/// Predicted mean of each quantity for every input: `[input][quantity]`.
fn predicted(
    predictor: &Predictor,
    cases: &Cases<'_>,
    inputs: Range<usize>,
    request: &UnbiasedRequest,
    observer: &dyn Observer,
) -> Result<Vec<Vec<f64>>> {
    let interests = Interests::of_cases(&request.asked, predictor.header(), cases)?;
    let interests = interests.ok_or_else(|| refusal("quantity", "none is given"))?;
    cases.prepare(inputs.clone(), observer)?;
    cases.check(predictor, inputs.clone())?;
    let one = |index: usize| {
        go_on(observer)?;
        let values = mean_at(predictor, cases, &interests, index, request);
        observer.observe(&Event::Generated { input: index });
        values
    };
    inputs.into_par_iter().map(one).collect()
}

/// Predicted mean of each quantity for one input: exact if the quantity is affine and the predicted
/// mean field is known in closed form, otherwise the mean over realizations.
fn mean_at(
    predictor: &Predictor,
    cases: &Cases<'_>,
    interests: &Interests,
    index: usize,
    request: &UnbiasedRequest,
) -> Result<Vec<f64>> {
    let case = cases.case(index)?;
    let derived = predictor.for_input(&case.input, case.low.as_ref(), cases.grid())?;
    let mut prepared = interests.on(&case)?;
    let known = derived
        .moments()
        .map(|moments| prepared.of(&moments.mean))
        .transpose()?;
    let affine: Vec<bool> = prepared.functionals().iter().map(Option::is_some).collect();
    if let Some(known) = known
        .as_ref()
        .filter(|_| affine.iter().all(|is_affine| *is_affine))
    {
        return Ok(known.clone());
    }
    let sampling = Sampling {
        realizations: request.realizations.max(1),
        seed: request.seed,
        ..Sampling::default()
    };
    derived.deliver(index as u64, &sampling, &Silent, |_, values| {
        prepared.push(values)
    })?;
    let mean = |(i, values): (usize, &Vec<f64>)| match &known {
        Some(known) if affine[i] => known[i],
        _ => values.iter().sum::<f64>() / values.len() as f64,
    };
    Ok(prepared.values().iter().enumerate().map(mean).collect())
}

/// Mean of each quantity over the high-fidelity realizations of every fresh input:
/// `[input][quantity]`.
fn solved(
    predictor: &Predictor,
    fresh: &Fresh<'_>,
    asked: &Asked,
) -> Result<(Interests, Vec<Vec<f64>>)> {
    let header = predictor.header();
    let (dataset, _) = aligned_dataset(header, fresh.dataset)?;
    let interests = Interests::of_cases(asked, header, fresh.cases)?;
    let interests = interests.ok_or_else(|| refusal("quantity", "none is given"))?;
    let mut all = Vec::new();
    for index in fresh.inputs.clone() {
        let mut prepared = interests.on(&fresh.cases.case(index)?)?;
        for realization in dataset.high(index)?.iter() {
            prepared.push(realization)?;
        }
        let mean = |values: &Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
        all.push(prepared.values().iter().map(mean).collect());
    }
    Ok((interests, all))
}

fn outcome(
    interest: &Interest,
    found: &UnbiasedMean,
    inputs: [usize; 2],
    request: &UnbiasedRequest,
    seconds: f64,
) -> Result<UnbiasedQuantity> {
    let [runs, pool] = inputs.map(|n| n as f64);
    let cost_low = request.cost_low.unwrap_or(seconds);
    let best = |high: f64| -> Result<BudgetSplit> {
        let spent = runs * high + (runs + pool) * cost_low;
        let budget = request.budget.unwrap_or(spent);
        let best = split(budget, high, cost_low, found.correlation).map_err(refused)?;
        Ok(BudgetSplit {
            budget,
            costs: [high, cost_low],
            runs: best.runs,
            pool: best.pool,
            standard_error: best.standard_error * found.spread,
            gain: best.gain,
        })
    };
    Ok(UnbiasedQuantity {
        name: interest.quantity.name().to_owned(),
        expression: interest.quantity.text().to_owned(),
        units: interest.quantity.unit().map(str::to_owned),
        mean: found.value,
        standard_error: found.standard_error,
        interval: found.interval(LEVEL),
        runs_alone: found.plain,
        predicted: found.surrogate,
        correlation: found.correlation,
        coefficient: found.coefficient,
        gain: found.gain,
        bias: [found.bias.bias, found.bias.standard_error],
        p_value: found.bias.p_value,
        inputs,
        split: request.cost_high.map(best).transpose()?,
    })
}

#[cfg(test)]
#[cfg(feature = "networks")]
mod tests {
    use super::*;
    use crate::dataset::SplitConfig;
    use crate::operator::Device;
    use crate::train::{Method, RunFolder, TrainConfig, train};
    use crate::{Arrays, Axis, Field, Grid};

    fn grid() -> Grid {
        Grid::new(vec![Axis::closed("x", 8)])
    }

    /// Inputs s x with the solutions sin(3 s) x + e.
    fn dataset(folder: &tempfile::TempDir, name: &str, slopes: &[f64]) -> Dataset {
        let field = |f: &dyn Fn(f64) -> f64| {
            let x = grid().axes[0].coordinates.clone();
            Field::scalar(&grid(), x.iter().map(|x| f(*x)).collect())
        };
        let mut arrays = Arrays::new(grid());
        for s in slopes {
            let high = [-0.05, 0.0, 0.05].map(|e| field(&|x| (3.0 * s).sin() * x + e));
            arrays.push(&field(&|x| s * x), None, &high).unwrap();
        }
        arrays.write(folder.path().join(name)).unwrap()
    }

    fn slopes(count: u32, from: f64) -> Vec<f64> {
        (0..count)
            .map(|i| (from + f64::from(i) * 0.618_034) % 1.0)
            .collect()
    }

    #[test]
    fn the_mean_is_that_of_the_truth_and_trained_inputs_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let config = TrainConfig {
            method: Method::Kriging,
            split: SplitConfig::new(0, 0, None),
            ..TrainConfig::default()
        };
        let data = dataset(&folder, "data.zarr", &slopes(6, 0.05));
        let run = RunFolder::create(&folder.path().join("run"), &config).unwrap();
        train(&run, &data, &Device::flex(), &Silent).unwrap();
        let predictor = Predictor::load(&run, &Device::flex()).unwrap();
        let (fresh, pool) = (
            dataset(&folder, "fresh.zarr", &slopes(12, 0.33)),
            dataset(&folder, "pool.zarr", &slopes(300, 0.21)),
        );
        let (cases, pool) = (Cases::of(&fresh).unwrap(), Cases::of(&pool).unwrap());
        let request = UnbiasedRequest {
            asked: Asked {
                quantities: vec!["end = at(u, 1)".into(), "top = max(u)".into()],
                thresholds: Vec::new(),
            },
            cost_high: Some(100.0),
            cost_low: Some(1.0),
            ..UnbiasedRequest::default()
        };
        let fresh = Fresh {
            dataset: &fresh,
            cases: &cases,
            inputs: 0..12,
        };
        let found = unbiased_mean(&predictor, &fresh, &pool, &request, &Silent).unwrap();
        // The mean of sin(3 s) over uniform s.
        let truth = (1.0 - 3f64.cos()) / 3.0;
        let end = &found[0];
        assert!(
            (end.mean - truth).abs() < 4.0 * end.standard_error + 0.01,
            "{end:?}"
        );
        assert!(
            end.gain > 3.0 && end.standard_error < end.runs_alone[1],
            "{end:?}"
        );
        assert!(end.split.unwrap().gain > 1.0 && (0.0..=1.0).contains(&end.p_value));
        assert!(found[1].mean > end.mean - 0.02);
        let trained = Cases::of(&data).unwrap();
        let seen = Fresh {
            dataset: &data,
            cases: &trained,
            inputs: 0..6,
        };
        let words = unbiased_mean(&predictor, &seen, &pool, &request, &Silent)
            .unwrap_err()
            .to_string();
        assert!(words.contains("trained on 6 of these inputs"), "{words}");
    }
}
