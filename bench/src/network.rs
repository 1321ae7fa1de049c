//! Times the work of the network, and writes its weights for a peer.

use std::path::Path;

use anyhow::{Context, Result};
use floral::operator::weights;
use floral::problem::Resolution;
use floral::sample::OdeSolver;
use floral_bench::{
    MeasuredNetwork, Stopwatch, TrainingStep, VelocityBatch, Work, matrix_peak, measure, resident,
};
use safetensors::tensor::{Dtype, TensorView, serialize_to_file};
use serde_json::{Value, json};

/// Parses a size: 64x64 for a plane, 128 for a line.
pub fn case(size: &str, batch: usize, inputs: usize) -> Result<MeasuredNetwork> {
    let grid = match size.parse()? {
        Resolution::Uniform(n) => vec![n],
        Resolution::PerAxis(list) => list,
    };
    Ok(MeasuredNetwork {
        inputs,
        ..MeasuredNetwork::new(grid, batch)
    })
}

/// The speed of the machine's matrix products.
pub fn peak() -> Result<Value> {
    let watch = Stopwatch {
        seconds: 1.0,
        rounds: 20,
    };
    Ok(json!({ "gflops": matrix_peak(&watch)? / 1e9 }))
}

/// Times one kind of work. Percentages are left to the caller, who knows the best peak of all
/// rounds.
///
/// Work that takes longer than `seconds` gets time for a second run, so that nothing is measured
/// with cold caches.
pub fn work(name: &str, case: &MeasuredNetwork, seconds: f64) -> Result<Value> {
    let cold = timed(name, case, 0.0)?["milliseconds_per_sample"].as_f64();
    let run = cold.context("a time of every work")? * case.batch as f64 / 1e3;
    timed(name, case, seconds.max(2.0 * run))
}

/// The fastest of the runs that start within `seconds`, or a single run if there is no time for
/// more.
fn timed(name: &str, case: &MeasuredNetwork, seconds: f64) -> Result<Value> {
    let watch = Stopwatch {
        seconds,
        rounds: 1000,
    };
    if name == "training-without-prior" {
        return without_prior(case, &watch);
    }
    let work: Work = name.parse()?;
    let row = measure(work, case, &OdeSolver::default(), &watch, f64::INFINITY)?;
    Ok(serde_json::to_value(row)?)
}

fn without_prior(case: &MeasuredNetwork, watch: &Stopwatch) -> Result<Value> {
    let (seconds, peak_memory) = resident::peak_of(|| {
        let mut step = TrainingStep::new(case, false)?;
        watch.best(|| step.run())
    });
    let milliseconds = 1e3 * seconds? / case.batch as f64;
    Ok(json!({
        "milliseconds_per_sample": milliseconds,
        "peak_memory": peak_memory,
    }))
}

/// Writes weights, inputs and velocities of a case, so that a peer can compute the same.
pub fn reference(case: &MeasuredNetwork, file: &Path) -> Result<Value> {
    let batch = VelocityBatch::new(case)?;
    let model = batch.model();
    let (grid, count) = (&case.grid, case.batch);
    let field = |rows: usize, channels: usize| [&[rows, channels], &grid[..]].concat();
    let mut arrays = vec![
        ("in.w".into(), field(count, 1), case.values(count, 1)),
        ("in.tau".into(), vec![count], case.times()),
        ("out.velocity".into(), field(count, 1), batch.run()?),
    ];
    let channels = model.condition_channels();
    let condition = case.values(channels, 0);
    arrays.push(("in.condition".into(), field(1, channels), condition));
    for weight in weights(&model.network)? {
        arrays.push((
            format!("weight.{}", weight.name),
            weight.shape,
            weight.values,
        ));
    }
    let bytes: Vec<(String, Vec<usize>, Vec<u8>)> = arrays
        .into_iter()
        .map(|(name, shape, values)| {
            let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
            (name, shape, bytes)
        })
        .collect();
    let views = bytes
        .iter()
        .map(|(name, shape, bytes)| {
            Ok((
                name.as_str(),
                TensorView::new(Dtype::F32, shape.clone(), bytes)?,
            ))
        })
        .collect::<Result<Vec<_>>>()?;
    serialize_to_file(views, None, file).with_context(|| file.display().to_string())?;
    Ok(json!({ "file": file }))
}
