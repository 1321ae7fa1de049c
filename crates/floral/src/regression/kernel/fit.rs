//! One Hermitian system a frequency: coefficients, inputs left out, posterior variance.

use floral_linalg::{Mat, c64, hermitian_eigen, inverse};
use rayon::prelude::*;

use super::gram::Signature;
use super::spectrum::C64;
use super::{Covariance, Resemblance};
use crate::regression::Symmetries;
use crate::regression::case::Framed;
use crate::regression::target::Examples;

/// Ridges tried, as shares of the mean diagonal of the Gram matrix.
const RIDGES: [f64; 8] = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0];

/// Frequencies that hold less than this share of the targets' squares are not worth a system.
const NEGLIGIBLE: f64 = 1e-9;

/// The eigenvectors of the Gram matrix at one frequency, and the targets in them.
struct System {
    values: Vec<f64>,
    vectors: Mat<c64>,
    /// Targets in the eigenvectors: [eigenvector, rest].
    targets: Mat<c64>,
    /// How many frequencies it stands for, over the number of rolls: Parseval's weight.
    weight: f64,
    /// Share of the targets' squares.
    energy: f64,
}

/// A fitted kernel regression.
pub(in crate::regression) struct KernelFit {
    resemblance: Resemblance,
    covariance: Covariance,
    rows: Vec<Signature>,
    /// How many rows belong to one input.
    motions: usize,
    systems: Vec<Option<System>>,
    halves: Vec<(usize, f64)>,
    /// Added to the Gram matrix's diagonal.
    pub(super) ridge: f64,
    coefficients: Vec<Mat<c64>>,
    /// For each training input its target as predicted by the others: [channel, point].
    pub left_out: Vec<Vec<f64>>,
    /// Mean posterior variance of the training inputs when left out.
    reference: f64,
}

impl KernelFit {
    /// Fits with this covariance and chooses the ridge.
    pub(in crate::regression) fn new(
        covariance: Covariance,
        resemblance: &Resemblance,
        symmetries: &Symmetries,
        examples: &Examples<'_>,
    ) -> Option<Self> {
        let mut fit = Self::prepare(covariance, resemblance, symmetries, examples)?;
        let ridge = fit.best_ridge()?;
        fit.settle(ridge);
        Some(fit)
    }

    /// The systems, before a ridge is chosen.
    pub(super) fn prepare(
        covariance: Covariance,
        resemblance: &Resemblance,
        symmetries: &Symmetries,
        examples: &Examples<'_>,
    ) -> Option<Self> {
        let motions = symmetries.motions.len();
        let moved = |i: usize| examples.framed[i / motions].moved(symmetries, i % motions);
        let count = motions * examples.framed.len();
        let rows: Vec<Signature> = (0..count)
            .into_par_iter()
            .map(|i| resemblance.signature(&moved(i)))
            .collect();
        Some(Self {
            systems: systems(covariance, resemblance, symmetries, examples, &rows)?,
            halves: resemblance.rolls().halves(),
            resemblance: resemblance.clone(),
            covariance,
            rows,
            motions,
            ridge: 0.0,
            coefficients: Vec::new(),
            left_out: Vec::new(),
            reference: 0.0,
        })
    }

    /// The target of a query: [channel, point].
    pub(in crate::regression) fn predict(&self, framed: &Framed) -> Vec<f64> {
        let columns = self.columns(&self.resemblance.signature(framed));
        let rest = self.coefficients.iter().map(Mat::ncols).max().unwrap_or(0);
        let row = |(h, coefficients): (usize, &Mat<c64>)| -> Vec<C64> {
            let mut row = vec![C64::default(); rest];
            for (j, column) in columns.iter().enumerate().take(coefficients.nrows()) {
                for (value, r) in row.iter_mut().zip(0..rest) {
                    *value += column[self.halves[h].0] * coefficients[(j, r)];
                }
            }
            row
        };
        let rows: Vec<Vec<C64>> = self.coefficients.iter().enumerate().map(row).collect();
        self.resemblance.rolls().inverse(&self.halves, &rows)
    }

    /// Posterior variance of a query over that of a training input when left out: 1 for an input
    /// like those, more for one farther away.
    pub(in crate::regression) fn novelty(&self, framed: &Framed) -> f64 {
        let signature = self.resemblance.signature(framed);
        let columns = self.columns(&signature);
        let inner = self.resemblance.inner(&signature, &signature);
        let own = self
            .resemblance
            .covariance(self.covariance, &signature, &signature, &inner);
        let mut sum = 0.0;
        for (system, (frequency, _)) in self.systems.iter().zip(&self.halves) {
            let Some(system) = system else { continue };
            let column = Mat::from_fn(columns.len(), 1, |j, _| columns[j][*frequency].conj());
            let seen = system.vectors.adjoint() * &column;
            let explained: f64 = system
                .values
                .iter()
                .enumerate()
                .map(|(k, value)| seen[(k, 0)].norm_sqr() / (value.max(0.0) + self.ridge))
                .sum();
            sum += system.energy * (own[*frequency].re - explained).max(0.0);
        }
        if self.reference > 0.0 {
            sum / self.reference
        } else {
            1.0
        }
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

    /// The ridge of least error at inputs left out.
    fn best_ridge(&self) -> Option<f64> {
        let scale = self.mean_diagonal();
        let tried = RIDGES.map(|ridge| (self.left_out_error(ridge * scale), ridge * scale));
        let best = tried.into_iter().min_by(|a, b| a.0.total_cmp(&b.0));
        best.map(|(_, ridge)| ridge)
    }

    /// Coefficients and left-out predictions with this ridge.
    pub(super) fn settle(&mut self, ridge: f64) {
        self.ridge = ridge;
        let systems = self.systems.par_iter();
        self.coefficients = systems.map(|system| coefficients(system, ridge)).collect();
        let left_out = |system: &Option<System>| {
            let left_out = system.as_ref().map(|s| left_out(s, ridge, self.motions));
            left_out.unwrap_or_default()
        };
        let errors: Vec<(Vec<Vec<C64>>, f64)> = self.systems.par_iter().map(left_out).collect();
        self.gather(&errors);
    }

    /// Left-out predictions as fields, and the posterior variance to compare with.
    fn gather(&mut self, errors: &[(Vec<Vec<C64>>, f64)]) {
        let motions = self.motions;
        let rest = self.coefficients.iter().map(Mat::ncols).max().unwrap_or(0);
        let field = |i: usize| {
            let row = |((errors, _), system): (&(Vec<Vec<C64>>, f64), &Option<System>)| {
                let Some(system) = system else {
                    return vec![C64::default(); rest];
                };
                let target = target_row(system, i * motions);
                target.iter().zip(&errors[i]).map(|(t, e)| t - e).collect()
            };
            let rows: Vec<Vec<C64>> = errors.iter().zip(&self.systems).map(row).collect();
            self.resemblance.rolls().inverse(&self.halves, &rows)
        };
        self.left_out = (0..self.rows.len() / motions).map(field).collect();
        let energy = |system: &Option<System>| system.as_ref().map_or(0.0, |s| s.energy);
        let both = errors.iter().zip(&self.systems);
        self.reference = both
            .map(|((_, variance), system)| energy(system) * variance)
            .sum();
    }

    fn mean_diagonal(&self) -> f64 {
        let trace = |system: &System| system.values.iter().sum::<f64>() * system.weight;
        let sum: f64 = self.systems.iter().flatten().map(trace).sum();
        let weight: f64 = self.systems.iter().flatten().map(|s| s.weight).sum();
        sum / (weight * self.rows.len() as f64)
    }

    fn left_out_error(&self, ridge: f64) -> f64 {
        let squares = self.systems.par_iter().flatten().map(|system| {
            let (errors, _) = left_out(system, ridge, self.motions);
            let square = |row: &Vec<C64>| row.iter().map(C64::norm_sqr).sum::<f64>();
            errors
                .iter()
                .map(|row| system.weight * square(row))
                .collect::<Vec<f64>>()
        });
        let squares: Vec<Vec<f64>> = squares.collect();
        let norm = |i: usize| squares.iter().map(|s| s[i]).sum::<f64>().sqrt();
        (0..self.rows.len() / self.motions).map(norm).sum()
    }
}

/// The Gram matrix at each frequency, decomposed; none where the targets hold nothing.
fn systems(
    covariance: Covariance,
    resemblance: &Resemblance,
    symmetries: &Symmetries,
    examples: &Examples<'_>,
    rows: &[Signature],
) -> Option<Vec<Option<System>>> {
    let rolls = resemblance.rolls();
    let motions = symmetries.motions.len();
    let pair = |(i, j): (usize, usize)| {
        let inner = resemblance.inner(&rows[i], &rows[j]);
        resemblance.covariance(covariance, &rows[i], &rows[j], &inner)
    };
    let places = (0..rows.len()).flat_map(|i| (0..=i).map(move |j| (i, j)));
    let places: Vec<(usize, usize)> = places.collect();
    let lower: Vec<Vec<C64>> = places.into_par_iter().map(pair).collect();
    let target = |i: usize| {
        let motion = &symmetries.motions[i % motions];
        rolls.forward(
            &examples
                .parity
                .apply(motion, &examples.targets[i / motions]),
        )
    };
    let targets: Vec<Vec<C64>> = (0..rows.len()).into_par_iter().map(target).collect();
    let total: f64 = targets.iter().flatten().map(C64::norm_sqr).sum();
    let system = |&(frequency, count): &(usize, f64)| {
        let rest = targets[0].len() / rolls.count;
        let y = Mat::from_fn(rows.len(), rest, |i, r| {
            targets[i][r * rolls.count + frequency]
        });
        let energy = count * y.squared_norm_l2() / total;
        if energy.is_nan() || energy < NEGLIGIBLE {
            return Some(None);
        }
        // The eigenvalue solver reads the lower triangle alone.
        let gram = Mat::from_fn(rows.len(), rows.len(), |i, j| {
            lower[i.max(j) * (i.max(j) + 1) / 2 + i.min(j)][frequency]
        });
        let (values, vectors) = hermitian_eigen(&gram)?;
        Some(Some(System {
            values,
            targets: vectors.adjoint() * &y,
            vectors,
            weight: count / rolls.count as f64,
            energy,
        }))
    };
    rolls.halves().par_iter().map(system).collect()
}

/// (gram + ridge)^-1 y.
fn coefficients(system: &Option<System>, ridge: f64) -> Mat<c64> {
    let Some(system) = system else {
        return Mat::zeros(0, 0);
    };
    &system.vectors * shrunk(system, ridge)
}

/// Targets in the eigenvectors over eigenvalue plus ridge.
fn shrunk(system: &System, ridge: f64) -> Mat<c64> {
    let (n, rest) = (system.targets.nrows(), system.targets.ncols());
    Mat::from_fn(n, rest, |k, r| {
        system.targets[(k, r)] / (system.values[k].max(0.0) + ridge)
    })
}

fn target_row(system: &System, row: usize) -> Vec<C64> {
    let product = system.vectors.subrows(row, 1) * &system.targets;
    (0..product.ncols()).map(|r| product[(0, r)]).collect()
}

/// Errors of every input's own row when all its motions are left out together, and the mean
/// posterior variance then: with B the block of the inverse that belongs to the input, the errors
/// are B^-1 c and the variance B^-1 less the ridge.
fn left_out(system: &System, ridge: f64, motions: usize) -> (Vec<Vec<C64>>, f64) {
    let n = system.values.len();
    let c = &system.vectors * shrunk(system, ridge);
    let scaled = Mat::from_fn(n, n, |i, k| {
        system.vectors[(i, k)] / (system.values[k].max(0.0) + ridge)
    });
    let mut variance = 0.0;
    let mut errors = Vec::with_capacity(n / motions);
    for first in (0..n).step_by(motions) {
        let block =
            scaled.subrows(first, motions) * system.vectors.subrows(first, motions).adjoint();
        let inverse = first_row_of_inverse(&block);
        variance += (inverse[0].re - ridge).max(0.0);
        let row = &inverse;
        let error = |r| (0..motions).map(|m| row[m] * c[(first + m, r)]).sum();
        errors.push((0..c.ncols()).map(error).collect());
    }
    (errors, variance / (n / motions) as f64)
}

fn first_row_of_inverse(block: &Mat<c64>) -> Vec<C64> {
    let inverse = inverse(block);
    (0..block.ncols()).map(|m| inverse[(0, m)]).collect()
}
