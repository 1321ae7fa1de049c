//! Which training inputs, in which position, resemble a query.

use rayon::prelude::*;

use super::Resemblance;
use super::gram::Signature;
use crate::regression::case::Framed;
use crate::regression::symmetry::{Motion, roll};
use crate::regression::{Lattice, Symmetries};

/// A training input brought into the position in which it resembles the query most.
pub(in crate::regression) struct Nearest {
    /// The training input.
    pub input: usize,
    /// What brings it there.
    pub motion: Motion,
    /// Its weight; all weights sum to one.
    pub weight: f64,
}

/// Training inputs in every position of the finite group.
pub(in crate::regression) struct Neighbours {
    lattice: Lattice,
    resemblance: Resemblance,
    rows: Vec<Signature>,
    /// Squared distance over which resemblance fades.
    fade: f64,
}

impl Neighbours {
    pub(in crate::regression) fn new(
        lattice: &Lattice,
        symmetries: &Symmetries,
        framed: &[Framed],
    ) -> Self {
        let resemblance = Resemblance::new(lattice, symmetries, framed, 0.5);
        let motions = symmetries.motions.len();
        let row =
            |i: usize| resemblance.signature(&framed[i / motions].moved(symmetries, i % motions));
        let rows: Vec<Signature> = (0..framed.len() * motions)
            .into_par_iter()
            .map(row)
            .collect();
        let nearest = |i: usize| {
            let others = (0..rows.len()).filter(|j| j / motions != i);
            let distances = others.map(|j| resemblance.closest(&rows[i * motions], &rows[j]).1);
            distances.fold(f64::INFINITY, f64::min)
        };
        let all: Vec<f64> = (0..framed.len()).into_par_iter().map(nearest).collect();
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        Self {
            lattice: lattice.clone(),
            fade: if mean.is_normal() { mean } else { 1.0 },
            resemblance,
            rows,
        }
    }

    /// The closest positions of the `count` closest rows, with weights that fade with distance.
    pub(in crate::regression) fn nearest(
        &self,
        framed: &Framed,
        symmetries: &Symmetries,
        count: usize,
    ) -> Vec<Nearest> {
        let query = self.resemblance.signature(framed);
        let closest = |row| self.resemblance.closest(&query, row);
        let mut found: Vec<(usize, (usize, f64))> =
            self.rows.par_iter().map(closest).enumerate().collect();
        found.sort_by(|a, b| a.1.1.total_cmp(&b.1.1));
        found.truncate(count);
        let least = found.first().map_or(0.0, |found| found.1.1);
        let weight = |distance: f64| (-(distance - least) / self.fade).exp();
        let sum: f64 = found.iter().map(|found| weight(found.1.1)).sum();
        let bring = |&(row, (shift, distance)): &(usize, (usize, f64))| Nearest {
            input: row / symmetries.motions.len(),
            motion: self.position(symmetries, row, shift),
            weight: weight(distance) / sum,
        };
        found.iter().map(bring).collect()
    }

    /// The motion of a row, then the roll of this number.
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
