//! Ranks: processes that share one piece of work and produce the same bytes as a single process.
//!
//! [`Ranks`] is the interface. [`Alone`] is a single process, [`Threads`] are ranks within one
//! process for tests, and the crate `floral-mpi` implements processes connected by MPI. Inputs and
//! blocks of samples are divided by index ([`share`]). [`Watch`] reports the progress of all ranks
//! to rank 0's observer. [`agreed`] makes a step fail on all ranks if it fails on one.

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

/// Counters shared by all ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counter {
    /// Finished parts of the work.
    Done,
    /// The next of several tasks.
    Next,
    /// Ranks with a stop request.
    Stop,
}

impl Counter {
    /// Number of counters.
    pub const COUNT: usize = 3;

    /// Index of the counter in a list of all.
    pub fn place(self) -> usize {
        self as usize
    }

    /// The counter with this index.
    pub fn at(place: usize) -> Option<Self> {
        [Self::Done, Self::Next, Self::Stop].get(place).copied()
    }
}

/// The processes that share a piece of work, as seen by one of them.
///
/// [`gather`](Self::gather), [`exchange`](Self::exchange) and [`join`](Self::join) are collective:
/// every rank must call them in the same order, and they return once all have. They fail if a rank
/// has exited without calling them.
pub trait Ranks: Sync {
    /// Number of this rank, from 0.
    fn rank(&self) -> usize;

    /// Number of ranks.
    fn size(&self) -> usize;

    /// The contributions of all ranks, in rank order; `meanwhile` is called repeatedly while
    /// waiting.
    fn gather(&self, own: Vec<u8>, meanwhile: &mut dyn FnMut()) -> Result<Vec<Vec<u8>>>;

    /// Sends the next `given[r]` numbers of `own` to rank r. Returns the `taken[r]` numbers
    /// received from each rank r, in rank order.
    fn exchange(&self, own: Vec<f32>, given: &[usize], taken: &[usize]) -> Result<Vec<f32>>;

    /// The numbers of all ranks concatenated, `counts[r]` from rank r.
    fn join(&self, own: Vec<f32>, counts: &[usize]) -> Result<Vec<f32>>;

    /// Adds to a counter and returns its previous value; not a collective call.
    fn count(&self, counter: Counter, amount: u64) -> Result<u64>;

    /// Whether this is rank 0, which opens, publishes and reports.
    fn is_first(&self) -> bool {
        self.rank() == 0
    }
}

/// The range of `count` items assigned to a rank; sizes differ by at most one.
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
