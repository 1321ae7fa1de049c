//! Runs a solver on several inputs in parallel. A failed run is repeated once, then its input is
//! skipped.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::Loop;
use crate::low::CommandSolver;
use crate::observer::{Event, Observer, go_on};
use crate::random::{Purpose, stream};
use crate::{Error, Field, Result};

/// Attempts per input.
const ATTEMPTS: u64 = 2;

/// Solves inputs of the pool and adds each solution as soon as it is ready.
pub(super) fn solve(
    looped: &mut Loop,
    inputs: &[usize],
    solver: &CommandSolver,
    jobs: usize,
    observer: &dyn Observer,
) -> Result<()> {
    observer.observe(&Event::Inputs {
        done: 0,
        total: inputs.len(),
    });
    let fields = inputs.iter().map(|input| looped.pool.input(*input));
    let fields = fields.collect::<Result<Vec<Field>>>()?;
    let (grid, seed) = (looped.pool.grid().clone(), looped.settings.seed);
    let next = AtomicUsize::new(0);
    let shared: Mutex<(&mut Loop, Result<()>)> = Mutex::new((looped, Ok(())));
    let worker = || {
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(&input) = inputs.get(place) else {
                return;
            };
            if observer.should_stop() {
                return;
            }
            let found = attempts(solver, &fields[place], &grid, (seed, input), observer);
            let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
            let (looped, outcome) = &mut *shared;
            let kept = keep(looped, input, found);
            if outcome.is_ok() {
                *outcome = kept;
            }
            observer.observe(&Event::Generated { input });
        }
    };
    std::thread::scope(|scope| {
        (0..jobs.clamp(1, inputs.len().max(1))).for_each(|_| drop(scope.spawn(worker)));
    });
    let (_, outcome) = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
    outcome?;
    go_on(observer)
}

/// The solution of an input, repeated with another seed if the first attempt fails.
fn attempts(
    solver: &CommandSolver,
    input: &Field,
    grid: &crate::Grid,
    (seed, index): (u64, usize),
    observer: &dyn Observer,
) -> Result<Vec<Field>> {
    let number = |attempt: u64| {
        let mut rng = stream(seed, Purpose::Realization, index as u64, attempt);
        // 31 bits, a valid seed for any solver's random generator.
        rand::Rng::next_u64(&mut rng) >> 33
    };
    let mut last = Err(Error::Interrupted);
    for attempt in 0..ATTEMPTS {
        last = solver.solve_high(input, grid, number(attempt), observer);
        if last.is_ok() || observer.should_stop() {
            break;
        }
    }
    last
}

/// Adds a solution, or skips its input if it failed; an interrupted run does neither.
fn keep(looped: &mut Loop, input: usize, found: Result<Vec<Field>>) -> Result<()> {
    let found = match found {
        Ok(high) => looped.tell(input, &high),
        Err(Error::Interrupted) => return Ok(()),
        Err(error) => Err(error),
    };
    match found {
        Ok(()) => Ok(()),
        Err(error) => looped.skip(input, &error.to_string()),
    }
}
