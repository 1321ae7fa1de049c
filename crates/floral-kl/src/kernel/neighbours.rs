//! The training inputs nearest to a query, each in the position in which it is closest.

use rayon::prelude::*;

use super::gram::Signature;
use super::{Covariance, Kernel, Resemblance, Rows};
use crate::case::Framed;
use crate::folds::Folds;
use crate::symmetry::{Motion, roll};
use crate::{Lattice, Symmetries};

/// Distances compare input and low fidelity in equal shares, without smoothing.
const PLAIN: Kernel = Kernel {
    covariance: Covariance::Linear,
    share: 0.5,
    smoothing: 0.0,
};

/// Weights below this share of the largest are lost in single precision and left out.
const NEGLIGIBLE: f64 = 1e-12;

/// Squared distance, in units of the inputs' own variance, below which two inputs are copies.
const COPY: f64 = 1e-6;

/// A training input in the position in which it is closest to the query.
pub(crate) struct Nearest {
    /// The training input.
    pub input: usize,
    /// The motion to that position.
    pub motion: Motion,
    /// Its weight; all weights sum to one.
    pub weight: f64,
}

/// An input in the position in which it is closest to another.
pub(crate) struct Placed {
    /// The motion to that position.
    pub motion: Motion,
    /// Their squared distance.
    pub square: f64,
}

/// Training inputs in every position of the finite group.
pub(crate) struct Neighbours {
    lattice: Lattice,
    rows: Rows,
    /// Mean squared distance of a judging input to the closest input of another fold; weights decay
    /// over it.
    fade: f64,
}

impl Neighbours {
    pub(crate) fn new(lattice: &Lattice, symmetries: &Symmetries, framed: &[Framed]) -> Self {
        Self::with_fade(lattice, symmetries, framed, 1.0)
    }

    /// A number for every input, the same for copies, counted from zero in the order of first
    /// occurrence.
    pub(crate) fn distinct(&self, framed: &[Framed], symmetries: &Symmetries) -> Vec<usize> {
        let copies = |input| self.copies(input, symmetries);
        let copies: Vec<_> = framed.par_iter().map(copies).collect();
        let original = |i: usize| {
            let is_copy = |j: &usize| self.is_copy(&copies[i][0], &copies[*j], COPY);
            (0..i).find(is_copy)
        };
        let originals = (0..framed.len()).into_par_iter().map(original);
        let originals: Vec<Option<usize>> = originals.collect();
        let mut group: Vec<usize> = Vec::with_capacity(framed.len());
        let mut count = 0;
        for original in originals {
            group.push(original.map_or(count, |j| group[j]));
            count += usize::from(original.is_none());
        }
        group
    }

    /// The same with a fade learned from the distances of held-out inputs or, if there are none, of
    /// inputs of different folds.
    pub(crate) fn faded(mut self, folds: &Folds, held: &[Framed]) -> Self {
        let distances = self.judged(folds, held);
        let mean = distances.iter().sum::<f64>() / distances.len() as f64;
        self.fade = if mean.is_normal() { mean } else { 1.0 };
        self
    }

    /// Squared distances of the judging inputs to the closest input of another fold, over the fade.
    pub(crate) fn judged(&self, folds: &Folds, held: &[Framed]) -> Vec<f64> {
        let motions = self.rows.signatures.len() / folds.inputs().max(1);
        let Rows {
            resemblance,
            signatures: rows,
        } = &self.rows;
        let left_out = |i: usize| {
            let others = (0..rows.len()).filter(|j| folds.of(j / motions) != folds.of(i));
            let distances = others.map(|j| resemblance.closest(&rows[i * motions], &rows[j]).1);
            distances.fold(f64::INFINITY, f64::min)
        };
        let held_out = |framed: &Framed| {
            let query = resemblance.signature(framed);
            let distances = rows.iter().map(|row| resemblance.closest(&query, row).1);
            distances.fold(f64::INFINITY, f64::min)
        };
        let distances: Vec<f64> = if held.is_empty() {
            let inputs = 0..folds.inputs();
            inputs.into_par_iter().map(left_out).collect()
        } else {
            held.par_iter().map(held_out).collect()
        };
        distances.into_iter().map(|d| d / self.fade).collect()
    }

    /// Neighbours with a known fade.
    pub(crate) fn with_fade(
        lattice: &Lattice,
        symmetries: &Symmetries,
        framed: &[Framed],
        fade: f64,
    ) -> Self {
        Self {
            rows: Rows::new(lattice, symmetries, framed, &PLAIN),
            lattice: lattice.clone(),
            fade,
        }
    }

    /// Mean squared distance of a judging input to the closest input of another fold.
    pub(crate) fn fade(&self) -> f64 {
        self.fade
    }

    /// Squared distance to the closest training input, over the mean of the judging inputs.
    pub(crate) fn distance(&self, framed: &Framed) -> f64 {
        let query = self.rows.resemblance.signature(framed);
        let distance = |row| self.rows.resemblance.closest(&query, row).1;
        let all: Vec<f64> = self.rows.signatures.par_iter().map(distance).collect();
        all.into_iter().fold(f64::INFINITY, f64::min) / self.fade
    }

    /// An input in every position of the finite group.
    pub(crate) fn copies(&self, framed: &Framed, symmetries: &Symmetries) -> Vec<Signature> {
        let motions = 0..symmetries.motions.len();
        motions
            .map(|m| {
                self.rows
                    .resemblance
                    .signature(&framed.moved(symmetries, m))
            })
            .collect()
    }

    /// Whether an input equals another, in one of the other's copies or their rolls, to within the
    /// squared distance `near`.
    pub(crate) fn is_copy(&self, of: &Signature, copies: &[Signature], near: f64) -> bool {
        let norm = |signature: &Signature| Resemblance::square(signature).sqrt();
        copies.iter().any(|copy| {
            // If the norms differ by more, no Fourier transform is needed.
            (norm(of) - norm(copy)).powi(2) <= near
                && self.rows.resemblance.closest(of, copy).1 <= near
        })
    }

    /// The position of an input, among its copies and their rolls, that is closest to another.
    pub(crate) fn closest(
        &self,
        to: &Framed,
        copies: &[Signature],
        symmetries: &Symmetries,
    ) -> Placed {
        let query = self.rows.resemblance.signature(to);
        let found = copies
            .iter()
            .map(|copy| self.rows.resemblance.closest(&query, copy));
        let best = found.enumerate().min_by(|a, b| a.1.1.total_cmp(&b.1.1));
        let (motion, (shift, square)) = best.unwrap_or((0, (0, 0.0)));
        Placed {
            motion: self.position(symmetries, motion, shift),
            square,
        }
    }

    /// The `count` closest rows, each in its closest position, with weights that decay with
    /// distance. Negligible weights are left out.
    pub(crate) fn nearest(
        &self,
        framed: &Framed,
        symmetries: &Symmetries,
        count: usize,
    ) -> Vec<Nearest> {
        self.nearest_of(framed, symmetries, count, |_| true)
    }

    /// The same, restricted to some of the training inputs.
    pub(crate) fn nearest_of(
        &self,
        framed: &Framed,
        symmetries: &Symmetries,
        count: usize,
        among: impl Fn(usize) -> bool,
    ) -> Vec<Nearest> {
        let query = self.rows.resemblance.signature(framed);
        let closest = |row| self.rows.resemblance.closest(&query, row);
        let mut found: Vec<(usize, (usize, f64))> = self
            .rows
            .signatures
            .par_iter()
            .map(closest)
            .enumerate()
            .collect();
        found.retain(|(row, _)| among(row / symmetries.motions.len()));
        found.sort_by(|a, b| a.1.1.total_cmp(&b.1.1));
        found.truncate(count);
        let least = found.first().map_or(0.0, |found| found.1.1);
        let weight = |distance: f64| (-(distance - least) / self.fade).exp();
        found.retain(|found| weight(found.1.1) > NEGLIGIBLE);
        let sum: f64 = found.iter().map(|found| weight(found.1.1)).sum();
        let bring = |&(row, (shift, distance)): &(usize, (usize, f64))| Nearest {
            input: row / symmetries.motions.len(),
            motion: self.position(symmetries, row, shift),
            weight: weight(distance) / sum,
        };
        found.iter().map(bring).collect()
    }

    /// The motion of a row, followed by the roll with this number.
    fn position(&self, symmetries: &Symmetries, row: usize, shift: usize) -> Motion {
        let mut motion = symmetries.motions[row % symmetries.motions.len()].clone();
        let mut rest = shift;
        for &axis in symmetries.rolled.iter().rev() {
            let n = self.lattice.axes[axis].len;
            motion = motion.then(&roll(&self.lattice, axis, rest % n, motion.channels()));
            rest /= n;
        }
        motion
    }
}
