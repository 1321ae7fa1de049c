//! `floral bench --collective`: latency and bandwidth of the gradient exchange between ranks.

use std::time::Instant;

use anyhow::{Result, bail};
use floral::ranks::Ranks;
use serde_json::json;

use crate::output;

/// Length of the gradient whose exchange measures the bandwidth: 64 MB of f32.
const LARGE: usize = 1 << 24;

/// Every rank must exchange equally often, so the number of rounds is fixed, not their total time.
const LARGE_ROUNDS: usize = 6;
const SMALL_ROUNDS: usize = 200;

/// Measures and prints.
pub fn run(ranks: &dyn Ranks, is_json: bool) -> Result<()> {
    let size = ranks.size();
    if size < 2 {
        bail!("--collective needs several ranks, as in mpirun -n 2 floral bench --collective");
    }
    // With one number per rank, the time is all latency.
    let small = best(ranks, size, SMALL_ROUNDS)?;
    let large = best(ranks, LARGE, LARGE_ROUNDS)?;
    let others = (size - 1) as f64;
    let bytes = 2.0 * 4.0 * LARGE as f64 * others / size as f64;
    let latency = small / (2.0 * others);
    let bandwidth = bytes / (large - small).max(f64::MIN_POSITIVE);
    let text = match is_json {
        true => json!({"ranks": size, "latency": latency, "bandwidth": bandwidth}).to_string(),
        false => format!(
            "{size} ranks: latency {:.1} us, bandwidth {:.2} GB/s per rank\n\
             for floral plan: --latency {latency:.2e} --bandwidth {bandwidth:.2e}",
            1e6 * latency,
            bandwidth / 1e9
        ),
    };
    if ranks.is_first() {
        output::print(&(text + "\n"))?;
    }
    Ok(())
}

/// Seconds of the fastest sum over ranks of a gradient of this length. As in training, each rank
/// receives a segment from every other rank and sends back the sum.
fn best(ranks: &dyn Ranks, numbers: usize, rounds: usize) -> Result<f64> {
    let size = ranks.size();
    let counts: Vec<usize> = (0..size)
        .map(|rank| floral::ranks::share(numbers, rank, size).len())
        .collect();
    let own = counts[ranks.rank()];
    let mut best = f64::INFINITY;
    for _ in 0..rounds {
        let gradient = vec![1.0f32; numbers];
        ranks.gather(Vec::new(), &mut || ())?;
        let start = Instant::now();
        let mut segments = ranks.exchange(gradient, &counts, &vec![own; size])?;
        segments.truncate(own);
        ranks.join(segments, &counts)?;
        best = best.min(start.elapsed().as_secs_f64());
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use floral::ranks::Alone;

    #[test]
    fn one_rank_has_nobody_to_exchange_with() {
        let refused = run(&Alone::default(), false).unwrap_err().to_string();
        assert!(refused.contains("mpirun"), "{refused}");
    }
}
