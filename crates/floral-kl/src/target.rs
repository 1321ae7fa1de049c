//! What is regressed on: a field per training input, moved by symmetries in its own way.

use serde::{Deserialize, Serialize};

use super::case::Framed;
use super::folds::Folds;
use super::large::picked;
use super::residuals::MeanError;
use super::scattered::times;
use super::symmetry::{Motion, Role};

/// How a target goes with a motion and a scaling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Parity {
    /// As the solution does: means and residuals.
    Odd,
    /// As the solution's square does: variances.
    Even,
}

impl Parity {
    /// What such targets are, for people.
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

    /// The target's unit in the problem's own frame.
    pub(super) fn size(self, framed: &Framed) -> f64 {
        match self {
            Self::Odd => framed.size,
            Self::Even => framed.size * framed.size,
        }
    }
}

/// Framed inputs and a framed target field for each.
#[derive(Clone, Copy)]
pub(super) struct Sample<'a> {
    /// The inputs.
    pub framed: &'a [Framed],
    /// One field per input: [channel, point].
    pub targets: &'a [Vec<f64>],
    /// Low fidelity of each input, which `framed` may hide: [channel, point], or empty.
    pub hidden: &'a [Vec<f64>],
    /// The points at which an input's target was measured; none means everywhere.
    pub known: &'a [Option<Vec<usize>>],
    /// How far an input's target may be off; empty if that is not known.
    pub noise: &'a [MeanError<'a>],
    /// Roots of the weights of points by which errors count; none if all count the same.
    pub roots: Option<&'a [f64]>,
    /// The points of a large domain at which guesses are judged; none means at all.
    pub at: Option<&'a [usize]>,
}

impl Sample<'_> {
    /// What a guess misses of an input's target, times the roots of weights; nothing where that is not
    /// known.
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

    /// The norm of that.
    pub(super) fn error(&self, input: usize, guess: &[f64]) -> f64 {
        let miss = self.miss(input, guess);
        miss.iter().map(|v| v * v).sum::<f64>().sqrt()
    }

    /// No inputs.
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

/// What a regression is fitted to, and the inputs that judge it.
#[derive(Clone, Copy)]
pub(super) struct Examples<'a> {
    /// Training inputs.
    pub train: Sample<'a>,
    /// Inputs held out; if there are none, each training input judges a fit to the others.
    pub held: Sample<'a>,
    /// How the targets move.
    pub parity: Parity,
    /// Which training inputs are left out together.
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
