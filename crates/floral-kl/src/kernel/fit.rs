//! Fits a kernel regression: chooses the ridge by the judging inputs, finds coefficients per
//! frequency.

use std::sync::Arc;

use floral_linalg::{Mat, c64};
use rayon::prelude::*;

use super::decomposition::{in_complex, systems};
use super::posterior::Posterior;
use super::spectrum::C64;
use super::system::{HeldOut, Judgement, Judges, System};
use super::{Covariance, KernelFit, Rows};
use crate::Symmetries;
use crate::case::Framed;
use crate::large::picked;
use crate::target::{Examples, Parity, Sample};

/// Candidate ridges, as shares of the mean diagonal of the Gram matrix.
const RIDGES: [f64; 8] = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0];

impl KernelFit {
    /// Fits with this covariance and chooses the ridge; `None` if all targets are zero.
    pub(crate) fn new(
        covariance: Covariance,
        rows: &Arc<Rows>,
        symmetries: &Symmetries,
        examples: &Examples<'_>,
    ) -> Option<Self> {
        let at = examples.judges().at;
        let rolls = rows.resemblance.rolls().count > 1;
        let looked_at = at.filter(|_| !rolls);
        let fitting = Fitting::new(covariance, rows, symmetries, examples, looked_at)?;
        let held = fitting.judges(examples);
        let ridge = fitting.best_ridge(held.as_deref())?;
        let mut fit = fitting.settled(ridge, held.as_deref());
        if let Some(at) = at.filter(|_| rolls) {
            let points = examples.train.framed[0].points;
            fit.judged
                .iter_mut()
                .for_each(|field| *field = picked(field, points, at));
        }
        Some(fit)
    }

    /// Completes a fit that was made at some points of a large domain. Returns the guesses for the
    /// judging inputs at all points.
    pub(crate) fn judged_everywhere(&mut self, examples: &Examples<'_>) -> Vec<Vec<f64>> {
        let (rows, symmetries) = (self.rows.clone(), self.symmetries.clone());
        let fitting = Fitting::new(self.covariance, &rows, &symmetries, examples, None)
            .expect("the same Gram matrices have been decomposed before");
        let held = fitting.judges(examples);
        let mut whole = fitting.settled(self.ridge, held.as_deref());
        let judged = std::mem::take(&mut whole.judged);
        *self = whole;
        judged
    }

    /// Computes the posterior that novelty needs, for a member of a blend with this weight. It is
    /// nearly as large as the Gram matrices, so candidates without weight have none.
    pub(crate) fn learn_posterior(&mut self, weight: f64, examples: &Examples<'_>) {
        let (rows, symmetries) = (self.rows.clone(), self.symmetries.clone());
        let looked_at = examples.judges().at;
        let looked_at = looked_at.filter(|_| rows.resemblance.rolls().count == 1);
        let fitting = match self.posterior.reference > 0.0 {
            true => Fitting::new(self.covariance, &rows, &symmetries, examples, looked_at),
            false => None,
        };
        if let Some(fitting) = fitting {
            fitting.complete(weight, self);
        }
    }
}

/// The decomposed Gram matrices, before a ridge is chosen.
pub(super) struct Fitting<'a> {
    rows: &'a Arc<Rows>,
    covariance: Covariance,
    symmetries: &'a Symmetries,
    parity: Parity,
    /// The training inputs of each fold.
    folds: Vec<Vec<usize>>,
    /// Number of values of a target at each frequency.
    rest: usize,
    /// The points to which targets are restricted, if any.
    at: Option<&'a [usize]>,
    pub(super) systems: Vec<Option<System>>,
}

impl<'a> Fitting<'a> {
    pub(super) fn new(
        covariance: Covariance,
        rows: &'a Arc<Rows>,
        symmetries: &'a Symmetries,
        examples: &Examples<'_>,
        at: Option<&'a [usize]>,
    ) -> Option<Self> {
        let (values, points) = (
            examples.train.targets[0].len(),
            symmetries.motions[0].points(),
        );
        let values = values / points * at.map_or(points, <[usize]>::len);
        Some(Self {
            systems: systems(covariance, rows, symmetries, examples, at)?,
            rows,
            covariance,
            symmetries,
            parity: examples.parity,
            folds: examples.folds.members(),
            rest: values / rows.resemblance.rolls().count,
            at,
        })
    }

    /// The fit with this ridge, and its guesses for the judging inputs.
    pub(super) fn settled(&self, ridge: f64, held: Option<&[Option<HeldOut>]>) -> KernelFit {
        let judgements = self.judgements(ridge, held);
        let count = judgements.iter().flatten().next();
        let count = count.map_or(0, |judgement| judgement.errors.len());
        let unknown = |i: usize| -> f64 {
            let both = judgements.iter().flatten();
            let both = both.zip(self.systems.iter().flatten());
            both.map(|(j, system)| system.energy * j.variances[i]).sum()
        };
        let (unknown, reference) = over_mean((0..count).map(unknown).collect());
        let guess = |i: usize| self.field(&judgements, |judgement| judgement.guesses[i].clone());
        let mut fit = KernelFit::restored(
            self.rows.clone(),
            self.covariance,
            self.symmetries,
            self.parity,
            self.coefficients(ridge),
            Posterior {
                // Novelty comes from regressions of the mean alone.
                reference: match self.parity {
                    Parity::Odd => reference.max(0.0),
                    Parity::Even => 0.0,
                },
                parts: Vec::new(),
            },
        );
        fit.ridge = ridge;
        fit.judged = (0..count).map(guess).collect();
        fit.unknown = unknown;
        fit
    }

    /// The coefficients of every training input's own row: [input][channel, point].
    fn coefficients(&self, ridge: f64) -> Vec<Vec<f64>> {
        let of = |system: &Option<System>| Some(system.as_ref()?.coefficients(ridge));
        let all: Vec<Option<Mat<c64>>> = self.systems.par_iter().map(of).collect();
        let motions = self.symmetries.motions.len();
        let inputs = self.rows.signatures.len() / motions;
        let row = |matrix: &Mat<c64>, i: usize| -> Vec<C64> {
            (0..matrix.ncols())
                .map(|r| matrix[(i * motions, r)])
                .collect()
        };
        (0..inputs)
            .map(|i| self.field(&all, |matrix| row(matrix, i)))
            .collect()
    }

    /// The field whose spectrum at each frequency is the `row` of the entry there, or zero without
    /// an entry.
    fn field<T>(&self, all: &[Option<T>], row: impl Fn(&T) -> Vec<C64>) -> Vec<f64> {
        let row = |one: &Option<T>| match one {
            Some(one) => row(one),
            None => vec![C64::default(); self.rest],
        };
        let rows: Vec<Vec<C64>> = all.iter().map(row).collect();
        match self.at {
            // Nothing rolls: the only row of the spectrum is the field itself.
            Some(_) => rows.concat().iter().map(|v| v.re).collect(),
            None => self.rows.resemblance.rolls().inverse(&rows),
        }
    }

    /// Adds to a fit what its posterior variances need.
    pub(super) fn complete(&self, weight: f64, fit: &mut KernelFit) {
        let mut own = vec![0.0_f64; self.systems.len()];
        for signature in &self.rows.signatures {
            let of_row = self.rows.own(self.covariance, signature);
            own.iter_mut()
                .zip(of_row)
                .for_each(|(most, v)| *most = most.max(v));
        }
        let reference = fit.posterior.reference;
        fit.posterior = Posterior::new(&self.systems, &own, fit.ridge, reference, weight);
    }

    /// The held-out inputs, if they judge.
    fn judges(&self, examples: &Examples<'_>) -> Option<Vec<Option<HeldOut>>> {
        examples.has_held().then(|| self.held_out(&examples.held))
    }

    /// Covariances and targets of held-out inputs at every frequency.
    fn held_out(&self, held: &Sample<'_>) -> Vec<Option<HeldOut>> {
        let rolls = self.rows.resemblance.rolls();
        let seen = |framed: &Framed| {
            let signature = self.rows.resemblance.signature(framed);
            let columns = self.rows.columns(self.covariance, &signature);
            (columns, self.rows.own(self.covariance, &signature))
        };
        let seen: Vec<(Vec<Vec<C64>>, Vec<f64>)> = held.framed.iter().map(seen).collect();
        let spectrum = |target: &Vec<f64>| match self.at {
            Some(at) => in_complex(&picked(target, rolls.points(), at)),
            None => rolls.forward(target),
        };
        let spectra: Vec<Vec<C64>> = held.targets.iter().map(spectrum).collect();
        let halves = self.systems.len();
        let one = |(h, system): (usize, &Option<System>)| {
            let system = system.as_ref()?;
            let rows = self.rows.signatures.len();
            let columns = Mat::from_fn(seen.len(), rows, |i, j| seen[i].0[j][h]);
            Some(HeldOut {
                seen: columns * &system.vectors,
                targets: Mat::from_fn(seen.len(), self.rest, |i, r| spectra[i][r * halves + h]),
                own: seen.iter().map(|seen| seen.1[h]).collect(),
            })
        };
        self.systems.par_iter().enumerate().map(one).collect()
    }

    /// The ridge with the least error at the judging inputs.
    pub(super) fn best_ridge(&self, held: Option<&[Option<HeldOut>]>) -> Option<f64> {
        let scale = self.mean_diagonal();
        let tried = RIDGES.map(|ridge| (self.error(ridge * scale, held), ridge * scale));
        let best = tried.into_iter().min_by(|a, b| a.0.total_cmp(&b.0));
        best.map(|(_, ridge)| ridge)
    }

    fn judgements(&self, ridge: f64, held: Option<&[Option<HeldOut>]>) -> Vec<Option<Judgement>> {
        let judge = |s: usize| {
            let system = self.systems[s].as_ref()?;
            let judges = match held {
                Some(held) => Judges::HeldOut(held[s].as_ref()?),
                None => Judges::LeftOut(&self.folds),
            };
            Some(system.judge(&judges, ridge))
        };
        (0..self.systems.len()).into_par_iter().map(judge).collect()
    }

    /// The sum over judging inputs of the norms of their errors.
    fn error(&self, ridge: f64, held: Option<&[Option<HeldOut>]>) -> f64 {
        let judgements = self.judgements(ridge, held);
        let both = || {
            judgements
                .iter()
                .flatten()
                .zip(self.systems.iter().flatten())
        };
        let count = both()
            .next()
            .map_or(0, |(judgement, _)| judgement.errors.len());
        let square = |row: &Vec<C64>| row.iter().map(C64::norm_sqr).sum::<f64>();
        let norm = |i: usize| {
            let squares = both().map(|(j, system)| system.weight * square(&j.errors[i]));
            squares.sum::<f64>().sqrt()
        };
        (0..count).map(norm).sum()
    }

    fn mean_diagonal(&self) -> f64 {
        let trace = |system: &System| system.values.iter().sum::<f64>() * system.weight;
        let sum: f64 = self.systems.iter().flatten().map(trace).sum();
        let weight: f64 = self.systems.iter().flatten().map(|s| s.weight).sum();
        sum / (weight * self.rows.signatures.len() as f64)
    }
}

/// Numbers divided by their mean, and that mean; ones if it is not positive.
pub(crate) fn over_mean(numbers: Vec<f64>) -> (Vec<f64>, f64) {
    let mean = numbers.iter().sum::<f64>() / numbers.len().max(1) as f64;
    let over = |v: f64| if mean > 0.0 { v / mean } else { 1.0 };
    (numbers.into_iter().map(over).collect(), mean)
}
