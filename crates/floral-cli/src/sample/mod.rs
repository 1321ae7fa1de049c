//! `floral sample`: statistics of a run's predictions for new inputs.

mod attributes;
mod task;

use std::ops::Range;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;
use floral::counted;
use floral::predict::Destination;
use floral::problem::Resolution;
use floral::ranks::{Ranks, first_then_others};
use floral::storage::refuse_overwriting;
use floral::train::RunFolder;

use crate::progress::Progress;
use crate::{Ending, device, inputs, integrator, interrupt, low, output};
use task::Task;

/// What `floral sample` takes.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    floral sample runs/darcy --input new.zarr -o predicted.zarr\n  \
    floral sample runs/darcy --input new.zarr --quantile 0.05 --quantile 0.95 --exceed 0.5 \\\n      \
    --keep 10 --resolution 128x128 -o fine.zarr\n  \
    floral sample runs/darcy --input new.npz --points xy.csv -o wells.nc\n  \
    floral sample runs/darcy --input new.zarr --stderr 0.01 -o sure.npz\n\n\
    From Python: numpy.savez(\"new.npz\", input=a, low=l) with arrays [input, channel, grid...], of one\n\
    channel also [input, grid...], or [channel, grid...] or [grid...] for a single input; coordinates by\n\
    the name of their axis if the grid is not that of training, channel=[\"u\", \"v\"] if channels are in\n\
    another order than there.\n\n\
    Axes, channels and their units are compared with those of the run's dataset: another order and\n\
    other units are converted, with a note; another domain is refused. Predictions are in the run's.\n\n\
    Mean, variance and std are stored as the method knows them, whatever the number of realizations\n\
    (floral-kl, kriging), or else as those of the realizations (flows); their attribute comment says\n\
    which. Quantiles, exceedance and realizations are drawn.\n\n\
    With --resolution, input and low-fidelity solution are interpolated linearly to the other grid;\n\
    a network is evaluated there, a regression's gap is interpolated to it. Of a flow (floral,\n\
    flora) whose prior is next to white noise, as the paper's is, the spread shrinks on a finer grid\n\
    than that of training, by about the ratio of their points; that of floral-kl does not.\n\n\
    With --points, each realization is evaluated on the grid and interpolated linearly to the points,\n\
    then statistics are taken; mean and deviations that are known are interpolated. The CSV file has\n\
    a header that names the axes, as in x,y.\n\n\
    With --stderr, realizations are drawn until the standard error of the mean, its root mean square\n\
    over a channel, is below so much of the deviation of all predicted values of the channel, over\n\
    points and realizations; the array draws tells how many that took for each input.\n\n\
    The result opens with xarray.open_zarr, xarray.open_dataset (.nc, NetCDF 3) or numpy.load (.npz;\n\
    its attributes are the JSON in the array metadata). A run that was cut short continues where it\n\
    stopped when the same command is given again.")]
pub struct Arguments {
    /// The run folder, or a model file
    #[arg(value_name = "RUN")]
    run: PathBuf,

    /// A Zarr v3 group or a NumPy archive with the array input, and low if the method needs it, or
    /// another file whose layout is known (see floral import)
    #[arg(long, value_name = "NEW.zarr|NEW.npz")]
    input: PathBuf,

    /// The predictions to write: a Zarr v3 folder, or a file by its ending, .npz or .nc (NetCDF)
    #[arg(short, long, value_name = "OUT.zarr|OUT.npz|OUT.nc")]
    output: PathBuf,

    /// Realizations per input; with --stderr at most so many [default: 2500, with --stderr 20000]
    #[arg(long, value_name = "M")]
    realizations: Option<usize>,

    /// Draw until the standard error of the mean is so small, in units of the deviation of the
    /// predicted values, as in 0.01
    #[arg(long, value_name = "E")]
    stderr: Option<f64>,

    /// Inputs, as in 0..3 [default: all]
    #[arg(long, value_name = "RANGE", value_parser = inputs::parse)]
    inputs: Option<Range<usize>>,

    /// Grid points per axis, as in 128 or 64x128 [default: those of the input]
    #[arg(long, value_name = "R")]
    resolution: Option<Resolution>,

    /// A CSV file of points at which values are stored instead of the grid
    #[arg(long, value_name = "XY.csv")]
    points: Option<PathBuf>,

    #[command(flatten)]
    low: low::Arguments,

    #[command(flatten)]
    solver: integrator::Choice,

    /// A quantile to store, from 0 to 1; may be repeated
    #[arg(long, value_name = "Q")]
    quantile: Vec<f64>,

    /// A threshold whose probability of being exceeded is stored, of several channels with the name
    /// or number of one, as in pressure:0.5; may be repeated
    #[arg(long, value_name = "[CHANNEL:]T", allow_negative_numbers = true)]
    exceed: Vec<String>,

    /// Realizations to store of each input, the first ones
    #[arg(long, value_name = "K", default_value_t = 0)]
    keep: usize,

    /// Inputs that share a file of an array (Zarr's sharding), so that many inputs are few files; their
    /// realizations stay on the disk until all N are there, and ranks take N at a time
    #[arg(long, value_name = "N", default_value_t = 1)]
    shard: usize,

    /// The seed of the priors
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,

    /// Replace an existing result, or discard an unfinished one, made with other settings
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    device: device::Arguments,
}

/// Predicts every input and stores its statistics.
pub fn run(arguments: &Arguments, ranks: &dyn Ranks) -> Result<Ending> {
    let path = arguments.output.as_path();
    let mut read = RunFolder::open(&arguments.run)?.files();
    read.push(arguments.input.clone());
    read.extend(arguments.points.clone());
    refuse_overwriting(path, read.iter().map(PathBuf::as_path))?;
    let destination = Destination::new(path)?;
    let mut task = Task::new(arguments)?;
    let stop = interrupt::flag()?;
    let progress = Progress::new("low fidelity", stop);
    let prepare = || task.cases.prepare(task.inputs.clone(), &progress);
    let prepared = first_then_others(ranks, prepare);
    progress.finish();
    prepared?;
    // What does not fit the run is refused before anything is written.
    let checked = task.cases.check(&task.predictor, task.inputs.clone())?;
    output::notes(&task.predictor.header().notes());
    output::notes(task.cases.notes());
    output::notes(&checked.notes);
    task.choose_solver(arguments)?;
    let plan = task.plan(arguments, checked.checksum);
    let Some(writer) = destination.open_across(ranks, plan, arguments.force)? else {
        output::tell(&format!(
            "{}: already complete, nothing to do",
            path.display()
        ));
        return Ok(Ending::Done);
    };
    if let Some(solver) = task.cases.low_solver() {
        output::note(&format!(
            "{} has no low-fidelity solutions; they are computed by {solver}",
            arguments.input.display()
        ));
    }
    if task.predictor.loses_spread_on(task.cases.grid()) {
        output::note(&format!(
            "the grid {:?} is finer than the {:?} of training; on it, a flow from a prior that is \
             next to white noise has too small a spread, by about the ratio of points: sample on the \
             training grid, train with --fit-prior, or train floral-kl",
            task.cases.grid().shape(),
            task.predictor.grid().shape()
        ));
    }
    let start = Instant::now();
    let stored = task.store(ranks, &writer, arguments.seed, stop)?;
    destination.finish_across(ranks, writer)?;
    let words = task.described(&stored, start.elapsed().as_secs_f64());
    output::tell(&format!("{}: {words}", path.display()));
    if stored.uncertain > 0 {
        output::note(&format!(
            "the standard error of {} is larger than wanted after {}; --realizations allows more",
            counted(stored.uncertain, "input"),
            counted(task.realizations, "realization")
        ));
    }
    integrator::tell_of_aliasing(&task.predictor, &task.solver);
    Ok(Ending::Done)
}
