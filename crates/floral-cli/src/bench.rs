//! `floral bench`: how fast this build runs on this machine.

use std::fmt::Write;

use anyhow::{Result, ensure};
use clap::builder::PossibleValuesParser;
use floral::device::{Device, adapter_of};
use floral::grid::MOST_AXES;
use floral::problem::Resolution;
use floral::ranks::Ranks;
use floral_bench::{MeasuredNetwork, Measurement, Stopwatch, Work, matrix_peak, measure};
use serde_json::json;

use crate::{Ending, collective, device, integrator, output};

/// Arguments of `floral bench`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    floral bench\n  \
    floral bench --sizes 64x64,128x128 --batch 4 --only velocity --only training\n  \
    floral bench --sizes 256 --hidden 32 --solver heun --steps 11 --json\n  \
    floral bench --device gpu --only velocity --only training\n\n\
    Weights and data are random. GFLOP/s count the necessary arithmetic: products with weights and \
    truncated Fourier transforms. Percentages are relative to the fastest matrix product that this CPU \
    reached in the same run; a GPU has none.")]
pub struct Arguments {
    /// Grids, as in 128 (1-D), 64x64 (2-D) or 32x32x32 (3-D)
    #[arg(
        long,
        value_name = "SIZES",
        value_delimiter = ',',
        default_value = "128,64x64"
    )]
    sizes: Vec<Resolution>,

    /// Samples per batch
    #[arg(long, value_name = "B", default_value_t = 8)]
    batch: usize,

    /// Distinct inputs among the samples of a training step
    #[arg(long, value_name = "N", default_value_t = 2)]
    inputs: usize,

    /// Width of the Fourier layers
    #[arg(long, value_name = "H", default_value_t = 64)]
    hidden: usize,

    /// Measure only this; may be repeated
    #[arg(long, value_name = "WORK", value_parser = PossibleValuesParser::new(Work::ALL.map(Work::name)))]
    only: Vec<String>,

    #[command(flatten)]
    device: device::Arguments,

    #[command(flatten)]
    solver: integrator::Arguments,

    /// Seconds per measurement; work that takes longer is measured once
    #[arg(long, value_name = "S", default_value_t = 2.0)]
    seconds: f64,

    /// Measure messages between ranks instead, for floral plan
    #[arg(long)]
    pub collective: bool,

    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

impl Arguments {
    fn works(&self) -> Result<Vec<Work>> {
        if self.only.is_empty() {
            return Ok(Work::ALL.to_vec());
        }
        let works = self.only.iter().map(|name| Ok(name.parse()?));
        works.collect()
    }

    fn case(&self, size: &Resolution, device: &Device) -> Result<MeasuredNetwork> {
        let grid = match size {
            Resolution::Uniform(n) => vec![*n],
            Resolution::PerAxis(list) => list.clone(),
        };
        ensure!(
            grid.len() <= MOST_AXES && grid.iter().all(|&n| n > 1),
            "size {size}: networks need a grid of one to three axes, such as 128, 64x64 or 32x32x32"
        );
        Ok(MeasuredNetwork {
            inputs: self.inputs,
            hidden: self.hidden,
            device: device.clone(),
            ..MeasuredNetwork::new(grid, self.batch)
        })
    }
}

/// Measures and prints row by row.
pub fn run(arguments: &Arguments, ranks: &dyn Ranks) -> Result<Ending> {
    if arguments.collective {
        collective::run(ranks, arguments.json)?;
        return Ok(Ending::Done);
    }
    ensure!(
        arguments.batch > 0 && arguments.inputs > 0 && arguments.hidden > 0,
        "--batch, --inputs and --hidden must be at least 1"
    );
    let solver = arguments.solver.asked()?.unwrap_or_default();
    let works = arguments.works()?;
    let device = arguments.device.open()?;
    let cases = arguments.sizes.iter();
    let cases = cases.map(|size| arguments.case(size, &device));
    let cases = cases.collect::<Result<Vec<_>>>()?;
    let watch = Stopwatch {
        seconds: arguments.seconds,
        rounds: 1000,
    };
    let peak = matrix_peak(&watch)?;
    let mut rows = Vec::new();
    if !arguments.json {
        output::print(&heading(peak)?)?;
    }
    for (case, &work) in cases.iter().flat_map(|c| works.iter().map(move |w| (c, w))) {
        let row = measure(work, case, &solver, &watch, peak)?;
        if !arguments.json {
            output::print(&line(&row)?)?;
        }
        rows.push(row);
    }
    if arguments.json {
        let report = json!({
            "threads": rayon::current_num_threads(),
            "adapter": adapter_of(&device),
            "matrix_peak_gflops": peak / 1e9,
            "hidden": arguments.hidden,
            "inputs": arguments.inputs,
            "solver": solver.to_string(),
            "measurements": rows,
        });
        output::print(&(serde_json::to_string_pretty(&report)? + "\n"))?;
    }
    Ok(Ending::Done)
}

fn heading(peak: f64) -> Result<String> {
    let threads = rayon::current_num_threads();
    let mut text = format!(
        "{threads} threads, matrix products at {:.0} GFLOP/s\n\n",
        peak / 1e9
    );
    writeln!(
        text,
        "{:10} {:>9} {:>6} {:>11} {:>8} {:>9} {:>8} {:>12}",
        "", "size", "batch", "ms/sample", "GFLOP/s", "of peak", "evals", "peak memory"
    )?;
    Ok(text)
}

fn line(row: &Measurement) -> Result<String> {
    let shown = |value: Option<f64>, unit: &str| match value {
        Some(value) => format!("{value:.0}{unit}"),
        None => "-".into(),
    };
    let memory = match row.peak_memory {
        Some(bytes) => format!("{:.0} MB", bytes as f64 / 1e6),
        None => "not available".into(),
    };
    let mut text = String::new();
    writeln!(
        text,
        "{:10} {:>9} {:>6} {:>11.3} {:>8} {:>9} {:>8} {memory:>12}",
        row.work.name(),
        row.size,
        row.batch,
        row.milliseconds_per_sample,
        shown(row.gflops, ""),
        shown(row.percent_of_peak, " %"),
        shown(row.evaluations, ""),
    )?;
    Ok(text)
}
