//! Ranks: processes that do one piece of work together, each its share, to the same bytes as one.
//!
//! [`Ranks`] is what work needs of them; [`Alone`] is one process, [`Threads`] are ranks within one
//! process, by which every law is tested, and the crate `floral-mpi` has processes that talk by MPI.
//! Inputs and blocks of samples are divided by their index ([`share`]), [`Watch`] reports to rank 0's
//! observer how all of them go, and [`agreed`] ends an opening that one of them could not do.

mod agreement;
mod alone;
mod threads;
mod values;
mod watch;

use std::ops::Range;

pub use agreement::{agreed, by_first, first_then_others};
pub use alone::Alone;
pub use threads::Threads;
pub use values::gathered;
pub use watch::Watch;

use crate::Result;

/// What ranks count together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counter {
    /// Parts of the work that are done.
    Done,
    /// The next of several tasks.
    Next,
    /// Ranks that were asked to stop.
    Stop,
}

impl Counter {
    /// How many there are.
    pub const COUNT: usize = 3;

    /// Its place in a list of all.
    pub fn place(self) -> usize {
        self as usize
    }

    /// The counter of a place.
    pub fn at(place: usize) -> Option<Self> {
        [Self::Done, Self::Next, Self::Stop].get(place).copied()
    }
}

/// The processes that share a piece of work, as one of them sees them.
///
/// [`gather`](Self::gather), [`exchange`](Self::exchange) and [`join`](Self::join) return once every
/// rank has called them, in the same order; they fail if a rank has ended without.
pub trait Ranks: Sync {
    /// The number of this one, from 0.
    fn rank(&self) -> usize;

    /// How many there are.
    fn size(&self) -> usize;

    /// What every rank gives, in their order; `meanwhile` is called now and then until all have.
    fn gather(&self, own: Vec<u8>, meanwhile: &mut dyn FnMut()) -> Result<Vec<Vec<u8>>>;

    /// Gives rank r the next `given[r]` numbers of `own`, and returns the `taken[r]` that each rank
    /// has given to this one, in their order.
    fn exchange(&self, own: Vec<f32>, given: &[usize], taken: &[usize]) -> Result<Vec<f32>>;

    /// The numbers of all ranks one after the other, `counts[r]` of rank r.
    fn join(&self, own: Vec<f32>, counts: &[usize]) -> Result<Vec<f32>>;

    /// Adds to a counter, and returns what it was before; no other rank has to call.
    fn count(&self, counter: Counter, amount: u64) -> Result<u64>;

    /// Whether this is rank 0, which opens, publishes and reports.
    fn is_first(&self) -> bool {
        self.rank() == 0
    }
}

/// The part of `count` things in a row that a rank has; parts differ by one at most.
pub fn share(count: usize, rank: usize, size: usize) -> Range<usize> {
    let border = |rank: usize| (count as u128 * rank as u128 / size.max(1) as u128) as usize;
    border(rank)..border(rank + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_neighbours_and_differ_by_one_at_most() {
        for (count, size) in [(0, 3), (2, 5), (8, 3), (9, 9), (100, 7)] {
            let mut end = 0;
            for rank in 0..size {
                let part = share(count, rank, size);
                assert_eq!(part.start, end);
                assert!(part.len().abs_diff(count / size) <= 1);
                end = part.end;
            }
            assert_eq!(end, count);
        }
    }

    #[test]
    fn a_counter_is_found_by_its_place() {
        for place in 0..Counter::COUNT {
            assert_eq!(Counter::at(place).unwrap().place(), place);
        }
        assert_eq!(Counter::at(Counter::COUNT), None);
    }
}
