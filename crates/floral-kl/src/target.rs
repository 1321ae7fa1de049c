//! The target of a regression: one field per training input, and how it transforms under
//! symmetries.

use serde::{Deserialize, Serialize};

use super::case::Framed;
use super::folds::Folds;
use super::large::picked;
use super::residuals::MeanError;
use super::scattered::times;
use super::symmetry::{Motion, Role};

/// How a target transforms under a motion and a scaling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Parity {
    /// Like the solution: means and residuals.
    Odd,
    /// Like the square of the solution: variances.
    Even,
}

impl Parity {
    /// The name of such targets, for messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Odd => "mean",
            Self::Even => "variance",
        }
    }

    /// The moved target. values: [channel, point] -> the same shape.
    pub(super) fn apply(self, motion: &Motion, values: &[f64]) -> Vec<f64> {
        match self {
            Self::Odd => motion.apply(Role::Solution, values),
            Self::Even => motion.apply_even(values),
        }
    }

    /// The factor from the frame to the problem's own scale.
    pub(super) fn size(self, framed: &Framed) -> f64 {
        match self {
            Self::Odd => framed.size,
            Self::Even => framed.size * framed.size,
        }
    }
}

/// Framed inputs with one framed target field each.
#[derive(Clone, Copy)]
pub(super) struct Sample<'a> {
    /// The inputs.
    pub framed: &'a [Framed],
    /// One field per input: [channel, point].
    pub targets: &'a [Vec<f64>],
    /// Low fidelity of each input, which `framed` may hide: [channel, point], or empty.
    pub hidden: &'a [Vec<f64>],
    /// The points at which an input's target was measured; `None` means all.
    pub known: &'a [Option<Vec<usize>>],
    /// Estimated errors of the targets; empty if they are unknown.
    pub noise: &'a [MeanError<'a>],
    /// Square roots of the weights of points, by which errors are multiplied; `None` if all points
    /// count the same.
    pub roots: Option<&'a [f64]>,
    /// The points of a large domain at which guesses are judged; `None` means all.
    pub at: Option<&'a [usize]>,
}

impl Sample<'_> {
    /// The error of a guess at an input's target, times the square roots of weights; zero where the
    /// target is not known.
    pub(super) fn miss(&self, input: usize, guess: &[f64]) -> Vec<f64> {
        let target = &self.targets[input];
        if let Some(at) = self.at {
            let target = picked(target, self.framed[input].points, at);
            return target.iter().zip(guess).map(|(t, g)| t - g).collect();
        }
        let miss: Vec<f64> = target.iter().zip(guess).map(|(t, g)| t - g).collect();
        let miss = times(miss, self.roots);
        let Some(known) = &self.known[input] else {
            return miss;
        };
        let points = self.framed[input].points;
        let mut kept = vec![0.0; miss.len()];
        for (kept, miss) in kept.chunks_mut(points).zip(miss.chunks(points)) {
            known.iter().for_each(|&p| kept[p] = miss[p]);
        }
        kept
    }

    /// The Euclidean norm of that error.
    pub(super) fn error(&self, input: usize, guess: &[f64]) -> f64 {
        let miss = self.miss(input, guess);
        miss.iter().map(|v| v * v).sum::<f64>().sqrt()
    }

    /// The same without inputs.
    pub(super) fn none(self) -> Self {
        Self {
            framed: &[],
            targets: &[],
            hidden: &[],
            known: &[],
            noise: &[],
            roots: None,
            at: self.at,
        }
    }
}

/// The inputs that a regression is fitted to, and those that judge it.
#[derive(Clone, Copy)]
pub(super) struct Examples<'a> {
    /// Training inputs.
    pub train: Sample<'a>,
    /// Held-out inputs; if there are none, each training input judges a fit to the others.
    pub held: Sample<'a>,
    /// How the targets transform.
    pub parity: Parity,
    /// The folds of the training inputs.
    pub folds: &'a Folds,
}

impl<'a> Examples<'a> {
    /// The inputs by whose errors regressions are chosen.
    pub(super) fn judges(&self) -> Sample<'a> {
        if self.has_held() {
            self.held
        } else {
            self.train
        }
    }

    /// Whether inputs are held out.
    pub(super) fn has_held(&self) -> bool {
        !self.held.framed.is_empty()
    }
}
