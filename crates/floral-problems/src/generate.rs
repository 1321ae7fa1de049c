//! Generates a dataset on all cores and by several ranks; an interrupted run continues where it
//! stopped.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::plan::{self, Request};
use super::writer::{Solution, Writer};
use crate::dataset::Dataset;
use crate::memory::check_room;
use crate::observer::{Event, Observer, go_on};
use crate::random::{Purpose, Stream, stream};
use crate::ranks::{Alone, Ranks, Watch, agreed, share};
use crate::{Problem, Result};

/// Bytes per input in the lists of unfinished inputs that ranks exchange.
const LISTED: usize = 32;

/// How generation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The dataset existed already.
    AlreadyComplete {
        /// Number of draws that the solver repeated, over all inputs.
        redraws: u64,
    },
    /// The dataset is complete.
    Generated {
        /// Number of inputs computed by this run.
        computed: usize,
        /// Number of inputs kept from an earlier run.
        resumed: usize,
        /// Number of draws that the solver repeated, over all inputs.
        redraws: u64,
    },
}

/// Writes the dataset `path`, one input per thread of the current rayon pool at a time.
///
/// The bytes depend on problem and request alone, and those of an input do not depend on the number
/// of inputs. Until all inputs are stored they are kept beside `path` in a folder ending in
/// `.partial`, from which the same call continues. A request to stop takes effect after the inputs
/// in flight.
pub fn generate(
    problem: &dyn Problem,
    request: &Request,
    path: &Path,
    observer: &dyn Observer,
) -> Result<Outcome> {
    generate_across(&Alone::default(), problem, request, path, observer)
}

/// The same computed by several ranks, each with its own inputs; the result has the same bytes.
pub fn generate_across(
    ranks: &dyn Ranks,
    problem: &dyn Problem,
    request: &Request,
    path: &Path,
    observer: &dyn Observer,
) -> Result<Outcome> {
    check_room(
        &format!("{} inputs", request.inputs),
        &[request.inputs, LISTED],
        "ask for fewer",
    )?;
    let plan = plan::plan(problem, request)?;
    let Some(writer) = Writer::open(ranks, path, plan, request.force)? else {
        let redraws = Dataset::open(path)?.redraws()?.unwrap_or(0);
        return Ok(Outcome::AlreadyComplete { redraws });
    };
    let found = Found::by_all(ranks, &writer, request.inputs)?;
    let inputs_of = |part: &usize| writer.part(*part, request.inputs);
    let pending: usize = found.pending.iter().map(|part| inputs_of(part).len()).sum();
    let watch = Watch::new(ranks, observer)?;
    watch.observe(&Event::Inputs {
        done: request.inputs - pending,
        total: request.inputs,
    });
    let own = found
        .pending
        .iter()
        .skip(ranks.rank())
        .step_by(ranks.size());
    let redraws = AtomicU64::new(0);
    // Threads take inputs in order, so that few shards are incomplete at any time.
    let in_turn = own.flat_map(inputs_of).par_bridge();
    let computed = in_turn.try_for_each(|input| {
        go_on(&watch)?;
        let solution = solve(problem, request, input)
            .map_err(|e| e.numerical_at(format_args!("input {input}")))?;
        writer.write(input, &solution)?;
        redraws.fetch_add(solution.redraws.into(), Ordering::Relaxed);
        watch.observe(&Event::Generated { input });
        watch.done();
        Ok(())
    });
    watch.finished(computed.and_then(|()| writer.settle(ranks)))?;
    let own = redraws.into_inner().to_le_bytes();
    let all = ranks.gather(own.to_vec(), &mut || {})?;
    let redraws = found.redraws + all.iter().map(|bytes| number(bytes)).sum::<u64>();
    let published = match ranks.is_first() {
        true => writer.finish(problem.grid()),
        false => Ok(()),
    };
    agreed(ranks, published, &mut || {})?;
    Ok(Outcome::Generated {
        computed: pending,
        resumed: request.inputs - pending,
        redraws,
    })
}

/// What an earlier run has left of a dataset.
struct Found {
    /// The parts that remain to be computed.
    pending: Vec<usize>,
    /// Number of redraws in the finished parts.
    redraws: u64,
}

impl Found {
    /// Each rank checks a share of the parts.
    fn by_all(ranks: &dyn Ranks, writer: &Writer, inputs: usize) -> Result<Self> {
        let redraws = AtomicU64::new(0);
        let pending: Vec<u8> = share(writer.parts(inputs), ranks.rank(), ranks.size())
            .into_par_iter()
            .filter(|&part| match writer.finished(writer.part(part, inputs)) {
                Some(count) => {
                    redraws.fetch_add(count, Ordering::Relaxed);
                    false
                }
                None => true,
            })
            .flat_map_iter(|part| (part as u64).to_le_bytes())
            .collect();
        let own = [&redraws.into_inner().to_le_bytes(), pending.as_slice()].concat();
        let mut found = Self {
            pending: Vec::new(),
            redraws: 0,
        };
        for part in ranks.gather(own, &mut || {})? {
            let (redraws, pending) = part.split_at(part.len().min(8));
            found.redraws += number(redraws);
            let parts = pending.chunks_exact(8);
            let parts = parts.map(|bytes| number(bytes) as usize);
            found.pending.extend(parts);
        }
        Ok(found)
    }
}

/// A number from its bytes in a message.
fn number(bytes: &[u8]) -> u64 {
    bytes.try_into().map_or(0, u64::from_le_bytes)
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
