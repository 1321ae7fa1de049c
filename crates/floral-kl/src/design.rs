//! Design: correlations of the errors at new inputs, by which the inputs to solve next are chosen
//! apart from each other.
//!
//! Errors are modelled as a Gaussian process over inputs with correlation exp(-d^2 / (2 l^2)),
//! known at the training inputs. d is the distance (see `neighbours`) between two inputs in the
//! positions in which they are closest. The length l is fitted to the variogram of the training
//! inputs' residuals (Cressie, Statistics for Spatial Data, 1993, section 2.4).

use floral_linalg::{Mat, solve_positive};
use rayon::prelude::*;

use super::Expansion;
use super::case::mean_field;
use super::case::{Framed, Query};
use super::kernel::Placed;
use super::symmetry::Role;
use crate::{Error, Result};

/// Candidate lengths, as multiples of the median distance between training inputs.
const LENGTHS: [f64; 9] = [0.06, 0.12, 0.25, 0.5, 0.75, 1.0, 1.5, 2.5, 4.0];

/// Nugget as a share of the variance; without it, copies would make the matrix singular.
const NUGGET: f64 = 1e-4;

impl Expansion {
    /// Correlations of the errors at queries, conditional on the training inputs: [query, query].
    pub fn error_correlations(&self, queries: &[Query<'_>]) -> Result<Mat<f64>> {
        let framed: Vec<Framed> = queries
            .iter()
            .map(|query| self.framed(query))
            .collect::<Result<_>>()?;
        let (among, to_train, train) = self.distances(&framed);
        let length = self.length(&train);
        let kernel = |square: f64| (-0.5 * square / length).exp();
        let n = self.framed.len();
        let gram = Mat::from_fn(n, n, |i, j| {
            kernel(train[i][j].square) + if i == j { NUGGET } else { 0.0 }
        });
        let cross = Mat::from_fn(n, framed.len(), |i, q| kernel(to_train[q][i]));
        let weights = solve_positive(&gram, &cross).ok_or_else(|| Error::Numerical {
            what: "the training inputs could not be distinguished".into(),
            advice: "are some of them the same? leave copies out".into(),
        })?;
        let explained = cross.transpose() * weights;
        let left = |a: usize, b: usize| kernel(among[a][b]) - explained[(a, b)];
        let variance = |a: usize| left(a, a).max(NUGGET);
        Ok(Mat::from_fn(framed.len(), framed.len(), |a, b| {
            if a == b {
                return 1.0;
            }
            let correlation = 0.5 * (left(a, b) + left(b, a)) / (variance(a) * variance(b)).sqrt();
            correlation.clamp(-1.0, 1.0)
        }))
    }

    /// Squared distances among queries, from queries to training inputs, and among training inputs;
    /// the last with the motions that bring them together.
    #[allow(clippy::type_complexity)]
    fn distances(&self, framed: &[Framed]) -> (Vec<Vec<f64>>, Vec<Vec<f64>>, Vec<Vec<Placed>>) {
        let near = &self.neighbours;
        let copies = |framed: &Framed| near.copies(framed, &self.symmetries);
        let queries: Vec<_> = framed.par_iter().map(copies).collect();
        let trained: Vec<_> = self.framed.par_iter().map(copies).collect();
        let place = |a: &Framed, b: &Vec<_>| near.closest(a, b, &self.symmetries);
        let to = |a: &Framed, all: &[Vec<_>]| -> Vec<f64> {
            all.iter().map(|b| place(a, b).square).collect()
        };
        let among = framed.par_iter().map(|a| to(a, &queries)).collect();
        let to_train = framed.par_iter().map(|a| to(a, &trained)).collect();
        let train = self.framed.par_iter();
        let train = train.map(|a| trained.iter().map(|b| place(a, b)).collect());
        (among, to_train, train.collect())
    }

    /// The squared length with the best fit to the variogram of the training inputs' residuals.
    fn length(&self, train: &[Vec<Placed>]) -> f64 {
        let pairs = (0..train.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
        let mut parted: Vec<(f64, f64)> = pairs
            .map(|(i, j)| (train[i][j].square, self.apart(i, j, &train[i][j])))
            .collect();
        parted.sort_by(|a, b| a.0.total_cmp(&b.0));
        let median = parted.get(parted.len() / 2).map_or(0.0, |pair| pair.0);
        if median <= 0.0 {
            return self.neighbours.fade();
        }
        let sill = self.sill();
        let misfit = |length: f64| -> f64 {
            let miss = |(square, apart): &(f64, f64)| {
                let model = 1.0 - (-0.5 * square / length).exp();
                (0.5 * apart / sill - model).powi(2)
            };
            parted.iter().map(miss).sum()
        };
        let lengths = LENGTHS.map(|times| times * times * median);
        let best = lengths
            .into_iter()
            .min_by(|a, b| misfit(*a).total_cmp(&misfit(*b)));
        best.unwrap_or(median)
    }

    /// Squared distance between the residuals of two training inputs, the second moved onto the
    /// first.
    fn apart(&self, i: usize, j: usize, placed: &Placed) -> f64 {
        let moved = placed.motion.apply(Role::Solution, &self.residual(j));
        let own = self.residual(i);
        let pairs = own.iter().zip(moved);
        pairs.map(|(a, b)| (a - b).powi(2)).sum()
    }

    /// The mean residual of a training input, framed: [channel, point].
    fn residual(&self, input: usize) -> Vec<f64> {
        let values = self.residuals[input].iter();
        values.map(|v| f64::from(*v)).collect()
    }

    /// The sill of the variogram: the mean squared norm of a residual about the mean residual.
    fn sill(&self) -> f64 {
        let count = self.residuals.len() as f64;
        let targets: Vec<Vec<f64>> = (0..self.residuals.len())
            .map(|i| self.residual(i))
            .collect();
        let mean = mean_field(&targets);
        let square = |target: &Vec<f64>| {
            let pairs = target.iter().zip(&mean);
            pairs.map(|(v, m)| (v - m).powi(2)).sum::<f64>()
        };
        let all = targets.iter().map(square).sum::<f64>() / (count - 1.0).max(1.0);
        all.max(f64::MIN_POSITIVE)
    }
}
