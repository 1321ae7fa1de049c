//! `floral sample`: statistics of a run's predictions for new inputs.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use anyhow::{Result, bail, ensure};
use clap::builder::PossibleValuesParser;
use floral::dataset::{Dataset, PredictionPlan, PredictionWriter};
use floral::predict::{Predictor, Sampling, refined, refined_grid};
use floral::problem::{Problem, Resolution};
use floral::sample::{EnsembleStatistics, OdeSolver, Wanted};
use floral::train::RunFolder;
use floral::{Field, Grid, device};
use serde_json::{Map, Value, json};

use crate::progress::RealizationProgress;
use crate::{Ending, inputs, integrator, interrupt};

/// What `floral sample` takes.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    floral sample runs/darcy --input new.zarr -o predicted.zarr\n  \
    floral sample runs/darcy --input new.zarr --quantile 0.05 --quantile 0.95 --exceed 0.5 \\\n      \
    --keep 10 --resolution 128x128 -o fine.zarr\n\n\
    The result opens with xarray.open_zarr. With --resolution, input and low-fidelity solution are\n\
    interpolated linearly to the finer grid and the network is evaluated there.")]
pub struct Arguments {
    /// The run folder
    #[arg(value_name = "RUN")]
    run: PathBuf,

    /// A Zarr v3 group with the array input, and low if the method needs it
    #[arg(long, value_name = "NEW.zarr")]
    input: PathBuf,

    /// The predictions to write, a Zarr v3 folder
    #[arg(short, long, value_name = "OUT.zarr")]
    output: PathBuf,

    /// Realizations per input
    #[arg(long, value_name = "M", default_value_t = 2500)]
    realizations: usize,

    /// Inputs, as in 0..3 [default: all]
    #[arg(long, value_name = "RANGE", value_parser = inputs::parse)]
    inputs: Option<Range<usize>>,

    /// Grid points per axis, as in 128 or 64x128 [default: those of the input]
    #[arg(long, value_name = "R")]
    resolution: Option<Resolution>,

    #[command(flatten)]
    solver: integrator::Arguments,

    /// A quantile to store, from 0 to 1; may be repeated
    #[arg(long, value_name = "Q")]
    quantile: Vec<f64>,

    /// A threshold whose probability of being exceeded is stored; may be repeated
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    exceed: Vec<f64>,

    /// Realizations to store of each input, the first ones
    #[arg(long, value_name = "K", default_value_t = 0)]
    keep: usize,

    /// The seed of the priors
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,

    /// Replace an existing result made with other settings
    #[arg(long)]
    force: bool,

    /// Where to compute
    #[arg(long, default_value = "cpu", value_parser = PossibleValuesParser::new(device::NAMES))]
    device: String,
}

/// What was typed, resolved.
struct Job {
    predictor: Predictor,
    dataset: Dataset,
    origin: Option<Box<dyn Problem>>,
    grid: Grid,
    inputs: Range<usize>,
    wanted: Wanted,
    realizations: usize,
    kept: usize,
    solver: OdeSolver,
    seed: u64,
}

/// Predicts every input and stores its statistics.
pub fn run(arguments: &Arguments) -> Result<Ending> {
    let job = Job::new(arguments)?;
    let plan = job.plan(arguments);
    let path = arguments.output.as_path();
    let Some(writer) = PredictionWriter::open(path, plan, arguments.force)? else {
        eprintln!("{}: already complete, nothing to do", path.display());
        return Ok(Ending::Done);
    };
    let progress = RealizationProgress::new(job.predictor.method().name());
    let outcome = job.write(&writer, &progress, interrupt::flag()?);
    progress.finish();
    outcome?;
    writer.finish()?;
    let (inputs, realizations) = (job.inputs.len(), job.realizations);
    eprintln!(
        "{}: {inputs} inputs, {realizations} realizations each",
        path.display()
    );
    Ok(Ending::Done)
}

impl Job {
    fn new(arguments: &Arguments) -> Result<Self> {
        let solver = arguments.solver.resolved()?;
        let device = device::named(&arguments.device)?;
        let predictor = Predictor::load(&RunFolder::open(&arguments.run)?, &device)?;
        let dataset = open(&arguments.input)?;
        let grid = match &arguments.resolution {
            None => dataset.grid().clone(),
            Some(resolution) => {
                let shape = per_axis(resolution, dataset.grid().dimensions());
                refined_grid(dataset.grid(), &shape)?
            }
        };
        let inputs = arguments.inputs.clone().unwrap_or(0..dataset.inputs());
        ensure!(
            !inputs.is_empty() && inputs.end <= dataset.inputs(),
            "--inputs {}..{}: {} has inputs 0..{}",
            inputs.start,
            inputs.end,
            arguments.input.display(),
            dataset.inputs()
        );
        let (realizations, kept) = numbers(arguments, &predictor)?;
        let needs_low = predictor.method().is_residual() && !dataset.has_low();
        let origin = if needs_low { dataset.origin()? } else { None };
        Ok(Self {
            predictor,
            origin,
            grid,
            inputs,
            wanted: Wanted {
                quantiles: arguments.quantile.clone(),
                thresholds: arguments.exceed.clone(),
                ..Wanted::default()
            },
            realizations,
            kept,
            solver,
            seed: arguments.seed,
            dataset,
        })
    }

    fn plan(&self, arguments: &Arguments) -> PredictionPlan {
        PredictionPlan {
            grid: self.grid.clone(),
            channels: self.predictor.header().shapes.solution_channels,
            inputs: self.inputs.clone(),
            wanted: self.wanted.clone(),
            kept: self.kept,
            has_spread: self.predictor.method().is_generative(),
            attributes: self.attributes(arguments),
        }
    }

    fn attributes(&self, arguments: &Arguments) -> Map<String, Value> {
        let header = self.predictor.header();
        let generative = self.predictor.method().is_generative();
        let facts = json!({
            "title": format!("predictions of {}", self.predictor.method()),
            "floral_version": env!("CARGO_PKG_VERSION"),
            "run": arguments.run,
            "run_version": header.floral,
            "method": self.predictor.method(),
            "epoch": header.progress.epoch,
            "validation_loss": header.progress.best.map(|(loss, _)| loss),
            "data": arguments.input,
            "problem": self.dataset.problem(),
            "realizations_per_input": self.realizations,
            "seed": self.seed,
            "solver": generative.then(|| self.solver.to_string()),
        });
        match facts {
            Value::Object(facts) => facts,
            _ => Map::new(),
        }
    }

    fn write(
        &self,
        writer: &PredictionWriter,
        progress: &RealizationProgress,
        stop: &AtomicBool,
    ) -> Result<()> {
        for (position, index) in self.inputs.clone().enumerate() {
            let (input, low) = self.fields(index)?;
            let predicted = self.predictor.for_input(&input, low.as_ref(), &self.grid)?;
            let mut statistics =
                EnsembleStatistics::new(predicted.values(), self.realizations, &self.wanted)?;
            let mut kept = Vec::new();
            let sampling = Sampling {
                realizations: self.realizations,
                seed: self.seed,
                input: index as u64,
                solver: &self.solver,
                stop,
                observer: &|done| progress.advance(position, self.inputs.len(), done),
            };
            let cost = predicted.deliver(&sampling, |realization, values| {
                if realization < self.kept {
                    kept.extend_from_slice(values);
                }
                statistics.push(values)
            })?;
            writer.write(position, &statistics, &kept, cost.evaluations)?;
        }
        Ok(())
    }

    /// An input and its low-fidelity solution on the grid of the predictions.
    fn fields(&self, index: usize) -> Result<(Field, Option<Field>)> {
        let from = self.dataset.grid();
        let refine = |field: &Field| refined(field, from, &self.grid);
        let low = match self.predictor.method().is_residual() {
            true => self.dataset.low_or_solved(index, self.origin.as_deref())?,
            false => None,
        };
        let low = low.as_ref().map(refine).transpose()?;
        Ok((refine(&self.dataset.input(index)?)?, low))
    }
}

fn open(path: &Path) -> Result<Dataset> {
    if path.extension().is_some_and(|end| end == "npz") {
        bail!(
            "{}: only Zarr v3 is read; convert it in Python with xarray.Dataset({{\"input\": \
             ((\"input\", \"channel\", \"x\"), array)}}).to_zarr(\"new.zarr\", zarr_format=3), and \
             `low` likewise",
            path.display()
        );
    }
    Ok(Dataset::open(path)?)
}

/// Realizations per input, and how many of them are stored.
fn numbers(arguments: &Arguments, predictor: &Predictor) -> Result<(usize, usize)> {
    let method = predictor.method();
    if method.is_generative() {
        let realizations = arguments.realizations;
        ensure!(
            realizations > 1,
            "--realizations {realizations}: a variance needs at least two"
        );
        return Ok((realizations, arguments.keep.min(realizations)));
    }
    ensure!(
        arguments.quantile.is_empty() && arguments.exceed.is_empty(),
        "{method} predicts one field and no distribution; leave --quantile and --exceed out, or \
         choose a run of flora or floral"
    );
    Ok((1, arguments.keep.min(1)))
}

fn per_axis(resolution: &Resolution, axes: usize) -> Vec<usize> {
    match resolution {
        Resolution::Uniform(n) => vec![*n; axes],
        Resolution::PerAxis(list) => list.clone(),
    }
}
