//! A Gaussian process fitted: guesses at judging inputs, predictions, what is left unknown.

use floral_linalg::{Mat, MatRef, solve_positive};
use rayon::prelude::*;

use super::{ArdKernel, Coordinates};
use crate::case::Framed;
use crate::kernel::over_mean;
use crate::target::Examples;

/// Inputs below which lengths are not learned.
const FEWEST: usize = 6;

/// Inputs from which the kernel is learned; of more an even part.
const MOST_DECIDING: usize = 150;

/// Inputs up to which every fold learns its kernel from scratch; of more it goes on from that of all.
const FEW: usize = 60;

/// Steps by which a fold goes on.
const FURTHER: usize = 10;

/// A target as predicted without its fold, and what is left unknown of it.
type Guess = (Vec<f64>, f64);

/// A fitted Gaussian process.
pub(crate) struct ProcessFit {
    pub(crate) coordinates: Coordinates,
    pub(crate) kernel: ArdKernel,
    /// Coordinates of the training inputs.
    z: Vec<Vec<f64>>,
    /// (C + noise)^-1.
    inverse: Mat<f64>,
    /// (C + noise)^-1 Y: [input, value].
    weights: Mat<f64>,
    /// For each judging input its target as predicted without it: [channel, point].
    pub judged: Vec<Vec<f64>>,
    /// Their posterior variances over the mean of them.
    pub unknown: Vec<f64>,
    /// Mean posterior variance of the judging inputs.
    pub(crate) reference: f64,
}

impl ProcessFit {
    /// Fits a kernel, with a linear part if `has_slopes`, and judges it.
    pub(crate) fn new(
        coordinates: &Coordinates,
        has_slopes: bool,
        examples: &Examples<'_>,
    ) -> Option<Self> {
        let train = &examples.train;
        if train.framed.len() < FEWEST || coordinates.count() == 0 {
            return None;
        }
        let z: Vec<Vec<f64>> = train.framed.iter().map(|f| coordinates.of(f)).collect();
        let all = train.targets.concat();
        let values = train.targets[0].len();
        let y = MatRef::from_column_major_slice(&all, values, z.len());
        let gram: Mat<f64> = y.transpose() * y;
        let learner = Learner {
            z: &z,
            gram: &gram,
            has_slopes,
        };
        let every: Vec<usize> = (0..z.len()).collect();
        let kernel = learner.learned(&every, None)?;
        let mut fit = Self::restored(coordinates.clone(), kernel, train.framed, train.targets)?;
        if examples.has_held() {
            fit.judged = examples
                .held
                .framed
                .iter()
                .map(|f| fit.predict(f))
                .collect();
            let unknown = examples.held.framed.iter().map(|f| fit.unknown(f));
            (fit.unknown, fit.reference) = over_mean(unknown.collect());
        } else {
            fit.leave_out(&learner, examples)?;
        }
        Some(fit)
    }

    /// Guesses every fold by a kernel and weights that have not seen it.
    fn leave_out(&mut self, learner: &Learner<'_>, examples: &Examples<'_>) -> Option<()> {
        let one = |fold: &Vec<usize>| {
            let kept = |i: &usize| examples.folds.of(*i) != examples.folds.of(fold[0]);
            let kept: Vec<usize> = (0..self.z.len()).filter(kept).collect();
            let kernel = learner.learned(&kept, Some(&self.kernel))?;
            let pick = |i: &usize| self.z[*i].clone();
            let z: Vec<Vec<f64>> = kept.iter().map(pick).collect();
            let cross = Mat::from_fn(z.len(), fold.len(), |k, f| {
                kernel.between(&z[k], &self.z[fold[f]])
            });
            let combined = solve_positive(&kernel.matrix(&z), &cross)?;
            let guess = |f: usize| {
                let mut field = vec![0.0; examples.train.targets[0].len()];
                for (k, &i) in kept.iter().enumerate() {
                    let parts = field.iter_mut().zip(&examples.train.targets[i]);
                    parts.for_each(|(sum, v)| *sum += combined[(k, f)] * v);
                }
                let own = kernel.between(&self.z[fold[f]], &self.z[fold[f]]);
                let explained = (0..z.len()).map(|k| combined[(k, f)] * cross[(k, f)]);
                (field, (own - explained.sum::<f64>()).max(0.0))
            };
            Some((0..fold.len()).map(guess).collect::<Vec<Guess>>())
        };
        let folds = examples.folds.members();
        let found: Option<Vec<Vec<Guess>>> = folds.par_iter().map(one).collect();
        self.judged = vec![Vec::new(); self.z.len()];
        let mut unknowns = vec![0.0; self.z.len()];
        for (fold, guesses) in folds.iter().zip(found?) {
            for (&input, (guess, unknown)) in fold.iter().zip(guesses) {
                unknowns[input] = unknown;
                self.judged[input] = guess;
            }
        }
        (self.unknown, self.reference) = over_mean(unknowns);
        Some(())
    }

    /// A fit from its kernel.
    pub(crate) fn restored(
        coordinates: Coordinates,
        kernel: ArdKernel,
        framed: &[Framed],
        targets: &[Vec<f64>],
    ) -> Option<Self> {
        let z: Vec<Vec<f64>> = framed.iter().map(|f| coordinates.of(f)).collect();
        let n = z.len();
        let inverse = solve_positive(&kernel.matrix(&z), &Mat::identity(n, n))?;
        let y = Mat::from_fn(n, targets[0].len(), |i, p| targets[i][p]);
        Some(Self {
            weights: &inverse * y,
            inverse,
            coordinates,
            kernel,
            z,
            judged: Vec::new(),
            unknown: Vec::new(),
            reference: 0.0,
        })
    }

    /// The target of a query: [channel, point].
    pub(crate) fn predict(&self, framed: &Framed) -> Vec<f64> {
        let covariances = self.covariances(framed);
        let field = &covariances * &self.weights;
        (0..field.ncols()).map(|p| field[(0, p)]).collect()
    }

    /// Posterior variance of a query over that of the judging inputs.
    pub(crate) fn novelty(&self, framed: &Framed) -> f64 {
        match self.reference > 0.0 {
            true => self.unknown(framed) / self.reference,
            false => 1.0,
        }
    }

    fn covariances(&self, framed: &Framed) -> Mat<f64> {
        let z = self.coordinates.of(framed);
        Mat::from_fn(1, self.z.len(), |_, i| self.kernel.between(&z, &self.z[i]))
    }

    fn unknown(&self, framed: &Framed) -> f64 {
        let covariances = self.covariances(framed);
        let z = self.coordinates.of(framed);
        let explained = &covariances * &self.inverse * covariances.transpose();
        (self.kernel.between(&z, &z) - explained[(0, 0)]).max(0.0)
    }
}

/// What a kernel is learned from.
struct Learner<'a> {
    z: &'a [Vec<f64>],
    /// Inner products of the targets.
    gram: &'a Mat<f64>,
    has_slopes: bool,
}

impl Learner<'_> {
    /// The kernel of some inputs; of many it goes on from one that is known.
    fn learned(&self, inputs: &[usize], from: Option<&ArdKernel>) -> Option<ArdKernel> {
        let step = inputs.len().div_ceil(MOST_DECIDING);
        let some: Vec<usize> = inputs.iter().copied().step_by(step).collect();
        let z: Vec<Vec<f64>> = some.iter().map(|&i| self.z[i].clone()).collect();
        let gram = self.centred(&some);
        match from.filter(|_| inputs.len() > FEW) {
            Some(kernel) => {
                let improved = kernel.clone().improved(&z, &gram, FURTHER);
                improved.map(|(_, kernel)| kernel)
            }
            None => ArdKernel::fitted(&z, &gram, self.has_slopes),
        }
    }

    /// Inner products of the targets of some inputs about their mean.
    fn centred(&self, some: &[usize]) -> Mat<f64> {
        let n = some.len() as f64;
        let at = |i: usize, j: usize| self.gram[(some[i], some[j])];
        let rows: Vec<f64> = (0..some.len())
            .map(|i| (0..some.len()).map(|j| at(i, j)).sum::<f64>() / n)
            .collect();
        let mean = rows.iter().sum::<f64>() / n;
        let round_off = 1e-12 * (0..some.len()).map(|i| at(i, i)).sum::<f64>() / n;
        Mat::from_fn(some.len(), some.len(), |i, j| {
            let least = if i == j { round_off } else { 0.0 };
            at(i, j) - rows[i] - rows[j] + mean + least
        })
    }
}
