//! A network stacked on the regressions: it learns what their blend misses.
//!
//! The mean of an input a with low fidelity l is predicted as
//!
//!   b(a, l) + w / K sum_k c_k(a, l, b(a, l)),
//!
//! b the blend, c_k a network for each of K parts of the training inputs. Network k is trained on the
//! other parts, where b is the blend's guess of an input left out: Wolpert (1992), "Stacked
//! generalization". On its own part it is judged, so that w comes from inputs that neither the
//! regressions nor the network have seen. What a network is made of is a [`Learner`]'s matter.

use std::time::Duration;

use rand::{Rng, RngExt};

use super::case::{Channels, Framed};
use super::symmetry::{Motion, Role};
use super::{Lattice, Symmetries, roll};
use crate::Result;
use crate::observer::Observer;

/// Trains networks, and reads those that were stored.
pub trait Learner: Sync {
    /// A network for each part of the lesson's inputs, trained on the other parts; none if the lesson
    /// is not worth it.
    fn learn(&self, lesson: &Lesson<'_>) -> Result<Vec<Box<dyn Network>>>;

    /// The network of these bytes.
    fn restore(&self, bytes: &[u8]) -> Result<Box<dyn Network>>;
}

/// What a blend misses, as a network has learned it.
pub trait Network: Send + Sync {
    /// fields: [channel, point], input, low fidelity and guess -> the correction: [channel, point].
    fn correct(&self, fields: &[f64]) -> Vec<f64>;

    /// The network as bytes.
    fn to_bytes(&self) -> Vec<u8>;
}

/// What networks are trained on.
pub struct Lesson<'a> {
    /// The grid.
    pub lattice: &'a Lattice,
    /// Motions that take fields and targets to others as good.
    pub symmetries: &'a Symmetries,
    /// Channels of input and solution.
    pub channels: Channels,
    /// Input, low fidelity if there is any, and the blend's guess of an input left out:
    /// [input][channel, point].
    pub fields: Vec<Vec<f64>>,
    /// What the guess misses: [input][channel, point].
    pub targets: Vec<Vec<f64>>,
    /// The part of each input.
    pub parts: Vec<usize>,
    /// What a budget leaves for it, if there is one.
    pub time: Option<Duration>,
    /// Receives progress, and may stop the training.
    pub observer: &'a dyn Observer,
}

impl Lesson<'_> {
    /// How many parts there are.
    pub fn count(&self) -> usize {
        self.parts.iter().max().map_or(0, |last| last + 1)
    }

    /// Inputs that are in a part (`within`), or those that are not.
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
    /// How far a correction may reach, a number per channel.
    pub limits: Vec<f64>,
}

impl Stacked {
    /// What the networks add to a guess, framed: [channel, point].
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

/// What a network sees of a query: input, low fidelity and the blend's guess, [channel, point].
pub(super) fn fields(framed: &Framed, guess: &[f64]) -> Vec<f64> {
    [&framed.input, &framed.low, guess].concat()
}
