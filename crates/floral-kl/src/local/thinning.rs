//! The points of an input that enter a local regression.

use crate::scattered::sampled;
use crate::{Lattice, Symmetries};

/// Maximum number of points per input; neighbouring points are redundant.
const MOST_ROWS: usize = 4096;

/// Maximum number of points of all inputs in all positions, where they are compared with landmarks.
pub(super) const MOST_COMPARED: usize = 60_000;

/// Which points of an input enter a fit: all of them, or every n-th line across an axis that does
/// not roll. The lines shift from input to input, so that all inputs together cover the domain.
/// Scattered points are sampled along a curve.
pub(super) struct Thinning<'a> {
    lattice: &'a Lattice,
    axis: usize,
    every: usize,
    /// A second axis and its step, for a block that thinning along the first axis leaves too large.
    second: Option<(usize, usize)>,
    /// A curve through scattered points.
    curve: Vec<usize>,
}

impl<'a> Thinning<'a> {
    pub(super) fn new(
        lattice: &'a Lattice,
        symmetries: &Symmetries,
        inputs: usize,
        most: usize,
    ) -> Self {
        let most = most / (inputs * symmetries.motions.len()).max(1);
        let thin = lattice.len().div_ceil(most.clamp(1, MOST_ROWS));
        let still = (0..lattice.axes.len()).filter(|axis| !symmetries.rolled.contains(axis));
        // Along the longest axis, whose lines are the most similar.
        let longest = |&axis: &usize| (lattice.axes[axis].len, usize::MAX - axis);
        let axis = still.clone().max_by_key(longest).unwrap_or(0);
        let every = thin.min(lattice.axes[axis].len);
        let other = still.filter(|other| *other != axis).max_by_key(longest);
        let other = other.filter(|_| lattice.axes.len() > 2 && every < thin);
        let second = other.map(|other| (other, (thin / every).min(lattice.axes[other].len)));
        Self {
            lattice,
            axis,
            every,
            second,
            curve: lattice.points().map_or(Vec::new(), |points| points.curve()),
        }
    }

    pub(super) fn rows(&self, input: usize) -> Vec<usize> {
        // The first input has the last line; every further input shifts by about the golden section
        // of the step.
        let step = (0.618 * self.every as f64).round() as usize;
        let first = (self.every - 1 + input * coprime(step, self.every)) % self.every;
        if let Some(points) = self.lattice.points().filter(|_| self.every > 1) {
            let every = self.every as f64;
            return sampled(points, &self.curve, every, (first as f64 + 0.5) / every);
        }
        let is_kept = |p: &usize| self.lattice.position(*p, self.axis) % self.every == first;
        let is_kept_across = |p: &usize| {
            // After one cycle along the first axis, the next line along the second.
            self.second.is_none_or(|(axis, every)| {
                self.lattice.position(*p, axis) % every == input / self.every % every
            })
        };
        (0..self.lattice.len())
            .filter(|p| is_kept(p) && is_kept_across(p))
            .collect()
    }
}

/// The least number from `step` on that has no divisor in common with `n`.
fn coprime(step: usize, n: usize) -> usize {
    let divisor = |a: usize| {
        let (mut a, mut b) = (a, n);
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    (step.max(1)..).find(|a| divisor(*a) == 1).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::lattice;

    #[test]
    fn a_block_with_many_motions_is_thinned_along_two_axes_and_all_of_it_is_seen() {
        let lattice = lattice(&[("z", 8), ("y", 8), ("x", 8)], &[]);
        let symmetries = Symmetries::none(&lattice, 1, 1);
        let inputs = 16;
        let thinning = Thinning::new(&lattice, &symmetries, inputs, inputs * 32);
        let mut seen = vec![0; lattice.len()];
        for input in 0..inputs {
            let rows = thinning.rows(input);
            assert_eq!(rows.len(), 32);
            rows.iter().for_each(|&p| seen[p] += 1);
        }
        assert!(seen.iter().all(|count| *count == 1));
    }

    #[test]
    fn many_inputs_together_show_every_line() {
        let lattice = lattice(&[("t", 32), ("x", 8)], &["x"]);
        let symmetries = Symmetries::none(&lattice, 1, 1);
        for inputs in [8, 40, 160, 1000] {
            let thinning = Thinning::new(&lattice, &symmetries, inputs, 160 * 16);
            let rows: Vec<Vec<usize>> = (0..inputs).map(|i| thinning.rows(i)).collect();
            let mut seen = vec![0; lattice.len()];
            rows.iter().flatten().for_each(|&p| seen[p] += 1);
            let (least, most) = (seen.iter().min().unwrap(), seen.iter().max().unwrap());
            assert!(*least > 0 && most - least <= 1, "{inputs}: {least} {most}");
            assert!(rows.iter().all(|rows| !rows.is_empty()));
        }
    }
}
