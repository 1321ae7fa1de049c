//! The growth of times with realizations, inputs and grid points.

use anyhow::Result;
use floral::sample::OdeSolver;
use floral_bench::{FullSampling, MeasuredNetwork, Stopwatch, VelocityBatch};
use serde_json::{Value, json};

/// Retained frequencies of a network trained on 64x64 points, used on every grid.
const MODES: usize = 32;

/// Steps of Heun's method; few and constant, because work is measured, not accuracy.
const STEPS: usize = 2;

/// Milliseconds of velocity and sampling, on grids of up to `largest` x `largest` points.
pub fn scaling(largest: usize, seconds: f64) -> Result<Value> {
    let watch = Stopwatch {
        seconds,
        rounds: 100,
    };
    let counts = [1, 2, 4, 8, 16, 32, 64];
    let square = |n: usize, batch: usize| MeasuredNetwork {
        n_modes: Some(vec![MODES, MODES]),
        ..MeasuredNetwork::new(vec![n, n], batch)
    };
    let mut realizations = Vec::new();
    for count in counts {
        let case = square(64, count);
        realizations.push(json!({
            "realizations": count,
            "velocity_ms": velocity(&case, &watch)?,
            "sampling_ms": sampling(&case, 1, &watch)?,
        }));
    }
    let mut inputs = Vec::new();
    for count in &counts[..5] {
        let milliseconds = sampling(&square(64, 8), *count, &watch)?;
        inputs.push(json!({ "inputs": count, "sampling_ms": milliseconds }));
    }
    let mut grids = Vec::new();
    for n in [16, 32, 64, 128, 256, 512]
        .into_iter()
        .filter(|n| *n <= largest)
    {
        let case = square(n, 1);
        grids.push(json!({
            "points": n * n,
            "velocity_ms": velocity(&case, &watch)?,
            "sampling_ms": sampling(&case, 1, &watch)?,
        }));
    }
    Ok(json!({
        "network": format!("hidden 64, {MODES}x{MODES} modes"),
        "solver": format!("heun, {STEPS} steps"),
        "realizations": realizations,
        "inputs": inputs,
        "grids": grids,
    }))
}

fn velocity(case: &MeasuredNetwork, watch: &Stopwatch) -> Result<f64> {
    let batch = VelocityBatch::new(case)?;
    Ok(1e3 * watch.best(|| batch.run())?)
}

/// A batch of realizations for each input.
fn sampling(case: &MeasuredNetwork, inputs: usize, watch: &Stopwatch) -> Result<f64> {
    let sampling = FullSampling::new(case, OdeSolver::named("heun", Some(STEPS))?)?;
    let seconds = watch.best(|| (0..inputs).try_for_each(|_| sampling.run().map(|_| ())))?;
    Ok(1e3 * seconds)
}
