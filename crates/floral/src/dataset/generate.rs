//! Generates a dataset on all cores; a run that was cut continues where it stopped.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::layout::{self, Request};
use super::reader::Dataset;
use super::writer::{Solution, Writer};
use crate::observer::{Event, Observer, go_on};
use crate::problem::Problem;
use crate::random::{Purpose, Stream, stream};
use crate::{Error, Result};

/// How generation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The dataset was there already.
    AlreadyComplete {
        /// Draws that the solver repeated, over all inputs.
        redraws: u64,
    },
    /// The dataset is complete.
    Generated {
        /// Inputs computed by this run.
        computed: usize,
        /// Inputs kept from an earlier run.
        resumed: usize,
        /// Draws that the solver repeated, over all inputs.
        redraws: u64,
    },
}

/// Writes the dataset `path`, one input per thread of the current rayon pool at a time.
///
/// The bytes depend on problem and request alone, and those of an input not on how many others
/// there are. Until all are stored they are kept beside `path` in a folder ending in `.partial`,
/// from which the same call continues; a request to stop ends it after the inputs in flight.
pub fn generate(
    problem: &dyn Problem,
    request: &Request,
    path: &Path,
    observer: &dyn Observer,
) -> Result<Outcome> {
    let plan = layout::plan(problem, request)?;
    let Some(writer) = Writer::open(path, plan, request.force)? else {
        let redraws = Dataset::open(path)?.redraws()?.unwrap_or(0);
        return Ok(Outcome::AlreadyComplete { redraws });
    };
    let redraws = AtomicU64::new(0);
    let pending = pending(&writer, request.inputs, &redraws);
    let resumed = request.inputs - pending.len();
    observer.observe(&Event::Inputs {
        done: resumed,
        total: request.inputs,
    });
    // One input a task: a longer run of them could not be shared once a thread has begun it.
    pending.par_iter().with_max_len(1).try_for_each(|&input| {
        go_on(observer)?;
        let solution = solve(problem, request, input).map_err(|e| at_input(input, e))?;
        writer.write(input, &solution)?;
        redraws.fetch_add(solution.redraws.into(), Ordering::Relaxed);
        observer.observe(&Event::Generated { input });
        Ok(())
    })?;
    writer.finish(problem.grid())?;
    Ok(Outcome::Generated {
        computed: pending.len(),
        resumed,
        redraws: redraws.into_inner(),
    })
}

/// The inputs still to compute; the redraws of the others are added up.
fn pending(writer: &Writer, inputs: usize, redraws: &AtomicU64) -> Vec<usize> {
    (0..inputs)
        .into_par_iter()
        .filter(|&input| match writer.finished(input) {
            Some(count) => {
                redraws.fetch_add(count.into(), Ordering::Relaxed);
                false
            }
            None => true,
        })
        .collect()
}

/// Draws an input and solves it; each realization has its own stream.
fn solve(problem: &dyn Problem, request: &Request, input: usize) -> Result<Solution> {
    let index = input as u64;
    let field = problem.draw_input(&mut stream(request.seed, Purpose::Input, index, 0))?;
    let low = problem.low_fidelity(&field)?;
    let mut streams: Vec<Stream> = (0..request.realizations as u64)
        .map(|realization| stream(request.seed, Purpose::Realization, index, realization))
        .collect();
    let mut high = vec![0.0; request.realizations * low.values().len()];
    let redraws = problem.high_fidelity(&field, &mut streams, &mut high)?;
    let moments = problem.exact_moments(&field)?;
    Ok(Solution {
        input: field,
        low,
        high,
        moments,
        redraws: u32::try_from(redraws).unwrap_or(u32::MAX),
    })
}

/// Names the input at which a solver gave up.
fn at_input(input: usize, error: Error) -> Error {
    match error {
        Error::Numerical { what, advice } => Error::Numerical {
            what: format!("input {input}: {what}"),
            advice,
        },
        other => other,
    }
}
