//! Stacks networks on a blend, with the weight that they deserve at inputs they have not seen.

use std::time::Duration;

use super::blend::{Blend, MemberScore, Verdict};
use super::case::{Channels, Framed};
use super::folds::Folds;
use super::stack::{Learner, Lesson, Stacked, fields};
use super::stacking_weight::{left_out, limits, of_mean, weight_of};
use super::target::Examples;
use super::{Lattice, Symmetries};
use crate::Result;
use crate::observer::Observer;

/// Number of parts of the training inputs, and of networks.
const PARTS: usize = 4;

/// Minimum number of distinct inputs from which networks are trained.
const FEWEST: usize = 16;

/// The data and the learner of stacked networks.
pub(super) struct Stacking<'a> {
    pub lattice: &'a Lattice,
    pub symmetries: &'a Symmetries,
    /// The examples of the blend.
    pub examples: Examples<'a>,
    pub learner: &'a dyn Learner,
    pub observer: &'a dyn Observer,
    /// The time of a budget that is reserved for later parts of the fit.
    pub reserved: Duration,
}

impl Stacking<'_> {
    /// Stacks networks on a blend if they reduce its error at inputs that they have not seen; the
    /// verdict then includes them.
    pub(super) fn apply(&self, blend: &mut Blend, verdict: &mut Verdict) -> Result<()> {
        if !is_worth_it(self.lattice, &self.examples) {
            return Ok(());
        }
        let lesson = self.lesson(verdict);
        let networks = self.learner.learn(&lesson)?;
        if networks.is_empty() {
            return Ok(());
        }
        let correct = |(i, fields): (usize, &Vec<f64>)| networks[lesson.parts[i]].correct(fields);
        let corrections: Vec<Vec<f64>> = lesson.fields.iter().enumerate().map(correct).collect();
        let framed = self.examples.train.framed.iter();
        let sizes: Vec<f64> = framed.map(|f| blend.parity.size(f)).collect();
        let weight = weight_of(&lesson.targets, &corrections, &sizes, self.examples.folds);
        let of_mean = of_mean(weight, networks.len());
        blend.scores.push(MemberScore {
            name: "network on what the blend misses".into(),
            left_out: left_out(&lesson.targets, &corrections, &sizes),
            weight: of_mean,
        });
        if weight > 0.0 {
            verdict.correct(&corrections, weight);
            blend.stacked = Some(Stacked {
                networks,
                weight: of_mean,
                limits: limits(&corrections, self.lattice.len()),
            });
        }
        Ok(())
    }

    fn lesson<'a>(&'a self, verdict: &Verdict) -> Lesson<'a> {
        let inputs = self.examples.train.framed.iter().zip(&verdict.guesses);
        let [input, solution] = self.symmetries.motions[0].channels();
        let left = self.observer.time_left();
        Lesson {
            lattice: self.lattice,
            symmetries: self.symmetries,
            channels: Channels { input, solution },
            fields: inputs
                .map(|(framed, guess)| fields(framed, guess))
                .collect(),
            targets: verdict.errors.clone(),
            parts: parts(self.examples.folds),
            time: left.map(|left| left.saturating_sub(self.reserved)),
            observer: self.observer,
        }
    }
}

impl Verdict {
    fn correct(&mut self, corrections: &[Vec<f64>], weight: f64) {
        let pairs = self.guesses.iter_mut().zip(&mut self.errors);
        for ((guess, error), correction) in pairs.zip(corrections) {
            for ((guess, error), value) in guess.iter_mut().zip(error).zip(correction) {
                *guess += weight * value;
                *error -= weight * value;
            }
        }
    }
}

/// Whether training is worthwhile: enough distinct inputs, each known everywhere and left out once,
/// of which some vary over the domain.
fn is_worth_it(lattice: &Lattice, examples: &Examples<'_>) -> bool {
    let varies = |framed: &Framed| {
        let mut channels = framed.input.chunks_exact(lattice.len());
        channels.any(|channel| channel.iter().any(|v| *v != channel[0]))
    };
    let sample = &examples.train;
    !examples.has_held()
        && examples.folds.count() >= FEWEST
        && sample.known.iter().all(Option::is_none)
        && sample.framed.iter().any(varies)
}

/// The part of each input; folds are not divided.
fn parts(folds: &Folds) -> Vec<usize> {
    (0..folds.inputs()).map(|i| folds.of(i) % PARTS).collect()
}

#[cfg(test)]
mod tests;
