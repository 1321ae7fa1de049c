//! Networks stacked on the regressions: they learn the error of the blend.
//!
//! The mean of an input a with low fidelity l is predicted as
//!
//!   b(a, l) + w / K sum_k c_k(a, l, b(a, l)),
//!
//! with the blend b and a network c_k for each of K parts of the training inputs. Network k is
//! trained on the other parts, where b is the left-out prediction of the blend (Wolpert, 1992,
//! "Stacked generalization"). It is judged on its own part, so that w comes from inputs that
//! neither the regressions nor the network have seen. The architecture of a network is up to the
//! [`Learner`].

use std::time::Duration;

use rand::{Rng, RngExt};

use super::case::{Channels, Framed};
use super::symmetry::{Motion, Role};
use super::{Lattice, Symmetries, roll};
use crate::Result;
use crate::observer::Observer;

/// Trains networks, and restores stored ones.
pub trait Learner: Sync {
    /// A network for each part of the lesson's inputs, trained on the other parts; none if the
    /// lesson does not justify training.
    fn learn(&self, lesson: &Lesson<'_>) -> Result<Vec<Box<dyn Network>>>;

    /// Restores a network from its bytes.
    fn restore(&self, bytes: &[u8]) -> Result<Box<dyn Network>>;
}

/// A network that predicts the error of a blend.
pub trait Network: Send + Sync {
    /// The correction, [channel, point], from the fields [channel, point]: input, low fidelity and
    /// guess.
    fn correct(&self, fields: &[f64]) -> Vec<f64>;

    /// The network as bytes.
    fn to_bytes(&self) -> Vec<u8>;
}

/// The training data of networks.
pub struct Lesson<'a> {
    /// The grid.
    pub lattice: &'a Lattice,
    /// Motions that turn fields and targets into equally valid ones.
    pub symmetries: &'a Symmetries,
    /// Channels of input and solution.
    pub channels: Channels,
    /// Input, low fidelity if there is any, and the left-out guess of the blend:
    /// [input][channel, point].
    pub fields: Vec<Vec<f64>>,
    /// The error of the guess: [input][channel, point].
    pub targets: Vec<Vec<f64>>,
    /// The part of each input.
    pub parts: Vec<usize>,
    /// The time that a budget leaves for training, if there is one.
    pub time: Option<Duration>,
    /// Receives progress, and may stop the training.
    pub observer: &'a dyn Observer,
}

impl Lesson<'_> {
    /// Number of parts.
    pub fn count(&self) -> usize {
        self.parts.iter().max().map_or(0, |last| last + 1)
    }

    /// The inputs of a part (`within`), or all others.
    pub fn inputs(&self, part: usize, within: bool) -> Vec<usize> {
        let kept = |i: &usize| (self.parts[*i] == part) == within;
        (0..self.parts.len()).filter(kept).collect()
    }

    /// Fields and target of an input, moved and rolled together at random.
    pub fn moved(&self, input: usize, rng: &mut impl Rng) -> (Vec<f64>, Vec<f64>) {
        let Symmetries {
            motions, rolled, ..
        } = self.symmetries;
        let mut motion = motions[rng.random_range(0..motions.len())].clone();
        for &axis in rolled {
            let steps = rng.random_range(0..self.lattice.axes[axis].len);
            motion = motion.then(&roll(self.lattice, axis, steps, motion.channels()));
        }
        let fields = self.move_fields(&motion, &self.fields[input]);
        (fields, motion.apply(Role::Solution, &self.targets[input]))
    }

    fn move_fields(&self, motion: &Motion, fields: &[f64]) -> Vec<f64> {
        let points = self.lattice.len();
        let (input, solutions) = fields.split_at(self.channels.input * points);
        let mut moved = motion.apply(Role::Input, input);
        for solution in solutions.chunks_exact(self.channels.solution * points) {
            moved.extend(motion.apply(Role::Solution, solution));
        }
        moved
    }
}

/// Networks with the weight of their mean.
pub(super) struct Stacked {
    pub networks: Vec<Box<dyn Network>>,
    pub weight: f64,
    /// Largest correction, a number per channel, before the weight.
    pub limits: Vec<f64>,
}

impl Stacked {
    /// The correction that the networks add to a guess, framed: [channel, point].
    pub(super) fn correction(&self, framed: &Framed, guess: &[f64]) -> Vec<f64> {
        let fields = fields(framed, guess);
        let mut sum = vec![0.0; guess.len()];
        let share = self.weight / self.networks.len() as f64;
        for network in &self.networks {
            let parts = sum.iter_mut().zip(network.correct(&fields));
            parts.for_each(|(sum, value)| *sum += share * value);
        }
        let points = framed.points.max(1);
        for (channel, limit) in sum.chunks_exact_mut(points).zip(&self.limits) {
            let most = self.weight * limit;
            channel.iter_mut().for_each(|v| *v = v.max(-most).min(most));
        }
        sum
    }
}

/// The fields of a query for a network: input, low fidelity and the blend's guess,
/// [channel, point].
pub(super) fn fields(framed: &Framed, guess: &[f64]) -> Vec<f64> {
    [&framed.input, &framed.low, guess].concat()
}
