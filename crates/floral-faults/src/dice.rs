//! Random choices from a seed and an index: a case has the same bytes on any machine.

use floral::random::{Purpose, Stream, stream};
use rand::Rng;

/// A source of choices.
pub struct Dice(Stream);

impl Dice {
    /// The choices of a case.
    pub fn new(seed: u64, case: u64) -> Self {
        Self(stream(seed, Purpose::Input, case, 0))
    }

    /// Any 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `n`; 0 if `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % (n.max(1) as u64)) as usize
    }

    /// True with probability 1/`n`.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// A number from 0 to 1, without 1.
    pub fn share(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// An element of a list, which must not be empty.
    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}
