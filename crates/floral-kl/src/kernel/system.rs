//! One frequency's Hermitian system: coefficients, errors at judging inputs, posterior variances.

use floral_linalg::{Mat, c64, inverse};

use super::spectrum::C64;

/// The eigenvectors of the Gram matrix at one frequency, and the targets in them.
pub(super) struct System {
    pub values: Vec<f64>,
    pub vectors: Mat<c64>,
    /// Targets in the basis of the eigenvectors: [eigenvector, rest].
    pub targets: Mat<c64>,
    /// Number of frequencies that it stands for, over the number of rolls: Parseval's weight.
    pub weight: f64,
    /// The frequency's share of the targets' squares.
    pub energy: f64,
}

/// Held-out inputs at one frequency.
pub(super) struct HeldOut {
    /// Covariances with the training rows, in the basis of the eigenvectors: [input, eigenvector].
    pub seen: Mat<c64>,
    /// Their targets: [input, rest].
    pub targets: Mat<c64>,
    /// Covariance of each input with itself.
    pub own: Vec<f64>,
}

/// The inputs that judge a system.
pub(super) enum Judges<'a> {
    /// All training inputs, left out one fold after another: the inputs of each fold.
    LeftOut(&'a [Vec<usize>]),
    /// Held-out inputs, which are not in the system.
    HeldOut(&'a HeldOut),
}

/// Guesses and errors at the judges, and their posterior variances.
pub(super) struct Judgement {
    /// [judge, rest].
    pub guesses: Vec<Vec<C64>>,
    /// [judge, rest].
    pub errors: Vec<Vec<C64>>,
    pub variances: Vec<f64>,
}

impl System {
    /// (gram + ridge)^-1 y.
    pub(super) fn coefficients(&self, ridge: f64) -> Mat<c64> {
        &self.vectors * self.shrunk(ridge)
    }

    /// Eigenvectors divided by sqrt(eigenvalue + ridge), without those whose eigenvalue is at most
    /// a share `least` of eigenvalue plus ridge: [row, direction].
    pub(super) fn directions(&self, ridge: f64, least: f64) -> Mat<c64> {
        let share =
            |k: &usize| self.values[*k].max(0.0) > least * (self.values[*k].max(0.0) + ridge);
        let kept: Vec<usize> = (0..self.values.len()).filter(share).collect();
        let root = |k: usize| (self.values[k].max(0.0) + ridge).sqrt();
        Mat::from_fn(self.vectors.nrows(), kept.len(), |i, d| {
            self.vectors[(i, kept[d])] / root(kept[d])
        })
    }

    /// The part of a variance explained by the covariances `seen`, in the basis of the
    /// eigenvectors.
    pub(super) fn explained(&self, seen: impl Fn(usize) -> C64, ridge: f64) -> f64 {
        let values = self.values.iter().enumerate();
        values
            .map(|(k, value)| seen(k).norm_sqr() / (value.max(0.0) + ridge))
            .sum()
    }

    pub(super) fn judge(&self, judges: &Judges<'_>, ridge: f64) -> Judgement {
        match judges {
            Judges::LeftOut(folds) => self.left_out(ridge, folds),
            Judges::HeldOut(held) => self.held_out(held, ridge),
        }
    }

    /// Targets in the basis of the eigenvectors, divided by eigenvalue plus ridge.
    fn shrunk(&self, ridge: f64) -> Mat<c64> {
        let (n, rest) = (self.targets.nrows(), self.targets.ncols());
        Mat::from_fn(n, rest, |k, r| {
            self.targets[(k, r)] / (self.values[k].max(0.0) + ridge)
        })
    }

    fn held_out(&self, held: &HeldOut, ridge: f64) -> Judgement {
        let guesses = &held.seen * self.shrunk(ridge);
        let inputs = held.seen.nrows();
        let row = |matrix: &Mat<c64>, i: usize| -> Vec<C64> {
            (0..matrix.ncols()).map(|r| matrix[(i, r)]).collect()
        };
        let errors = &held.targets - &guesses;
        let variance = |i: usize| held.own[i] - self.explained(|k| held.seen[(i, k)], ridge);
        Judgement {
            guesses: (0..inputs).map(|i| row(&guesses, i)).collect(),
            errors: (0..inputs).map(|i| row(&errors, i)).collect(),
            variances: (0..inputs).map(|i| variance(i).max(0.0)).collect(),
        }
    }

    /// Errors of every input's own row when all rows of its fold are left out, and its posterior
    /// variance in that case. With B the block of the inverse that belongs to the fold, the errors
    /// are B^-1 c, and the variances are the diagonal of B^-1 minus the ridge.
    fn left_out(&self, ridge: f64, folds: &[Vec<usize>]) -> Judgement {
        let n = self.values.len();
        let inputs: usize = folds.iter().map(Vec::len).sum();
        let motions = n / inputs.max(1);
        let c = self.coefficients(ridge);
        let scaled = Mat::from_fn(n, n, |i, k| {
            self.vectors[(i, k)] / (self.values[k].max(0.0) + ridge)
        });
        let mut all = Judgement {
            guesses: vec![Vec::new(); inputs],
            errors: vec![Vec::new(); inputs],
            variances: vec![0.0; inputs],
        };
        for fold in folds {
            let rows = fold.iter().flat_map(|i| i * motions..(i + 1) * motions);
            let rows: Vec<usize> = rows.collect();
            let of = |matrix: &Mat<c64>| Mat::from_fn(rows.len(), n, |r, k| matrix[(rows[r], k)]);
            let inverse = inverse(&(of(&scaled) * of(&self.vectors).adjoint()));
            for (place, &input) in fold.iter().enumerate() {
                let own = place * motions;
                all.variances[input] = (inverse[(own, own)].re - ridge).max(0.0);
                let error = |r| {
                    let parts = rows.iter().enumerate();
                    parts.map(|(k, row)| inverse[(own, k)] * c[(*row, r)]).sum()
                };
                let errors: Vec<C64> = (0..c.ncols()).map(error).collect();
                let target = self.vectors.subrows(input * motions, 1) * &self.targets;
                let guess = |(r, error): (usize, &C64)| target[(0, r)] - error;
                all.guesses[input] = errors.iter().enumerate().map(guess).collect();
                all.errors[input] = errors;
            }
        }
        all
    }
}
