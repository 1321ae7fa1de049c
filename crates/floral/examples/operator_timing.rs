//! Times the network, best of five: velocity, forward with backward as in training.
//!
//! `cargo run --release -p floral --example operator_timing`
#![allow(clippy::print_stdout)]

use std::time::Instant;

use burn::tensor::{Device, Distribution, Tensor};
use floral::Result;
use floral::memory;
use floral::operator::{FilmFno, FilmFnoConfig};

#[global_allocator]
static MEMORY: memory::Allocator = memory::Allocator::new();

/// The fastest of five runs, each of which says how long it took, after one that is not counted.
fn best_of_five(mut run: impl FnMut() -> Result<f64>) -> Result<f64> {
    run()?;
    (0..5).try_fold(f64::INFINITY, |best, _| Ok(run()?.min(best)))
}

/// Milliseconds since `start`.
fn since(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e3
}

struct Case {
    name: &'static str,
    n_modes: Vec<usize>,
    batch: usize,
    grid: [usize; 2],
    /// Distinct inputs in a batch.
    rows: usize,
}

impl Case {
    fn network(&self, device: &Device) -> Result<FilmFno> {
        FilmFnoConfig::new(1, 1, 2, self.n_modes.clone()).init(0, device)
    }

    fn random(&self, items: usize, channels: usize, device: &Device) -> Tensor<4> {
        let shape = [items, channels, self.grid[0], self.grid[1]];
        Tensor::random(shape, Distribution::Normal(0.0, 1.0), device)
    }

    fn time(&self) -> Result<()> {
        let velocity = self.time_velocity(&Device::flex())?;
        let training = self.time_training(&Device::flex().autodiff())?;
        println!(
            "{}: velocity {velocity:.1} ms, forward + backward {training:.1} ms",
            self.name
        );
        Ok(())
    }

    fn time_velocity(&self, device: &Device) -> Result<f64> {
        let network = self.network(device)?;
        let w = self.random(self.batch, 1, device);
        let tau = Tensor::<1>::random([self.batch], Distribution::Default, device);
        let context = network.condition(self.random(1, 2, device))?;
        best_of_five(|| {
            let start = Instant::now();
            let velocity = network.velocity(w.clone(), tau.clone(), &context)?;
            drop(velocity.into_data());
            Ok(since(start))
        })
    }

    fn time_training(&self, device: &Device) -> Result<f64> {
        let network = self.network(device)?;
        let w = self.random(self.batch, 1, device);
        let tau = Tensor::<1>::random([self.batch], Distribution::Default, device);
        let condition = self.random(self.rows, 2, device);
        let rows: Vec<usize> = (0..self.batch).map(|i| i % self.rows).collect();
        best_of_five(|| {
            let start = Instant::now();
            let context = network.condition(condition.clone())?.select(&rows)?;
            let velocity = network.velocity(w.clone(), tau.clone(), &context)?;
            drop(velocity.square().mean().backward());
            Ok(since(start))
        })
    }
}

fn main() -> Result<()> {
    MEMORY.keep(floral::cost::spare_memory());
    let line = Case {
        name: "128 points, batch 32, 10 inputs",
        n_modes: vec![64],
        batch: 32,
        grid: [1, 128],
        rows: 10,
    };
    line.time()?;
    for (name, rows) in [
        ("64x64, batch 8, 2 inputs", 2),
        ("64x64, batch 8, 8 inputs", 8),
    ] {
        let plane = Case {
            name,
            n_modes: vec![32, 32],
            batch: 8,
            grid: [64, 64],
            rows,
        };
        plane.time()?;
    }
    Ok(())
}
