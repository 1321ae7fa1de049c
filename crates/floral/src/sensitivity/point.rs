//! Predicts quantities for one input of a design or a pool, by the run and by plausible surrogates.

use super::surrogates::Surrogates;
use crate::predict::interest::{Interests, PreparedInterests};
use crate::predict::{Cases, InputPredictor, Predictor, Sampling};
use crate::random::{Purpose, stream};
use crate::{Result, Silent};

/// Realizations per surrogate, for quantities that are not affine.
const GIVEN: usize = 4;

/// Values of all quantities for one input.
#[derive(Clone)]
pub(super) struct AtPoint {
    /// Values in the order of the quantities.
    pub quantities: Vec<Values>,
    /// The mean field, if asked for: [channel, point].
    pub field: Option<Vec<f64>>,
}

/// Values of one quantity for one input.
#[derive(Clone, Default)]
pub(super) struct Values {
    /// Values on realizations.
    pub draws: Vec<f64>,
    /// The mean, for a quantity that is affine in a solution whose mean is known without drawing.
    pub mean: Option<f64>,
    /// Values on realizations of each surrogate, or only its mean: `[surrogate][realization]`.
    pub plausible: Vec<Vec<f64>>,
    /// The epistemic variance, if known without drawing.
    pub epistemic: Option<f64>,
}

/// Predicts quantities for the inputs of a design or a pool.
pub(super) struct Evaluator<'a> {
    pub predictor: &'a Predictor,
    pub cases: &'a Cases<'a>,
    pub interests: Interests,
    pub sampling: Sampling,
    pub surrogates: Option<Surrogates>,
    pub wants_fields: bool,
    /// Notes on inputs far outside the training range.
    pub notes: Vec<String>,
}

impl Evaluator<'_> {
    /// The values for an input. The inputs of a row share their random numbers, so that their
    /// values differ only because of the input.
    pub fn at(&self, input: usize, row: usize) -> Result<AtPoint> {
        let case = self.cases.case(input)?;
        let grid = self.cases.grid();
        let predicted = self
            .predictor
            .for_input(&case.input, case.low.as_ref(), grid)?;
        let mut prepared = self.interests.on(&case)?;
        let mut sum = vec![0.0; predicted.values()];
        predicted.deliver(row as u64, &self.sampling, &Silent, |_, values| {
            sum.iter_mut().zip(values).for_each(|(s, v)| *s += v);
            prepared.push(values)
        })?;
        let known = predicted.moments().map(|moments| moments.mean.clone());
        let count = self.sampling.realizations as f64;
        let field = || {
            known
                .clone()
                .unwrap_or_else(|| sum.iter().map(|s| s / count).collect())
        };
        let mut quantities = self.values(&predicted, &prepared, known.as_deref())?;
        self.add_drawn(&predicted, &prepared, (input, row), &mut quantities)?;
        Ok(AtPoint {
            quantities,
            field: self.wants_fields.then(field),
        })
    }

    /// Values on draws, and the moments of affine quantities that are known without drawing.
    fn values(
        &self,
        predicted: &InputPredictor<'_>,
        prepared: &PreparedInterests,
        mean: Option<&[f64]>,
    ) -> Result<Vec<Values>> {
        let at_mean = mean.map(|mean| prepared.of(mean)).transpose()?;
        let functionals = prepared.functionals();
        let one = |(i, draws): (usize, &Vec<f64>)| {
            let functional = functionals[i].as_ref();
            let effects = functional.and_then(|(c, _)| predicted.epistemic_effects(c));
            let mean = at_mean
                .as_ref()
                .filter(|_| functional.is_some())
                .map(|at| at[i]);
            Values {
                draws: draws.clone(),
                mean,
                epistemic: effects.as_ref().map(|e| e.iter().map(|e| e * e).sum()),
                plausible: Vec::new(),
            }
        };
        Ok(prepared.values().iter().enumerate().map(one).collect())
    }

    /// Adds the predictions of plausible surrogates.
    fn add_drawn(
        &self,
        predicted: &InputPredictor<'_>,
        prepared: &PreparedInterests,
        (input, row): (usize, usize),
        quantities: &mut [Values],
    ) -> Result<()> {
        let Some(surrogates) = &self.surrogates else {
            return Ok(());
        };
        let functionals = prepared.functionals();
        let effects: Vec<Option<Vec<f64>>> = functionals
            .iter()
            .map(|f| predicted.epistemic_effects(&f.as_ref()?.0))
            .collect();
        for numbers in surrogates.at(input) {
            let is_drawn = |(values, effects): (&Values, &Option<Vec<f64>>)| {
                values.mean.is_none() || effects.is_none()
            };
            let drawn = match quantities.iter().zip(&effects).any(is_drawn) {
                true => self.drawn(predicted, prepared, row, &numbers)?,
                false => vec![Vec::new(); quantities.len()],
            };
            let each = quantities.iter_mut().zip(&effects).zip(drawn);
            for ((values, effects), drawn) in each {
                values.plausible.push(match (values.mean, effects) {
                    (Some(mean), Some(effects)) => {
                        let shift = effects.iter().zip(&numbers).map(|(e, z)| e * z);
                        vec![mean + shift.sum::<f64>()]
                    }
                    _ => drawn,
                });
            }
        }
        Ok(())
    }

    /// Values of the quantities on realizations with these epistemic numbers:
    /// `[quantity][realization]`.
    fn drawn(
        &self,
        predicted: &InputPredictor<'_>,
        prepared: &PreparedInterests,
        row: usize,
        numbers: &[f64],
    ) -> Result<Vec<Vec<f64>>> {
        let of = |r: usize| stream(self.sampling.seed, Purpose::Plausible, row as u64, r as u64);
        let fields = predicted.drawn_given((0..GIVEN).map(of).collect(), numbers);
        let mut all = vec![Vec::with_capacity(GIVEN); self.interests.all().len()];
        for field in fields.chunks_exact(predicted.values().max(1)) {
            for (all, value) in all.iter_mut().zip(prepared.of(field)?) {
                all.push(value);
            }
        }
        Ok(all)
    }
}
