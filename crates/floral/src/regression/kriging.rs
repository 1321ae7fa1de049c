//! Kriging: mean, spread and ignorance of a solution from those of a few training inputs.
//!
//! The mean residual and the variance are each a [`blend`](super::blend) of regressions; what the
//! mean's blend misses at judging inputs is the epistemic part; variances may be regressed on
//! the predicted mean; realizations get their correlation
//! from `spread`, and intervals their width from `calibration`.

use super::blend::{Blend, MemberScore, Verdict};
use super::calibration::{Calibration, Deviation};
use super::case::{Case, Channels, Framed, Query, mixed_low};
use super::ignorance::Ignorance;
use super::kernel::Neighbours;
use super::moments::{self, Moments};
use super::prediction::Prediction;
use super::remainder::Remainder;
use super::sampler::Sampler;
use super::spread::Spread;
use super::target::{Examples, Parity};
use super::{Lattice, Recipe, Symmetries};
use crate::Result;
use crate::observer::Observer;

/// Predicted variances are at least this share of the training inputs' mean variance, so that no
/// point is taken for certain.
const LEAST_VARIANCE: f64 = 1e-3;

/// Training fields, each possibly moved and rolled, that make up the spread of a query.
const NEAREST: usize = 20;

/// Values of a judging input that enter the calibration; neighbours tell the same.
const MOST_VALUES: usize = 20_000;

/// A regression fitted to training cases.
pub struct Kriging {
    pub(super) lattice: Lattice,
    pub(super) channels: Channels,
    pub(super) symmetries: Symmetries,
    /// The training inputs.
    pub(super) framed: Vec<Framed>,
    pub(super) mean: Blend,
    pub(super) variance: Option<Blend>,
    pub(super) spread: Option<Spread>,
    pub(super) neighbours: Neighbours,
    pub(super) ignorance: Ignorance,
    pub(super) calibration: Calibration,
    pub(super) least_variance: f64,
}

impl Kriging {
    /// Fits mean and spread to the cases.
    ///
    /// Inputs held out choose ridges, weights and the widths of intervals; without any, the training
    /// inputs do, each left out of the fit that it judges.
    pub fn fit(
        recipe: Recipe,
        lattice: &Lattice,
        channels: Channels,
        symmetries: &Symmetries,
        cases: &[Case<'_>],
        held_out: &[Case<'_>],
        observer: &dyn Observer,
    ) -> Result<Self> {
        channels.check_all(lattice, cases, held_out)?;
        let is_single = |case: &Case<'_>| case.count(lattice, channels) == 1;
        if !held_out.is_empty() && cases.iter().any(is_single) {
            // What single realizations vary by is what the mean misses at inputs left out.
            let all = [cases, held_out].concat();
            return Self::fit(recipe, lattice, channels, symmetries, &all, &[], observer);
        }
        let interpolation = moments::interpolation(lattice, channels, symmetries, cases);
        let moments =
            |cases| Moments::new(lattice, channels, symmetries, cases, interpolation.as_ref());
        let (mut train, held) = (moments(cases), moments(held_out));
        let (mean, verdict) = mean_blend(recipe, lattice, symmetries, (&train, &held), observer)?;
        train.complete_variances(&verdict.errors);
        let neighbours = Neighbours::new(lattice, symmetries, &train.framed, &held.framed);
        let is_held = !held_out.is_empty();
        let (judging, judges) = if is_held {
            (held_out, &held)
        } else {
            (cases, &train)
        };
        let novelty = |framed| mean.novelty(framed, neighbours.distance(framed));
        let novelty: Option<Vec<f64>> = is_held.then(|| held.framed.iter().map(novelty).collect());
        let mut fitted = Self {
            lattice: lattice.clone(),
            channels,
            symmetries: symmetries.clone(),
            framed: train.framed.clone(),
            mean,
            variance: None,
            spread: None,
            neighbours,
            ignorance: ignorance(lattice, symmetries, &verdict, judges, novelty.as_deref()),
            calibration: Calibration::new(&[]),
            least_variance: 0.0,
        };
        let spread = fitted.fit_spread(recipe, cases, &train, (&held, &verdict), observer)?;
        fitted.calibrate(
            judging,
            judges,
            novelty.as_deref(),
            [Some(&verdict), spread.as_ref()],
        );
        Ok(fitted)
    }

    /// Variances and factors, and what the variances' blend says of the judging inputs.
    fn fit_spread(
        &mut self,
        recipe: Recipe,
        cases: &[Case<'_>],
        train: &Moments,
        (held, verdict): (&Moments, &Verdict),
        observer: &dyn Observer,
    ) -> Result<Option<Verdict>> {
        let Some(spreads) = train.spreads(&train.framed) else {
            return Ok(None);
        };
        let examples = Examples {
            train: spreads,
            held: held.spreads(&held.framed).unwrap_or(held.means().none()),
            parity: Parity::Even,
        };
        // Means as a new input's would be: guessed by the others, or at least not its own average.
        let guesses = if examples.has_held() {
            let guess = |framed: &Framed| over(self.mean.predict(framed, None), framed.size);
            train.framed.iter().map(guess).collect()
        } else {
            verdict.guesses.clone()
        };
        let around = [train.around(&guesses), held.around(&verdict.guesses)];
        let around = train.spreads(&around[0]).map(|spreads| Examples {
            train: spreads,
            held: held.spreads(&around[1]).unwrap_or(held.means().none()),
            parity: Parity::Even,
        });
        self.least_variance = LEAST_VARIANCE * average(train.variances.iter().flatten());
        let (menu, lattice) = (recipe.variance(), &self.lattice);
        let (blend, verdict) = Blend::new(
            &menu,
            lattice,
            &self.symmetries,
            &examples,
            around.as_ref(),
            observer,
        )?;
        self.variance = Some(blend);
        let values = self.channels.solution * self.lattice.len();
        let known = cases.iter().zip(&train.interpolated);
        let realizations: Vec<&[f64]> = known
            .map(|(case, interpolated)| interpolated.as_deref().unwrap_or(case.realizations))
            .collect();
        self.spread = Spread::new(&realizations, values, &self.lattice);
        Ok(Some(verdict))
    }

    /// Makes intervals hold what they say of the judging inputs' realizations.
    fn calibrate(
        &mut self,
        cases: &[Case<'_>],
        judges: &Moments,
        novelty: Option<&[f64]>,
        [mean, spread]: [Option<&Verdict>; 2],
    ) {
        let judge = |i: usize| {
            let framed = &judges.framed[i];
            let growth = novelty.map_or(1.0, |novelty| self.ignorance.growth(novelty[i]));
            let known = cases[i].known(&self.lattice);
            let residuals = moments::residuals(&self.lattice, self.channels, &cases[i], framed);
            let step = residuals.len().div_ceil(MOST_VALUES) | 1;
            let deviation = |(at, residual): (usize, &f64)| {
                let (channel, at) = (at / known % self.channels.solution, at % known);
                let point = cases[i].points.map_or(at, |points| points[at]);
                let place = channel * self.lattice.len() + point;
                let guess = |verdict: &Verdict| verdict.guesses[i][place];
                Deviation {
                    square: (residual - mean.map_or(0.0, guess)).powi(2),
                    aleatoric: spread.map_or(0.0, |v| guess(v).max(self.least_variance)),
                    epistemic: growth * self.ignorance.variance[place],
                }
            };
            let kept = residuals.iter().enumerate().step_by(step);
            kept.map(deviation).collect::<Vec<Deviation>>()
        };
        let judged: Vec<Vec<Deviation>> = (0..cases.len()).map(judge).collect();
        self.calibration = Calibration::new(&judged);
    }

    /// Takes back a calibration that makes variances smaller.
    ///
    /// Intervals of normal laws are calibrated. Of two modes, or of a law that hardly varies at most
    /// points and much at some, they hold more than they say; deviations would shrink for that and
    /// all quantiles with them.
    pub(crate) fn keep_deviations(&mut self) {
        self.calibration.total = self.calibration.total.max(1.0);
    }

    /// Mean and variances of the solution of a query.
    pub fn predict(&self, query: &Query<'_>) -> Result<Prediction> {
        let framed = self.framed(query)?;
        Ok(self.prediction(query, &framed))
    }

    /// What draws deviations from the mean of the solution of a query, of what is not known too.
    pub fn sampler(&self, query: &Query<'_>) -> Result<Sampler> {
        let framed = self.framed(query)?;
        let prediction = self.prediction(query, &framed);
        let values = prediction.mean.len();
        let mut fields = Vec::new();
        if let Some(spread) = &self.spread {
            let nearest = self.neighbours.nearest(&framed, &self.symmetries, NEAREST);
            let factors = spread.factors(&nearest, values).into_iter();
            let variance = &prediction.aleatoric;
            fields.extend(factors.map(|field| scaled(field, variance, prediction.factor)));
        }
        self.sampler_of(&prediction, fields, &prediction.total())
    }

    /// The same for all but the variance that factors of another law have, in the solution's units:
    /// [factor][channel, point].
    pub fn sampler_beside(&self, query: &Query<'_>, factors: &[Vec<f32>]) -> Result<Sampler> {
        let framed = self.framed(query)?;
        let prediction = self.prediction(query, &framed);
        let mut variance = prediction.total();
        for factor in factors {
            let parts = variance.iter_mut().zip(factor);
            parts.for_each(|(left, f)| *left = (*left - f64::from(*f).powi(2)).max(0.0));
        }
        self.sampler_of(&prediction, Vec::new(), &variance)
    }

    /// Draws these fields, what is not known, and a remainder up to a variance.
    fn sampler_of(
        &self,
        prediction: &Prediction,
        mut fields: Vec<Vec<f64>>,
        variance: &[f64],
    ) -> Result<Sampler> {
        for field in self.ignorance.factors.chunks_exact(prediction.mean.len()) {
            let field = field.iter().map(|v| f64::from(*v)).collect();
            fields.push(scaled(field, &prediction.epistemic, prediction.factor));
        }
        let widths = self.spread.as_ref().map_or(&[][..], |s| &s.widths);
        let remainder = |deviation| Remainder::new(&self.lattice, widths, deviation);
        Sampler::new(&fields, variance, remainder)
    }

    /// The candidates for the mean, and what they achieved at judging inputs.
    pub fn mean_scores(&self) -> &[MemberScore] {
        &self.mean.scores
    }

    /// The candidates for the variance; none if inputs have one realization each.
    pub fn variance_scores(&self) -> &[MemberScore] {
        self.variance.as_ref().map_or(&[], |blend| &blend.scores)
    }

    /// The factor by which both variances together were too small at the judging inputs.
    pub fn calibration(&self) -> f64 {
        self.calibration.total
    }

    /// The lattice of inputs and solutions.
    pub fn lattice(&self) -> &Lattice {
        &self.lattice
    }

    /// How many channels inputs and solutions have.
    pub fn channels(&self) -> Channels {
        self.channels
    }

    fn with_low(&self) -> bool {
        !self.framed[0].low.is_empty()
    }

    pub(super) fn framed(&self, query: &Query<'_>) -> Result<Framed> {
        self.channels.check(&self.lattice, query)?;
        if query.low.is_some() != self.with_low() {
            return Err(mixed_low());
        }
        Ok(Framed::new(query, &self.symmetries))
    }

    fn prediction(&self, query: &Query<'_>, framed: &Framed) -> Prediction {
        let mut mean = self.mean.predict(framed, None);
        let around = framed.around(&over(mean.clone(), framed.size));
        for (value, low) in mean.iter_mut().zip(query.low.unwrap_or(&[])) {
            *value += low;
        }
        let least = self.least_variance * Parity::Even.size(framed);
        let aleatoric = self
            .variance
            .as_ref()
            .map(|blend| blend.predict(framed, Some(&around)));
        let aleatoric = aleatoric.map_or(vec![0.0; mean.len()], |variance| {
            variance.into_iter().map(|v| v.max(least)).collect()
        });
        let novelty = self.mean.novelty(framed, self.neighbours.distance(framed));
        let unknown =
            self.calibration.epistemic * self.ignorance.growth(novelty) * Parity::Even.size(framed);
        let epistemic = self.ignorance.variance.iter().map(|v| v * unknown);
        Prediction {
            mean,
            aleatoric,
            epistemic: epistemic.collect(),
            factor: self.calibration.total,
            novelty,
        }
    }
}

/// The mean residual's blend, and what it says of the judging inputs.
fn mean_blend(
    recipe: Recipe,
    lattice: &Lattice,
    symmetries: &Symmetries,
    (train, held): (&Moments, &Moments),
    observer: &dyn Observer,
) -> Result<(Blend, Verdict)> {
    let examples = Examples {
        train: train.means(),
        held: held.means(),
        parity: Parity::Odd,
    };
    let menu = recipe.mean();
    Blend::new(&menu, lattice, symmetries, &examples, None, observer)
}

/// What the mean missed at judging inputs, as far as it is known there.
fn ignorance(
    lattice: &Lattice,
    symmetries: &Symmetries,
    verdict: &Verdict,
    judges: &Moments,
    novelty: Option<&[f64]>,
) -> Ignorance {
    let errors = verdict.errors.iter().enumerate();
    let errors: Vec<Vec<f64>> = errors.map(|(i, e)| judges.completed(i, e)).collect();
    Ignorance::new(lattice, symmetries, &errors, judges, novelty)
}

fn over(mut values: Vec<f64>, size: f64) -> Vec<f64> {
    values.iter_mut().for_each(|value| *value /= size);
    values
}

/// A field of unit variance with this variance times a factor.
fn scaled(mut field: Vec<f64>, variance: &[f64], factor: f64) -> Vec<f64> {
    let parts = field.iter_mut().zip(variance);
    parts.for_each(|(f, v)| *f *= (factor * v).sqrt());
    field
}

fn average<'a>(values: impl Iterator<Item = &'a f64>) -> f64 {
    let (count, sum) = values.fold((0.0, 0.0), |(n, s), v| (n + 1.0, s + v));
    if count > 0.0 { sum / count } else { 0.0 }
}
