//! Processor time of a work on one thread: what can be compared on a machine that others use too.

use std::str::FromStr;

use anyhow::{Context, Result, bail, ensure};
use floral::sample::OdeSolver;
use floral_bench::{Case, FullSampling, TrainingStep, VelocityBatch};
use serde_json::{Value, json};

/// The least of several runs after a first one, in milliseconds per sample.
pub fn processor(name: &str, case: &Case, runs: usize) -> Result<Value> {
    ensure!(
        rayon::current_num_threads() == 1,
        "processor time is that of one thread: set RAYON_NUM_THREADS=1"
    );
    let seconds = match name {
        "velocity" => {
            let states = VelocityBatch::new(case)?;
            least(runs, || states.run())?
        }
        "training" => {
            let mut step = TrainingStep::new(case, true)?;
            least(runs, || step.run())?
        }
        "sampling" => {
            let sampling = FullSampling::new(case, OdeSolver::named("heun", Some(2))?)?;
            least(runs, || sampling.run())?
        }
        _ => bail!("work {name:?}: one of velocity, training, sampling"),
    };
    let milliseconds = 1e3 * seconds / case.batch as f64;
    Ok(json!({ "processor_milliseconds_per_sample": milliseconds }))
}

fn least<T>(runs: usize, mut work: impl FnMut() -> floral::Result<T>) -> Result<f64> {
    work()?;
    let mut least = f64::INFINITY;
    for _ in 0..runs {
        let start = on_processor()?;
        work()?;
        least = least.min(on_processor()? - start);
    }
    Ok(least)
}

/// Seconds that this thread has run: the first number of its schedstat, proc(5), in nanoseconds.
fn on_processor() -> Result<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat")
        .context("processor time is read from /proc, which this system lacks")?;
    let first = text.split_whitespace().next().map(f64::from_str);
    Ok(first.context("a number in schedstat")?? / 1e9)
}
