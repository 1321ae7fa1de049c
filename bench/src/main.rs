//! Timings of the library: `floral-bench velocity|training|... ...` prints one line of JSON.
//!
//! The comparisons in this folder run it next to a peer that does the same work.

mod network;
mod scaling;

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use floral::problem::catalogue;
use floral::random::{Family, GaussianProcess, KarhunenLoeve, Kernel, Purpose, Stream, stream};
use floral::{Axis, Grid};
use rayon::prelude::*;
use serde_json::{Value, json};

const USAGE: &str = "usage: floral-bench WORDS, one of
  realizations PROBLEM RESOLUTION INPUTS COUNT
  prior RESOLUTION FIELDS
  expansion RESOLUTION MODES
  peak
  work velocity|training|training-without-prior|prior|sampling SIZE BATCH INPUTS SECONDS
  reference SIZE BATCH FILE
  scaling LARGEST SECONDS";

// The allocator of the `floral` command.
#[global_allocator]
static MEMORY: floral::memory::Allocator = floral::memory::Allocator::new();

fn main() -> Result<()> {
    MEMORY.keep(floral::cost::spare_memory());
    let _reuse = floral::memory::Reuse::begin();
    // Threads are set up as in the `floral` command.
    rayon::ThreadPoolBuilder::new()
        .use_current_thread()
        .build_global()?;
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let timing = match words[..] {
        ["realizations", problem, resolution, inputs, count] => realizations(
            problem,
            resolution.parse()?,
            inputs.parse()?,
            count.parse()?,
        )?,
        ["prior", resolution, fields] => prior(resolution.parse()?, fields.parse()?)?,
        ["expansion", resolution, modes] => expansion(resolution.parse()?, modes.parse()?)?,
        ["peak"] => network::peak()?,
        ["work", name, size, batch, inputs, seconds] => {
            let case = network::case(size, batch.parse()?, inputs.parse()?)?;
            network::work(name, &case, seconds.parse()?)?
        }
        ["reference", size, batch, file] => {
            network::reference(&network::case(size, batch.parse()?, 1)?, Path::new(file))?
        }
        ["scaling", largest, seconds] => scaling::scaling(largest.parse()?, seconds.parse()?)?,
        _ => bail!("{USAGE}"),
    };
    #[expect(clippy::print_stdout, reason = "the one line that the caller reads")]
    {
        println!("{timing}");
    }
    Ok(())
}

/// Seconds per realization of a problem, with inputs in parallel on all threads.
fn realizations(name: &str, resolution: i64, inputs: u64, count: u64) -> Result<Value> {
    let mut constants = toml::Table::new();
    constants.insert("resolution".into(), resolution.into());
    let problem = catalogue::build(name, constants, "the command line")?;
    let drawn = (0..inputs)
        .map(|i| problem.draw_input(&mut stream(0, Purpose::Input, i, 0)))
        .collect::<floral::Result<Vec<_>>>()?;
    let seconds = best_of(3, || {
        // One buffer per thread, as in code written for speed.
        let buffer = || vec![0.0; count as usize * problem.grid().len()];
        drawn
            .par_iter()
            .enumerate()
            .try_for_each_init(buffer, |out, (i, input)| {
                let mut streams: Vec<Stream> = (0..count)
                    .map(|j| stream(0, Purpose::Realization, i as u64, j))
                    .collect();
                problem.high_fidelity(input, &mut streams, out).map(|_| ())
            })
    })?;
    Ok(json!({
        "seconds_per_realization": seconds / (inputs * count) as f64,
        "threads": rayon::current_num_threads(),
    }))
}

/// Seconds for a batch of prior fields on a square grid, without preparing the process.
fn prior(resolution: usize, fields: u64) -> Result<Value> {
    let kernel = Kernel::new(Family::Exponential, 1e-3, 1.0)?;
    let process = GaussianProcess::on_grid(&kernel, &square(resolution))?;
    let mut out = vec![0.0f32; fields as usize * resolution * resolution];
    let seconds = best_of(10, || {
        let mut streams: Vec<Stream> = (0..fields)
            .map(|i| stream(0, Purpose::Realization, 0, i))
            .collect();
        process.sample_batch_into(&mut streams, &mut out);
        Ok(())
    })?;
    Ok(json!({ "seconds_per_batch": seconds, "threads": rayon::current_num_threads() }))
}

/// Seconds to expand an exponential kernel of length 0.1 on a square grid.
fn expansion(resolution: usize, modes: usize) -> Result<Value> {
    let kernel = Kernel::new(Family::Exponential, 0.1, 1.0)?;
    let grid = square(resolution);
    let seconds = best_of(3, || KarhunenLoeve::new(&kernel, &grid, modes).map(|_| ()))?;
    Ok(json!({ "seconds": seconds }))
}

fn square(n: usize) -> Grid {
    Grid::new(vec![Axis::closed("x", n), Axis::closed("y", n)])
}

fn best_of(repeats: usize, mut work: impl FnMut() -> floral::Result<()>) -> Result<f64> {
    let mut times = Vec::new();
    for _ in 0..repeats {
        let start = Instant::now();
        work()?;
        times.push(start.elapsed().as_secs_f64());
    }
    times
        .into_iter()
        .reduce(f64::min)
        .context("at least one repeat")
}
