//! Kernel regression fitted: a ridge chosen by judging inputs, coefficients a frequency.

use floral_linalg::{Mat, c64};
use rayon::prelude::*;

use super::decomposition::systems;
use super::gram::Signature;
use super::spectrum::C64;
use super::system::{HeldOut, Judgement, Judges, System};
use super::{Covariance, Resemblance};
use crate::Symmetries;
use crate::case::Framed;
use crate::target::{Examples, Sample};

/// Ridges tried, as shares of the mean diagonal of the Gram matrix.
const RIDGES: [f64; 8] = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0];

/// A fitted kernel regression.
pub(crate) struct KernelFit {
    resemblance: Resemblance,
    covariance: Covariance,
    rows: Vec<Signature>,
    /// The training inputs of each fold.
    folds: Vec<Vec<usize>>,
    /// Values of a target at each frequency.
    rest: usize,
    systems: Vec<Option<System>>,
    halves: Vec<(usize, f64)>,
    /// Added to the Gram matrix's diagonal.
    pub(crate) ridge: f64,
    coefficients: Vec<Mat<c64>>,
    /// For each judging input its target as predicted without it: [channel, point].
    pub judged: Vec<Vec<f64>>,
    /// Their posterior variances over the mean of them.
    pub unknown: Vec<f64>,
    /// Mean posterior variance of the judging inputs.
    pub(crate) reference: f64,
}

impl KernelFit {
    /// Fits with this covariance and chooses the ridge.
    pub(crate) fn new(
        covariance: Covariance,
        resemblance: &Resemblance,
        symmetries: &Symmetries,
        examples: &Examples<'_>,
    ) -> Option<Self> {
        let mut fit = Self::prepare(covariance, resemblance, symmetries, examples)?;
        let held = examples.has_held().then(|| fit.held_out(&examples.held));
        let ridge = fit.best_ridge(held.as_deref())?;
        fit.settle(ridge);
        fit.gather(held.as_deref());
        Some(fit)
    }

    /// The systems, before a ridge is chosen.
    pub(crate) fn prepare(
        covariance: Covariance,
        resemblance: &Resemblance,
        symmetries: &Symmetries,
        examples: &Examples<'_>,
    ) -> Option<Self> {
        let motions = symmetries.motions.len();
        let moved = |i: usize| examples.train.framed[i / motions].moved(symmetries, i % motions);
        let count = motions * examples.train.framed.len();
        let rows: Vec<Signature> = (0..count)
            .into_par_iter()
            .map(|i| resemblance.signature(&moved(i)))
            .collect();
        let rolls = resemblance.rolls().count;
        Some(Self {
            systems: systems(covariance, resemblance, symmetries, examples, &rows)?,
            halves: resemblance.rolls().halves(),
            resemblance: resemblance.clone(),
            covariance,
            rows,
            folds: examples.folds.members(),
            rest: examples.train.targets[0].len() / rolls,
            ridge: 0.0,
            coefficients: Vec::new(),
            judged: Vec::new(),
            unknown: Vec::new(),
            reference: 0.0,
        })
    }

    /// The target of a query: [channel, point].
    pub(crate) fn predict(&self, framed: &Framed) -> Vec<f64> {
        let columns = self.columns(&self.resemblance.signature(framed));
        let rest = self.rest;
        let row = |(h, coefficients): (usize, &Mat<c64>)| -> Vec<C64> {
            let mut row = vec![C64::default(); rest];
            for (j, column) in columns.iter().enumerate().take(coefficients.nrows()) {
                for (value, r) in row.iter_mut().zip(0..rest) {
                    *value += column[self.halves[h].0] * coefficients[(j, r)];
                }
            }
            row
        };
        let rows: Vec<Vec<C64>> = self.coefficients.par_iter().enumerate().map(row).collect();
        self.resemblance.rolls().inverse(&self.halves, &rows)
    }

    /// Posterior variance of a query over that of the judging inputs: 1 for an input like those,
    /// more for one farther away.
    pub(crate) fn novelty(&self, framed: &Framed) -> f64 {
        if self.reference <= 0.0 {
            return 1.0;
        }
        let signature = self.resemblance.signature(framed);
        let columns = self.columns(&signature);
        let own = self.own(&signature);
        let unknown = |system: &System, frequency: usize| {
            let column = Mat::from_fn(1, columns.len(), |_, j| columns[j][frequency]);
            let seen = column * &system.vectors;
            let explained = system.explained(|k| seen[(0, k)], self.ridge);
            system.energy * (own[frequency] - explained).max(0.0)
        };
        let all = self.systems.iter().zip(&self.halves);
        let sum: f64 = all
            .filter_map(|(system, (frequency, _))| Some(unknown(system.as_ref()?, *frequency)))
            .sum();
        sum / self.reference
    }

    /// The covariance of an input with its own rolls, at every frequency.
    fn own(&self, signature: &Signature) -> Vec<f64> {
        let inner = self.resemblance.inner(signature, signature);
        let own = self
            .resemblance
            .covariance(self.covariance, signature, signature, &inner);
        own.iter().map(|value| value.re).collect()
    }

    /// Covariances of a query with each row, at every frequency.
    fn columns(&self, signature: &Signature) -> Vec<Vec<C64>> {
        let resemblance = &self.resemblance;
        let column = |row: &Signature| {
            let inner = resemblance.inner(signature, row);
            resemblance.covariance(self.covariance, signature, row, &inner)
        };
        self.rows.par_iter().map(column).collect()
    }

    /// Inputs held out as every system sees them.
    fn held_out(&self, held: &Sample<'_>) -> Vec<Option<HeldOut>> {
        let rolls = self.resemblance.rolls();
        let seen = |framed: &Framed| {
            let signature = self.resemblance.signature(framed);
            (self.columns(&signature), self.own(&signature))
        };
        let seen: Vec<(Vec<Vec<C64>>, Vec<f64>)> = held.framed.iter().map(seen).collect();
        let spectra: Vec<Vec<C64>> = held.targets.iter().map(|t| rolls.forward(t)).collect();
        let one = |(system, (frequency, _)): (&Option<System>, &(usize, f64))| {
            let system = system.as_ref()?;
            let columns =
                Mat::from_fn(seen.len(), self.rows.len(), |i, j| seen[i].0[j][*frequency]);
            Some(HeldOut {
                seen: columns * &system.vectors,
                targets: Mat::from_fn(seen.len(), system.targets.ncols(), |i, r| {
                    spectra[i][r * rolls.count + frequency]
                }),
                own: seen.iter().map(|seen| seen.1[*frequency]).collect(),
            })
        };
        self.systems.par_iter().zip(&self.halves).map(one).collect()
    }

    /// The ridge of least error at the judging inputs.
    fn best_ridge(&self, held: Option<&[Option<HeldOut>]>) -> Option<f64> {
        let scale = self.mean_diagonal();
        let tried = RIDGES.map(|ridge| (self.error(ridge * scale, held), ridge * scale));
        let best = tried.into_iter().min_by(|a, b| a.0.total_cmp(&b.0));
        best.map(|(_, ridge)| ridge)
    }

    /// Coefficients with this ridge.
    pub(crate) fn settle(&mut self, ridge: f64) {
        self.ridge = ridge;
        let coefficients = |system: &Option<System>| match system {
            Some(system) => system.coefficients(ridge),
            None => Mat::zeros(0, 0),
        };
        self.coefficients = self.systems.par_iter().map(coefficients).collect();
    }

    /// Guesses at the judging inputs as fields, and the posterior variance to compare with.
    pub(super) fn gather(&mut self, held: Option<&[Option<HeldOut>]>) {
        let judgements = self.judgements(self.ridge, held);
        let rest = self.rest;
        let count = judgements
            .iter()
            .flatten()
            .next()
            .map_or(0, |j| j.errors.len());
        let field = |i: usize| {
            let row = |judgement: &Option<Judgement>| match judgement {
                Some(judgement) => judgement.guesses[i].clone(),
                None => vec![C64::default(); rest],
            };
            let rows: Vec<Vec<C64>> = judgements.iter().map(row).collect();
            self.resemblance.rolls().inverse(&self.halves, &rows)
        };
        self.judged = (0..count).map(field).collect();
        let unknown = |i: usize| -> f64 {
            let both = judgements.iter().flatten();
            let both = both.zip(self.systems.iter().flatten());
            both.map(|(j, system)| system.energy * j.variances[i]).sum()
        };
        (self.unknown, self.reference) = over_mean((0..count).map(unknown).collect());
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
        sum / (weight * self.rows.len() as f64)
    }
}

/// Numbers over their mean, and that mean; ones if it is not positive.
pub(crate) fn over_mean(numbers: Vec<f64>) -> (Vec<f64>, f64) {
    let mean = numbers.iter().sum::<f64>() / numbers.len().max(1) as f64;
    let over = |v: f64| if mean > 0.0 { v / mean } else { 1.0 };
    (numbers.into_iter().map(over).collect(), mean)
}
