//! Ranks as threads of this process, each with its own thread pool, for tests.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::{Counter, Ranks};
use crate::{Error, Result};

/// Interval at which a waiting rank calls `meanwhile`.
const GLANCE: Duration = Duration::from_millis(5);

/// One of several ranks within a process.
pub struct Threads {
    rank: usize,
    size: usize,
    meeting: Arc<Meeting>,
}

/// The shared state of all ranks.
#[derive(Default)]
struct Meeting {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Contributions to the current collective call, by rank.
    brought: Vec<Option<Arc<Parcel>>>,
    /// Contributions to the last completed collective call.
    complete: Vec<Arc<Parcel>>,
    /// Number of completed collective calls.
    meetings: u64,
    counters: [u64; Counter::COUNT],
    /// The first rank that failed.
    failed: Option<usize>,
}

enum Parcel {
    Bytes(Vec<u8>),
    /// The numbers for each rank.
    Numbers(Vec<Vec<f32>>),
}

impl Threads {
    /// Runs `work` as each of `size` ranks with `threads` threads each, and returns the results in
    /// rank order. Once one rank has failed, the others fail at their next collective call.
    pub fn run<T: Send>(
        size: usize,
        threads: usize,
        work: impl Fn(&dyn Ranks) -> Result<T> + Sync,
    ) -> Vec<Result<T>> {
        let meeting = Arc::new(Meeting::default());
        meeting.locked().brought = vec![None; size];
        let as_rank = |rank: usize| {
            let ranks = Self {
                rank,
                size,
                meeting: meeting.clone(),
            };
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let outcome = match pool {
                Ok(pool) => pool.install(|| work(&ranks)),
                Err(_) => work(&ranks),
            };
            if outcome.is_err() {
                meeting.locked().failed.get_or_insert(rank);
                meeting.changed.notify_all();
            }
            outcome
        };
        std::thread::scope(|scope| {
            let ranks: Vec<_> = (0..size)
                .map(|rank| scope.spawn(move || as_rank(rank)))
                .collect();
            let ends = ranks.into_iter().map(|rank| match rank.join() {
                Ok(end) => end,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            ends.collect()
        })
    }

    /// Contributes a parcel, waits for all ranks, and returns all parcels.
    fn meet(&self, parcel: Parcel, meanwhile: &mut dyn FnMut()) -> Result<Vec<Arc<Parcel>>> {
        let mut state = self.meeting.locked();
        let meeting = state.meetings;
        state.brought[self.rank] = Some(Arc::new(parcel));
        if state.brought.iter().all(Option::is_some) {
            let all: Vec<_> = state.brought.iter_mut().filter_map(Option::take).collect();
            state.complete = all;
            state.meetings += 1;
            self.meeting.changed.notify_all();
        }
        while state.meetings == meeting {
            if let Some(rank) = state.failed {
                return Err(Error::Elsewhere { rank });
            }
            let waited = self.meeting.changed.wait_timeout(state, GLANCE);
            drop(waited.unwrap_or_else(PoisonError::into_inner));
            meanwhile();
            state = self.meeting.locked();
        }
        Ok(state.complete.clone())
    }
}

impl Meeting {
    fn locked(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Splits numbers into consecutive lists of `counts[r]` numbers.
fn cut(numbers: &[f32], counts: &[usize]) -> Vec<Vec<f32>> {
    let mut rest = numbers;
    let cut = counts.iter().map(|count| {
        let (part, after) = rest.split_at(*count);
        rest = after;
        part.to_vec()
    });
    cut.collect()
}

impl Ranks for Threads {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn gather(&self, own: Vec<u8>, meanwhile: &mut dyn FnMut()) -> Result<Vec<Vec<u8>>> {
        let all = self.meet(Parcel::Bytes(own), meanwhile)?;
        let bytes = all.iter().map(|parcel| match parcel.as_ref() {
            Parcel::Bytes(bytes) => bytes.clone(),
            Parcel::Numbers(_) => Vec::new(),
        });
        Ok(bytes.collect())
    }

    fn exchange(&self, own: Vec<f32>, given: &[usize], taken: &[usize]) -> Result<Vec<f32>> {
        let all = self.meet(Parcel::Numbers(cut(&own, given)), &mut || {})?;
        let mut numbers = Vec::with_capacity(taken.iter().sum());
        for parcel in &all {
            if let Parcel::Numbers(parts) = parcel.as_ref() {
                numbers.extend_from_slice(&parts[self.rank]);
            }
        }
        Ok(numbers)
    }

    fn join(&self, own: Vec<f32>, _counts: &[usize]) -> Result<Vec<f32>> {
        let all = self.meet(Parcel::Numbers(vec![own]), &mut || {})?;
        let parts = all.iter().map(|parcel| match parcel.as_ref() {
            Parcel::Numbers(parts) => parts[0].as_slice(),
            Parcel::Bytes(_) => &[],
        });
        Ok(parts.collect::<Vec<_>>().concat())
    }

    fn count(&self, counter: Counter, amount: u64) -> Result<u64> {
        let mut state = self.meeting.locked();
        let before = state.counters[counter.place()];
        state.counters[counter.place()] += amount;
        Ok(before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rank_gets_what_all_have_given_in_their_order() {
        for size in [1, 2, 5] {
            let ends = Threads::run(size, 1, |ranks| {
                let own = ranks.rank() as u8;
                for round in 0..20u8 {
                    let all = ranks.gather(vec![own, round], &mut || {})?;
                    let expected: Vec<_> = (0..size as u8).map(|rank| vec![rank, round]).collect();
                    assert_eq!(all, expected);
                }
                Ok(())
            });
            assert!(ends.into_iter().all(|end| end.is_ok()));
        }
    }

    #[test]
    fn numbers_reach_the_rank_that_they_are_for() {
        Threads::run(3, 1, |ranks| {
            let rank = ranks.rank();
            // Rank r sends s + 1 copies of the number 10 r + s to rank s.
            let given = [1, 2, 3];
            let own: Vec<f32> = (0..3)
                .flat_map(|s| vec![(10 * rank + s) as f32; s + 1])
                .collect();
            let taken = vec![rank + 1; 3];
            let found = ranks.exchange(own, &given, &taken)?;
            let expected: Vec<f32> = (0..3)
                .flat_map(|r| vec![(10 * r + rank) as f32; rank + 1])
                .collect();
            assert_eq!(found, expected);
            let joined = ranks.join(vec![rank as f32; rank], &[0, 1, 2])?;
            assert_eq!(joined, [1.0, 2.0, 2.0]);
            Ok(())
        });
    }

    #[test]
    fn a_number_is_counted_once() {
        let ends = Threads::run(4, 1, |ranks| {
            (0..50).map(|_| ranks.count(Counter::Next, 1)).collect()
        });
        let ends: Result<Vec<Vec<u64>>> = ends.into_iter().collect();
        let mut all = ends.unwrap().concat();
        all.sort_unstable();
        assert_eq!(all, (0..200).collect::<Vec<_>>());
    }

    #[test]
    fn a_rank_that_fails_ends_those_that_wait_for_it() {
        let ends = Threads::run(3, 1, |ranks| {
            if ranks.rank() == 1 {
                return Err(Error::Interrupted);
            }
            ranks.gather(Vec::new(), &mut || {}).map(drop)
        });
        assert!(matches!(ends[1], Err(Error::Interrupted)));
        for rank in [0, 2] {
            assert!(matches!(ends[rank], Err(Error::Elsewhere { rank: 1 })));
        }
    }
}
