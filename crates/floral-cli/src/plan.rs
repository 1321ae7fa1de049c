//! `floral plan`: what a training would take on one rank or a thousand, before it is begun.

use std::path::PathBuf;

use anyhow::{Result, bail, ensure};
use floral::cost::memory::parameters;
use floral::cost::{Load, Memory, Rates, Step, StepCost, training_flops};
use floral::dataset::Dataset;
use floral::device::Device;
use floral::operator::FilmFnoConfig;
use floral::problem::Resolution;
use floral::train::batches::steps;
use floral::train::gradient::{block_rows, step_blocks};
use floral::train::model::{Shapes, network_config};
use floral::train::{Method, TrainConfig};
use floral_bench::{Case, Stopwatch, training_rate, update_rate};
use serde_json::json;

use crate::duration::told as duration;
use crate::{Ending, constants, data, device, output};

/// What `floral plan` takes.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    floral plan --grid 512x512 --inputs 2000 --realizations 50 --ranks 64\n  \
    floral plan settings.toml --data darcy.zarr --ranks 8 --latency 2e-6 --bandwidth 10e9\n  \
    floral plan --grid 1024x1024 --inputs 500 --ranks 1000 --gflops 8000 --price 2.5\n\n\
    Arithmetic, memory and bytes are counted; seconds follow from how fast this machine trains, which\n\
    is measured in some seconds, or from --gflops of another, and from the latency and bandwidth of the\n\
    network, which `mpirun -n 2 floral bench --collective` measures. The model is told in docs/scale.md.")]
pub struct Arguments {
    /// Settings of a training, as `floral train --print-config` writes them [default: FLORAL's]
    #[arg(value_name = "CONFIG")]
    config: Option<PathBuf>,

    /// Set one setting, as in --set optimiser.batch=64; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,

    /// The dataset to learn from; without one, --grid and --inputs tell its sizes
    #[arg(long, value_name = "DATA", conflicts_with_all = ["grid", "inputs"])]
    data: Option<PathBuf>,

    /// Grid points, as in 128 for a line or 512x512 for a plane
    #[arg(long, value_name = "SIZE", required_unless_present = "data")]
    grid: Option<Resolution>,

    /// Inputs to train on
    #[arg(long, value_name = "N", required_unless_present = "data")]
    inputs: Option<usize>,

    /// Realizations of each input
    #[arg(long, value_name = "M", default_value_t = 50)]
    realizations: usize,

    /// Ranks at most; the plan has every power of two below it
    #[arg(long, value_name = "N", default_value_t = 64)]
    ranks: usize,

    /// GFLOP/s of a rank in training [default: this machine's with its threads, measured]
    #[arg(long, value_name = "G")]
    gflops: Option<f64>,

    /// Seconds until a message of no bytes has arrived
    #[arg(long, value_name = "S", default_value_t = 2e-6)]
    latency: f64,

    /// Bytes per second that a rank sends
    #[arg(long, value_name = "B", default_value_t = 10e9)]
    bandwidth: f64,

    #[command(flatten)]
    device: device::Arguments,

    /// What a rank costs an hour; adds what all ranks cost together
    #[arg(long, value_name = "P")]
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
            "--latency {}: seconds are not negative",
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
                    "{flag} {value}: must be above zero"
                );
            }
        }
        Ok(())
    }

    fn settings(&self) -> Result<TrainConfig> {
        let mut table = constants::read(self.config.as_deref())?;
        for assignment in &self.set {
            constants::set(&mut table, assignment)?;
        }
        if !table.contains_key("method") {
            constants::insert(&mut table, "method", Method::Floral.name().into())?;
        }
        let context = match &self.config {
            Some(path) => path.display().to_string(),
            None => "settings".into(),
        };
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

/// A training in numbers.
struct Training {
    config: TrainConfig,
    network: FilmFnoConfig,
    grid: Vec<usize>,
    inputs: usize,
    realizations: usize,
    step: Step,
    steps: usize,
    memory: Memory,
}

impl Training {
    fn of(arguments: &Arguments) -> Result<Self> {
        let config = arguments.settings()?;
        if config.method.recipe().is_some() {
            bail!(
                "{} is fitted by one rank in closed form, in seconds to minutes; a plan is for the \
                 networks fno, residual-fno, flora and floral, as in --set method=floral",
                config.method
            );
        }
        let (shapes, inputs, realizations) = match &arguments.data {
            Some(path) => of_dataset(&config, &data::open(path)?)?,
            None => arguments.sizes(),
        };
        let shape = &shapes.grid;
        ensure!(
            matches!(shape.len(), 1 | 2) && shape.iter().all(|&n| n > 1) && inputs > 0,
            "networks live on lines such as 128 and planes such as 64x64, of at least one input"
        );
        ensure!(
            shape.iter().product::<usize>() <= MOST_POINTS && inputs <= MOST_POINTS,
            "at most {MOST_POINTS} points and inputs can be planned"
        );
        let network = network_config(config.method, &config.network, &shapes);
        Ok(Self::new(
            config,
            network,
            shapes.grid,
            inputs,
            realizations,
        ))
    }

    fn new(
        config: TrainConfig,
        network: FilmFnoConfig,
        grid: Vec<usize>,
        inputs: usize,
        realizations: usize,
    ) -> Self {
        let samples = inputs * realizations;
        let batch = config.optimiser.batch.clamp(1, samples.max(1));
        let channels = network.condition_channels + realizations * network.output_channels;
        let points: usize = grid.iter().product();
        let load = Load {
            batch,
            inputs,
            values: inputs * channels * points,
        };
        Self {
            step: Step {
                flops: training_flops(&network, &grid, batch, inputs.min(batch)),
                blocks: step_blocks(batch, points, block_rows(points)),
                weights: parameters(&network),
            },
            steps: steps(samples, batch),
            memory: Memory::of_training(&network, &grid, &load),
            config,
            network,
            grid,
            inputs,
            realizations,
        }
    }

    /// What is timed in its place: the same width on a grid that takes moments.
    fn typical(&self, device: Device) -> Case {
        let grid = self.grid.iter().map(|&n| n.min(MOST_TIMED)).collect();
        Case {
            hidden: self.network.hidden_channels,
            inputs: 2,
            device,
            ..Case::new(grid, 8)
        }
    }

    fn epochs(&self) -> usize {
        self.config.stopping.epochs
    }

    /// Seconds of all epochs, should it not stop early.
    fn seconds(&self, row: &StepCost) -> f64 {
        row.seconds() * (self.steps * self.epochs()) as f64
    }
}

/// Points per axis that are timed at most.
const MOST_TIMED: usize = 64;

/// Points of a grid, and inputs: beyond it counts lose their digits.
const MOST_POINTS: usize = 1 << 32;

impl Arguments {
    /// The sizes of a dataset that need not exist.
    fn sizes(&self) -> (Shapes, usize, usize) {
        let grid = match &self.grid {
            Some(Resolution::PerAxis(list)) => list.clone(),
            Some(Resolution::Uniform(n)) => vec![*n],
            None => Vec::new(),
        };
        let shapes = Shapes {
            input_channels: 1,
            solution_channels: 1,
            grid,
        };
        (shapes, self.inputs.unwrap_or(0), self.realizations.max(1))
    }
}

fn of_dataset(config: &TrainConfig, dataset: &Dataset) -> Result<(Shapes, usize, usize)> {
    let split = config
        .clone()
        .for_inputs(dataset.inputs())
        .split_of(dataset.inputs())?;
    let shapes = Shapes {
        input_channels: dataset.input_channels(),
        solution_channels: dataset.solution_channels().unwrap_or(1),
        grid: dataset.grid().shape(),
    };
    Ok((shapes, split.train.len(), dataset.realizations().max(1)))
}

/// 1, 2, 4, ... and the last, if it is none of them.
fn powers_of_two(last: usize) -> impl Iterator<Item = usize> {
    let powers = std::iter::successors(Some(1usize), |n| n.checked_mul(2));
    let own = (!last.is_power_of_two()).then_some(last);
    powers.take_while(move |&n| n <= last).chain(own)
}

impl Training {
    fn text(&self, rates: &Rates, rows: &[StepCost], price: Option<f64>) -> String {
        let size = self.grid.iter().map(usize::to_string).collect::<Vec<_>>();
        let gigabytes = |bytes: f64| bytes / 1e9;
        let Memory {
            parameters,
            context,
            activations,
            data,
        } = self.memory;
        let mut text = format!(
            "{} on {}, {} inputs with {} realizations: {:.3} million weights\n\
             a step of {} samples: {:.3} TFLOP in {}; {} steps an epoch, {} epochs at most\n\
             memory of a rank: {:.2} GB (weights {:.2}, conditions {:.2}, layers {:.2}, data {:.2})\n\
             a rank: {:.0} GFLOP/s in training, {:.0} million weights updated a second; \
             messages: {:.1} us, {:.3} GB/s\n\n",
            self.config.method,
            size.join("x"),
            self.inputs,
            self.realizations,
            self.step.weights / 1e6,
            self.config.optimiser.batch,
            self.step.flops / 1e12,
            counted(self.step.blocks, "block"),
            self.steps,
            self.epochs(),
            gigabytes(self.memory.total()),
            gigabytes(parameters),
            gigabytes(context),
            gigabytes(activations),
            gigabytes(data),
            rates.training / 1e9,
            rates.update / 1e6,
            1e6 * rates.latency,
            rates.bandwidth / 1e9,
        );
        text += &format!(
            "{:>6} {:>11} {:>11} {:>11} {:>11} {:>10} {:>10} {:>11}{}\n",
            "ranks",
            "s a step",
            "computing",
            "messages",
            "GB sent",
            "efficient",
            "all epochs",
            "rank-hours",
            if price.is_some() { "       price" } else { "" }
        );
        for row in rows {
            text += &self.line(row, &rows[0], price);
        }
        text + &self.verdict(rows)
    }

    fn line(&self, row: &StepCost, alone: &StepCost, price: Option<f64>) -> String {
        let hours = row.ranks as f64 * self.seconds(row) / 3600.0;
        format!(
            "{:>6} {:>11.4} {:>11.4} {:>11.4} {:>11.3} {:>8.0} % {:>10} {:>11.1}{}\n",
            row.ranks,
            row.seconds(),
            row.computing,
            row.exchange,
            row.bytes / 1e9,
            100.0 * row.efficiency(alone),
            duration(self.seconds(row)),
            hours,
            price.map_or(String::new(), |price| format!(" {:>11.2}", price * hours))
        )
    }

    /// Where more ranks cease to pay.
    fn verdict(&self, rows: &[StepCost]) -> String {
        let fair = rows
            .iter()
            .rfind(|row| row.efficiency(&rows[0]) >= FAIR)
            .map_or(1, |row| row.ranks);
        format!(
            "\nUp to {fair} {} at {:.0} % or more of one rank's efficiency; a step has {} to share, and \
             ranks beyond that wait\n",
            if fair == 1 {
                "rank works"
            } else {
                "ranks work"
            },
            100.0 * FAIR,
            counted(self.step.blocks, "block"),
        )
    }

    fn json(&self, rates: &Rates, rows: &[StepCost]) -> Result<String> {
        let rows = rows.iter().map(|row| {
            json!({
                "step": row,
                "seconds": row.seconds(),
                "efficiency": row.efficiency(&rows[0]),
                "all_epochs_seconds": self.seconds(row),
            })
        });
        let report = json!({
            "method": self.config.method.name(),
            "grid": self.grid,
            "inputs": self.inputs,
            "realizations": self.realizations,
            "weights": self.step.weights,
            "step_flops": self.step.flops,
            "blocks": self.step.blocks,
            "steps": self.steps,
            "epochs": self.epochs(),
            "memory": self.memory,
            "training_gflops": rates.training / 1e9,
            "update_rate": rates.update,
            "latency": rates.latency,
            "bandwidth": rates.bandwidth,
            "rows": rows.collect::<Vec<_>>(),
        });
        Ok(serde_json::to_string_pretty(&report)?)
    }
}

fn counted(number: usize, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {thing}{plural}")
}

/// The efficiency down to which ranks are said to pay.
const FAIR: f64 = 0.8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_has_every_power_of_two_and_what_was_asked_for() {
        let ranks = |last| powers_of_two(last).collect::<Vec<_>>();
        assert_eq!(ranks(1), [1]);
        assert_eq!(ranks(8), [1, 2, 4, 8]);
        assert_eq!(ranks(6), [1, 2, 4, 6]);
    }
}
