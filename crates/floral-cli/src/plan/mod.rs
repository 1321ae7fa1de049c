//! `floral plan`: an estimate of the time and memory of a training, on one rank or a thousand.

mod table;
mod training;

use std::path::PathBuf;

use anyhow::{Result, ensure};
use floral::cost::{Rates, StepCost};
use floral::problem::Resolution;
use floral::train::{Method, TrainConfig};
use floral_bench::{Stopwatch, training_rate, update_rate};

use crate::{Ending, constants, device, output};
use training::Training;

/// Arguments of `floral plan`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    floral plan --grid 512x512 --inputs 2000 --realizations 50 --ranks 64\n  \
    floral plan settings.toml --data darcy.zarr --ranks 8 --latency 2e-6 --bandwidth 10e9\n  \
    floral plan --grid 1024x1024 --inputs 500 --ranks 1000 --gflops 8000 --price 2.5\n\n\
    Arithmetic, memory and bytes are counted. Seconds follow from the training speed of this machine, \
    measured in a few seconds, or of another (--gflops), and from the latency and bandwidth of the \
    network, which `mpirun -n 2 floral bench --collective` measures. docs/scale.md describes the model.")]
pub struct Arguments {
    /// TOML file with settings, as floral train --print-config prints them [default: those of the
    /// method floral]
    #[arg(value_name = "CONFIG")]
    config: Option<PathBuf>,

    /// Change one setting, as in --set optimiser.batch=64; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,

    /// Dataset to learn from; without one, give --grid and --inputs
    #[arg(long, value_name = "DATA", conflicts_with_all = ["grid", "inputs"])]
    data: Option<PathBuf>,

    /// Grid points, as in 128 (1-D), 512x512 (2-D) or 32x32x32 (3-D)
    #[arg(long, value_name = "SIZE", required_unless_present = "data")]
    grid: Option<Resolution>,

    /// Number of inputs to train on
    #[arg(long, value_name = "N", required_unless_present = "data")]
    inputs: Option<usize>,

    /// Realizations per input
    #[arg(long, value_name = "M", default_value_t = 50)]
    realizations: usize,

    /// Largest number of ranks; smaller powers of two are shown as well
    #[arg(long, value_name = "N", default_value_t = 64)]
    ranks: usize,

    /// Training speed of a rank in GFLOP/s [default: measured on this machine]
    #[arg(long, value_name = "G", help_heading = "Hardware")]
    gflops: Option<f64>,

    /// Latency of a message, in seconds
    #[arg(
        long,
        value_name = "S",
        default_value_t = 2e-6,
        help_heading = "Hardware"
    )]
    latency: f64,

    /// Bandwidth of a rank, in bytes per second
    #[arg(
        long,
        value_name = "B",
        default_value_t = 10e9,
        help_heading = "Hardware"
    )]
    bandwidth: f64,

    #[command(flatten)]
    device: device::Arguments,

    /// Price of a rank per hour; adds a column with the total
    #[arg(long, value_name = "P", help_heading = "Hardware")]
    price: Option<f64>,

    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

/// Prints the plan.
pub fn run(arguments: &Arguments) -> Result<Ending> {
    arguments.check()?;
    let work = Training::of(arguments)?;
    let rates = arguments.rates(&work)?;
    let rows: Vec<StepCost> = powers_of_two(arguments.ranks)
        .map(|ranks| work.step.on(ranks, &rates))
        .collect();
    match arguments.json {
        true => output::print(&(work.json(&rates, &rows)? + "\n"))?,
        false => output::print(&work.text(&rates, &rows, arguments.price))?,
    }
    Ok(Ending::Done)
}

impl Arguments {
    fn check(&self) -> Result<()> {
        ensure!(self.ranks > 0, "--ranks must be at least 1");
        ensure!(
            self.latency >= 0.0 && self.latency.is_finite(),
            "--latency {}: must not be negative",
            self.latency
        );
        let positive = [
            ("--bandwidth", Some(self.bandwidth)),
            ("--gflops", self.gflops),
            ("--price", self.price),
        ];
        for (flag, value) in positive {
            if let Some(value) = value {
                ensure!(
                    value > 0.0 && value.is_finite(),
                    "{flag} {value}: must be positive"
                );
            }
        }
        Ok(())
    }

    fn settings(&self) -> Result<TrainConfig> {
        let mut table = constants::read(self.config.as_deref(), &self.set)?;
        if !table.contains_key("method") {
            constants::insert(&mut table, "method", Method::Floral.name().into())?;
        }
        let context = constants::context(self.config.as_deref());
        Ok(TrainConfig::from_table(table, &context)?)
    }

    fn rates(&self, work: &Training) -> Result<Rates> {
        let watch = Stopwatch {
            seconds: 1.0,
            rounds: 100,
        };
        let training = match self.gflops {
            Some(gflops) => 1e9 * gflops,
            None => training_rate(&work.typical(self.device.open()?), &watch)?,
        };
        Ok(Rates {
            training,
            update: update_rate(&watch)?,
            latency: self.latency,
            bandwidth: self.bandwidth,
        })
    }
}

/// 1, 2, 4, ... up to `last`, then `last` itself if it is not a power of two.
fn powers_of_two(last: usize) -> impl Iterator<Item = usize> {
    let powers = std::iter::successors(Some(1usize), |n| n.checked_mul(2));
    let own = (!last.is_power_of_two()).then_some(last);
    powers.take_while(move |&n| n <= last).chain(own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_has_every_power_of_two_and_the_largest_number() {
        let ranks = |last| powers_of_two(last).collect::<Vec<_>>();
        assert_eq!(ranks(1), [1]);
        assert_eq!(ranks(8), [1, 2, 4, 8]);
        assert_eq!(ranks(6), [1, 2, 4, 6]);
    }
}
