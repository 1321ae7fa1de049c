//! `floral sample`: predictions for new inputs, and their statistics.

mod attributes;
mod interest;
mod task;

use std::ops::Range;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;
use floral::counted;
use floral::predict::{Destination, Predictor};
use floral::problem::Resolution;
use floral::ranks::Ranks;
use floral::storage::refuse_overwriting;
use floral::train::RunFolder;

use crate::interest as interest_options;
use crate::progress::Progress;
use crate::{Ending, advice, device, inputs, integrator, low, observe, output};
use task::Task;

/// Arguments of `floral sample`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    floral sample runs/darcy --input new.zarr -o predicted.zarr\n  \
    floral sample runs/darcy --input new.zarr --quantile 0.05 --quantile 0.95 --exceed 0.5 \\\n      \
    --keep 10 --resolution 128x128 -o fine.zarr\n  \
    floral sample runs/darcy --input new.npz --points xy.csv -o wells.nc\n  \
    floral sample runs/darcy --input new.zarr --stderr 0.01 -o accurate.npz\n  \
    floral sample runs/block --parameters load=0.3,stiffness=12 --quantile 0.95 -o block.vtu\n  \
    floral sample runs/darcy --input new.zarr --quantity 'peak = max(u)' \\\n      \
    --quantity 'left = mean(u, x < 0.5)' --exceed-quantity 'peak: 0.8' -o peak.zarr\n  \
    floral sample runs/darcy --input new.zarr --inputs 3..4 --observe readings.csv -o given.zarr\n\n\
    Inputs:\n  \
    From Python, numpy.savez(\"new.npz\", input=a, low=l) with arrays [input, channel, grid...]. The \
    channel axis may be absent if there is one channel, and the input axis if there is one input. Add \
    coordinates by the name of their axis if the grid is not that of training, and \
    channel=[\"u\", \"v\"] if the channels are in another order. Axes, channels and units are compared \
    with the run's dataset: another order and other units are converted, with a note; another domain is \
    refused. Predictions are in the run's units.\n\n\
    Statistics:\n  \
    Mean, variance and std are exact where the method has them in closed form (floral-kl, kriging), and \
    sample statistics otherwise (flows); their attribute comment says which. Quantiles, exceedance \
    probabilities and realizations are drawn.\n\n\
    Other points than the input's:\n  \
    With --resolution, input and low-fidelity solution are interpolated linearly to the new grid. A \
    network is evaluated there; the residual of a regression is interpolated. A flow (floral, flora) \
    with a prior close to white noise, such as the paper's, loses spread on a finer grid than that of \
    training, by about the ratio of points; floral-kl does not. With --points, each realization is \
    evaluated on the grid and interpolated linearly before statistics are taken; means and standard \
    deviations in closed form are interpolated. The CSV file has a header that names the axes, as in \
    x,y.\n\n\
    Standard error:\n  \
    With --stderr, realizations are drawn until the standard error of the mean (its root mean square \
    over a channel) is below this fraction of the standard deviation of the channel's predicted values, \
    over points and realizations. The array draws has the number of realizations per input.\n\n\
    Quantities of interest:\n  \
    With --quantity, an expression becomes a number on every realization: max, min, mean, std, integral, \
    norm, range, argmax and argmin of a field such as u, fraction(u > 0.8), at(u, 0.3, 0.7), d(u, x), \
    arithmetic of these, and regions such as mean(u, x < 0.5) or integral(-k * d(u, x), x == 1). Names are \
    those of the channels and axes; u, input and low are the only channel of solution, input and low \
    fidelity, or u0, u1 if there are several. A table is printed with standard errors for the number of \
    draws; super 95 % is the superquantile (CVaR), the mean of the largest 5 %. Arrays are stored by the \
    name of the quantity. Runs of floral-kl and kriging calibrate each quantity by predictions of left-out \
    training inputs: deviations from the median are stretched by a factor, which is printed; --uncalibrated \
    turns this off. floral evaluate --quantity reports the coverage of intervals.\n\n\
    Observations:\n  \
    With --observe, predictions of one input are conditioned on readings of one realization of its \
    solution. The CSV file has a header that names the axes, value, and where needed std (standard \
    deviation of the noise; without it readings are exact) and channel, as in x,y,value,std; units \
    in brackets are converted, as in value [degC]. --observe-quantity is a reading of a linear quantity: a \
    mean, an integral, a value at a place. Conditioning is exact for the normal mixture of floral-kl \
    and kriging; where few training runs agree with the readings, runs are smoothed towards a normal \
    law. Realizations of flora and floral are moved by the covariance of 256 draws. Chi-square compares the readings with the prediction without them.\n\n\
    Output:\n  \
    Open it with xarray.open_zarr, xarray.open_dataset (.nc, NetCDF 3) or numpy.load (.npz; the array \
    metadata holds the attributes as JSON). Run the same command again to continue an interrupted one.")]
pub struct Arguments {
    /// Run folder, or model file
    #[arg(value_name = "RUN")]
    run: PathBuf,

    /// Inputs to predict: a dataset or NumPy archive with the array input, and low if the run needs it,
    /// or a file that floral import recognises
    #[arg(
        long,
        value_name = "NEW.zarr|NEW.npz",
        required_unless_present = "parameters"
    )]
    input: Option<PathBuf>,

    /// Parameters to predict, as in load=0.3,stiffness=12, or a CSV file with a header of their names
    /// and a row per input, for runs whose inputs are parameters
    #[arg(long, value_name = "P=V,...|CASES.csv", conflicts_with = "input")]
    parameters: Option<String>,

    /// Predictions to write: a Zarr v3 folder, or a file ending in .npz or .nc (NetCDF; of a mesh by the
    /// conventions of UGRID); on a mesh also .vtu, or .pvd for several inputs, which ParaView opens
    #[arg(short, long, value_name = "OUT.zarr|OUT.npz|OUT.nc|OUT.vtu")]
    output: PathBuf,

    /// Realizations per input; with --stderr, the maximum [default: 2500, or 20000 with --stderr]
    #[arg(long, value_name = "M", help_heading = "Realizations")]
    realizations: Option<usize>,

    /// Draw until the standard error of the mean is below this, in units of the standard deviation of
    /// the predicted values, as in 0.01
    #[arg(long, value_name = "E", help_heading = "Realizations")]
    stderr: Option<f64>,

    /// Inputs to predict, as in 0..3 [default: all]
    #[arg(long, value_name = "RANGE", value_parser = inputs::parse)]
    inputs: Option<Range<usize>>,

    /// Grid points per axis, as in 128 or 64x128 [default: those of the input]
    #[arg(long, value_name = "R", help_heading = "Points")]
    resolution: Option<Resolution>,

    /// CSV file of points at which to predict, instead of the grid
    #[arg(long, value_name = "XY.csv", help_heading = "Points")]
    points: Option<PathBuf>,

    #[command(flatten)]
    low: low::Arguments,

    #[command(flatten)]
    interests: interest_options::Arguments,

    /// Leave quantities of interest as they are drawn, without calibration
    #[arg(long, help_heading = "Quantities of interest")]
    uncalibrated: bool,

    #[command(flatten)]
    observations: observe::Arguments,

    #[command(flatten)]
    solver: integrator::Choice,

    /// Quantile to store, from 0 to 1; may be repeated
    #[arg(long, value_name = "Q", help_heading = "What is stored")]
    quantile: Vec<f64>,

    /// Threshold whose exceedance probability is stored; with several channels, of the one named or
    /// numbered, as in pressure:0.5; may be repeated
    #[arg(
        long,
        value_name = "[CHANNEL:]T",
        allow_negative_numbers = true,
        help_heading = "What is stored"
    )]
    exceed: Vec<String>,

    /// Number of realizations to store per input
    #[arg(
        long,
        value_name = "K",
        default_value_t = 0,
        help_heading = "What is stored"
    )]
    keep: usize,

    /// Inputs per file of an array (Zarr sharding), so that many inputs need few files. Their
    /// realizations stay on disk until all N are complete, and ranks take N inputs at a time
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        help_heading = "What is stored"
    )]
    shard: usize,

    /// Random seed of the realizations
    #[arg(
        long,
        value_name = "S",
        default_value_t = 0,
        help_heading = "Realizations"
    )]
    seed: u64,

    /// Replace an existing result, or discard an unfinished one, made with other settings
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    device: device::Arguments,
}

impl Arguments {
    /// The name of the inputs in messages.
    fn source(&self) -> PathBuf {
        let given = self.input.clone();
        given.unwrap_or_else(|| self.parameters.clone().unwrap_or_default().into())
    }
}

/// Predicts every input and stores its statistics.
pub fn run(arguments: &Arguments, ranks: &dyn Ranks) -> Result<Ending> {
    let path = arguments.output.as_path();
    let run = RunFolder::open(&arguments.run)?;
    let mut read = run.files();
    read.push(arguments.source());
    read.extend(arguments.points.clone());
    read.extend(arguments.observations.observe.clone());
    refuse_overwriting(path, read.iter().map(PathBuf::as_path))?;
    let destination = Destination::new(path)?;
    let device = arguments.device.open()?;
    let predictor = Predictor::load(&run, &device)?;
    let mut task = Task::new(arguments, &predictor, &device)?;
    // Inputs that do not fit the run are refused before anything is written.
    Progress::during("low fidelity", |progress| {
        task.session.check(ranks, progress)
    })?;
    task.check_interests()?;
    let innovation = task.session.innovation()?;
    for note in task.session.notes() {
        output::note(&note.worded(advice::worded));
    }
    output::notes(&task.notes);
    task.choose_solver(arguments)?;
    let plan = task.plan(arguments, innovation.as_ref());
    let Some(writer) = destination.open_across(ranks, plan, arguments.force)? else {
        output::message(&format!(
            "{}: already complete, nothing to do",
            path.display()
        ));
        return Ok(Ending::Done);
    };
    if let Some(solver) = task.session.cases().low_solver() {
        output::note(&format!(
            "{} has no low-fidelity solutions; they are computed by {solver}",
            arguments.source().display()
        ));
    }
    let start = Instant::now();
    let stored = task.store(ranks, &writer, arguments.seed)?;
    let tables = interest::tables(&writer, task.session.inputs());
    destination.finish_across(ranks, writer)?;
    let words = task.described(&stored, start.elapsed().as_secs_f64());
    output::message(&format!("{}: {words}", path.display()));
    output::print(&tables)?;
    if let Some(innovation) = &innovation {
        output::message(&observe::summary(innovation));
        if let Some(words) = observe::contradiction(innovation) {
            output::note(&words);
        }
    }
    if stored.uncertain > 0 {
        output::note(&format!(
            "the standard error of {} is still larger than --stderr after {}; allow more with \
             --realizations",
            counted(stored.uncertain, "input"),
            counted(task.realizations, "realization")
        ));
    }
    integrator::note_aliasing(&predictor, &task.solver);
    Ok(Ending::Done)
}
