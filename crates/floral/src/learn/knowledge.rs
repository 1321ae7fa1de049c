//! What a fit knows of a quantity over a pool: its mean, how uncertain it is at each input, and how far that goes together.

use rayon::prelude::*;

use crate::kl::Query;
use crate::observer::{Event, Observer, go_on};
use crate::predict::interest::{Asked, Interests, PreparedInterests};
use crate::predict::{Cases, InputPredictor, Predictor};
use crate::random::{Purpose, stream};
use crate::sensitivity::refusal;
use crate::{Field, Result};

/// Inputs of the pool that are considered; of a larger pool, some at equal steps.
const MOST: usize = 400;

/// Realizations from which the effect of an epistemic number is computed, of quantities that are not affine.
const DRAWS: usize = 8;

/// What is known of the quantity at the inputs of a pool.
pub(super) struct Knowledge {
    /// The inputs that are considered.
    pub inputs: Vec<usize>,
    /// Of what is not known: [input, input].
    pub covariance: Vec<f64>,
    /// The variance of a run's own mean of the quantity.
    pub noise: Vec<f64>,
    means: Vec<f64>,
}

/// What is known at one input.
struct AtInput {
    mean: f64,
    /// How far each epistemic number moves the quantity.
    effects: Vec<f64>,
    inherent: f64,
    query: (Field, Option<Field>),
}

impl Knowledge {
    /// By a model, for runs of this number of realizations.
    pub(super) fn new(
        predictor: &Predictor,
        cases: &Cases<'_>,
        quantity: &str,
        realizations: usize,
        observer: &dyn Observer,
    ) -> Result<Self> {
        let asked = Asked {
            quantities: vec![quantity.to_owned()],
            thresholds: Vec::new(),
        };
        let interests = Interests::of_cases(&asked, predictor.header(), cases)?;
        let interests = interests.ok_or_else(|| refusal("quantity", "none is given"))?;
        let count = cases.inputs().min(MOST);
        let inputs: Vec<usize> = (0..count).map(|i| i * cases.inputs() / count).collect();
        observer.observe(&Event::Inputs {
            done: 0,
            total: count,
        });
        let one = |index: &usize| {
            go_on(observer)?;
            let found = at_input(predictor, cases, &interests, *index);
            observer.observe(&Event::Generated { input: *index });
            found
        };
        let known = inputs
            .par_iter()
            .map(one)
            .collect::<Result<Vec<AtInput>>>()?;
        let queries: Vec<Query<'_>> = known.iter().map(AtInput::query).collect();
        let correlations = predictor.error_correlations(&queries)?;
        let correlations = correlations.ok_or_else(|| {
            refusal(
                "method",
                "it has no epistemic uncertainty; learn with floral-kl or kriging",
            )
        })?;
        let product = |a: &AtInput, b: &AtInput| -> f64 {
            a.effects.iter().zip(&b.effects).map(|(a, b)| a * b).sum()
        };
        let pairs = (0..count).flat_map(|a| (0..count).map(move |b| (a, b)));
        let covariance = pairs.map(|(a, b)| correlations[(a, b)] * product(&known[a], &known[b]));
        Ok(Self {
            covariance: covariance.collect(),
            noise: known
                .iter()
                .map(|k| k.inherent / realizations.max(1) as f64)
                .collect(),
            means: known.iter().map(|k| k.mean).collect(),
            inputs,
        })
    }

    /// The root mean square over inputs of what is not known.
    pub(super) fn std(&self) -> f64 {
        let n = self.inputs.len();
        let squares: f64 = (0..n).map(|i| self.covariance[i * n + i]).sum();
        (squares / n as f64).sqrt()
    }

    /// The mean over inputs.
    pub(super) fn mean(&self) -> f64 {
        self.means.iter().sum::<f64>() / self.means.len() as f64
    }
}

impl AtInput {
    fn query(&self) -> Query<'_> {
        let (input, low) = &self.query;
        Query {
            input: input.values(),
            low: low.as_ref().map(Field::values),
        }
    }
}

fn at_input(
    predictor: &Predictor,
    cases: &Cases<'_>,
    interests: &Interests,
    index: usize,
) -> Result<AtInput> {
    let case = cases.case(index)?;
    let (low, grid) = (case.low.as_ref(), cases.grid());
    let derived = predictor.for_input(&case.input, low, grid)?;
    let prepared = interests.on(&case)?;
    let count = derived.epistemic_count();
    let draws = drawn(&derived, &prepared, index, &vec![0.0; count])?;
    let mean = draws.iter().sum::<f64>() / draws.len().max(1) as f64;
    let square: f64 = draws.iter().map(|v| (v - mean).powi(2)).sum();
    let functional = prepared.functionals().pop().flatten();
    let known = functional.and_then(|(coefficients, _)| derived.epistemic_effects(&coefficients));
    let effects = match known {
        Some(effects) => effects,
        None => (0..count)
            .map(|k| effect(&derived, &prepared, index, (k, count)))
            .collect::<Result<_>>()?,
    };
    let found = AtInput {
        mean,
        effects,
        inherent: square / (draws.len() as f64 - 1.0).max(1.0),
        query: predictor.query(&case.input, low, grid)?,
    };
    if !found.mean.is_finite() || found.effects.iter().any(|e| !e.is_finite()) {
        let reason =
            format!("it has no value on some realization of input {index}; change the expression");
        return Err(refusal("quantity", &reason));
    }
    Ok(found)
}

/// Half of what the quantity moves between the epistemic number +1 and -1, on the same realizations.
fn effect(
    derived: &InputPredictor<'_>,
    prepared: &PreparedInterests,
    index: usize,
    (factor, count): (usize, usize),
) -> Result<f64> {
    let side = |sign: f64| -> Result<f64> {
        let mut numbers = vec![0.0; count];
        numbers[factor] = sign;
        let draws = drawn(derived, prepared, index, &numbers)?;
        Ok(draws.iter().sum::<f64>() / draws.len().max(1) as f64)
    };
    Ok(0.5 * (side(1.0)? - side(-1.0)?))
}

/// The quantity on realizations with these epistemic numbers.
fn drawn(
    derived: &InputPredictor<'_>,
    prepared: &PreparedInterests,
    index: usize,
    numbers: &[f64],
) -> Result<Vec<f64>> {
    let of = |r: usize| stream(0, Purpose::Plausible, index as u64, r as u64);
    let fields = derived.drawn_given((0..DRAWS).map(of).collect(), numbers);
    let value = |field: &[f64]| prepared.of(field).map(|values| values[0]);
    fields
        .chunks_exact(derived.values().max(1))
        .map(value)
        .collect()
}
