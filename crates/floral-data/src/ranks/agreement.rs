//! Steps that all ranks take together: a step that fails on one rank fails on all of them.

use super::Ranks;
use crate::{Error, Result};

const DONE: u8 = 0;
const FAILED: u8 = 1;
const STOPPED: u8 = 2;

/// Waits for all ranks and returns this rank's result if all succeeded. Fails if another rank
/// failed, and is interrupted if any rank was interrupted.
pub fn agreed<T>(ranks: &dyn Ranks, own: Result<T>, meanwhile: &mut dyn FnMut()) -> Result<T> {
    let word = match &own {
        Ok(_) => DONE,
        Err(Error::Interrupted) => STOPPED,
        Err(_) => FAILED,
    };
    let words = ranks.gather(vec![word], meanwhile)?;
    let mut others = words.iter().map(Vec::as_slice);
    match own {
        Ok(_) | Err(Error::Interrupted) => match others.position(|word| word == [FAILED]) {
            Some(rank) => Err(Error::Elsewhere { rank }),
            None if words.iter().any(|word| word == &[STOPPED]) => Err(Error::Interrupted),
            None => own,
        },
        Err(error) => Err(error),
    }
}

/// Rank 0's answer to a question, on all ranks.
pub fn by_first(ranks: &dyn Ranks, question: impl FnOnce() -> Result<bool>) -> Result<bool> {
    let answer = ranks.is_first().then(question).transpose();
    let answer = agreed(ranks, answer, &mut || {})?;
    let answers = ranks.gather(vec![u8::from(answer == Some(true))], &mut || {})?;
    Ok(answers[0] == [1])
}

/// Does the same work on every rank, first on rank 0, so that the other ranks find its files.
pub fn first_then_others<T>(ranks: &dyn Ranks, mut work: impl FnMut() -> Result<T>) -> Result<T> {
    let first = ranks.is_first().then(&mut work).transpose();
    let first = agreed(ranks, first, &mut || {})?;
    let own = match first {
        Some(done) => Ok(done),
        None => work(),
    };
    agreed(ranks, own, &mut || {})
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::super::Threads;
    use super::*;

    #[test]
    fn what_one_could_not_do_fails_for_all() {
        let ends = Threads::run(3, 1, |ranks| {
            let own = match ranks.rank() {
                0 => Err(Error::Interrupted),
                2 => Err(Error::Row { row: 1, rows: 0 }),
                _ => Ok(()),
            };
            agreed(ranks, own, &mut || {})
        });
        assert!(matches!(ends[0], Err(Error::Elsewhere { rank: 2 })));
        assert!(matches!(ends[1], Err(Error::Elsewhere { rank: 2 })));
        assert!(matches!(ends[2], Err(Error::Row { .. })));
    }

    #[test]
    fn a_stop_of_one_is_a_stop_of_all() {
        let ends = Threads::run(3, 1, |ranks| {
            let own = match ranks.rank() {
                1 => Err(Error::Interrupted),
                _ => Ok(()),
            };
            agreed(ranks, own, &mut || {})
        });
        assert!(
            ends.iter()
                .all(|end| matches!(end, Err(Error::Interrupted)))
        );
    }

    #[test]
    fn the_first_rank_is_done_before_the_others_begin() {
        let is_there = AtomicBool::new(false);
        let ends = Threads::run(4, 1, |ranks| {
            first_then_others(ranks, || {
                match ranks.is_first() {
                    true => is_there.store(true, Ordering::SeqCst),
                    false => assert!(is_there.load(Ordering::SeqCst)),
                }
                Ok(())
            })
        });
        assert!(ends.iter().all(Result::is_ok));
    }
}
