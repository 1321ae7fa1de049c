//! `floral sample`: statistics of a run's predictions for new inputs.

use std::ops::Range;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, ensure};
use floral::predict::{
    Cases, Destination, Interpolation, Job, Places, PredictionPlan, PredictionWriter, Predictor,
    Sampling, Stored, Threshold, is_npz, read_points,
};
use floral::problem::Resolution;
use floral::ranks::{Ranks, first_then_others};
use floral::sample::{EnsembleStatistics, OdeSolver, Wanted};
use floral::train::RunFolder;
use floral::{Checksum, Observer, Points};
use serde_json::{Map, Value, json};

use crate::progress::Progress;
use crate::waiting::Waiting;
use crate::{Ending, data, device, inputs, integrator, interrupt, low, output};

/// Realizations per input: the paper's.
const USUAL: usize = 2500;

/// Realizations per input at most, where a standard error decides.
const MOST: usize = 20_000;

/// What `floral sample` takes.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    floral sample runs/darcy --input new.zarr -o predicted.zarr\n  \
    floral sample runs/darcy --input new.zarr --quantile 0.05 --quantile 0.95 --exceed 0.5 \\\n      \
    --keep 10 --resolution 128x128 -o fine.zarr\n  \
    floral sample runs/darcy --input new.npz --points xy.csv -o wells.nc\n  \
    floral sample runs/darcy --input new.zarr --stderr 0.01 -o sure.npz\n\n\
    From Python: numpy.savez(\"new.npz\", input=a, low=l) with arrays [input, channel, grid...], or\n\
    [channel, grid...] or [grid...] for a single input; coordinates by the name of their axis if\n\
    the grid is not that of training.\n\n\
    Axes, channels and their units are compared with those of the run's dataset: another order and\n\
    other units are converted, with a note; another domain is refused. Predictions are in the run's.\n\n\
    With --resolution, input and low-fidelity solution are interpolated linearly to the other grid;\n\
    a network is evaluated there, a regression's gap is interpolated to it. Of a flow (floral,\n\
    flora) whose prior is next to white noise, as the paper's is, the spread shrinks on a finer grid\n\
    than that of training, by about the ratio of their points; that of floral-kl does not.\n\n\
    With --points, each realization is evaluated on the grid and interpolated linearly to the points,\n\
    then statistics are taken. The CSV file has a header that names the axes, as in x,y.\n\n\
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

    /// Inputs that share a file of an array (Zarr's sharding): few files where there are many inputs
    ///
    /// Ranks take N inputs at a time. Until all N are there, their realizations are kept on the disk.
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

/// What was typed, resolved.
struct Task {
    predictor: Predictor,
    cases: Cases<'static>,
    inputs: Range<usize>,
    points: Option<Points>,
    wanted: Wanted,
    thresholds: Vec<Threshold>,
    realizations: usize,
    kept: usize,
    standard_error: Option<f64>,
    solver: OdeSolver,
}

/// Predicts every input and stores its statistics.
pub fn run(arguments: &Arguments, ranks: &dyn Ranks) -> Result<Ending> {
    let path = arguments.output.as_path();
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
            "{} inputs have a larger standard error than wanted after {} realizations; \
             --realizations allows more",
            stored.uncertain, task.realizations
        ));
    }
    integrator::tell_of_aliasing(&task.predictor, &task.solver);
    Ok(Ending::Done)
}

impl Task {
    fn new(arguments: &Arguments) -> Result<Self> {
        let solver = arguments.solver.asked()?.unwrap_or_default();
        let device = arguments.device.open()?;
        let predictor = Predictor::load(&RunFolder::open(&arguments.run)?, &device)?;
        let input = if is_npz(&arguments.input) {
            arguments.input.clone()
        } else {
            data::dataset(&arguments.input)?
        };
        let low = arguments
            .low
            .solver(&predictor, &arguments.run, &arguments.input)?;
        let resolution = arguments.resolution.as_ref();
        let cases = Cases::open_with(&input, &predictor, resolution, low)?;
        arguments
            .device
            .tell_rows(&device, predictor.block_rows(cases.grid()));
        ensure!(
            !cases.lacks_low(),
            low::absence(&predictor, &arguments.input)
        );
        let inputs = arguments.inputs.clone().unwrap_or(0..cases.inputs());
        ensure!(
            !inputs.is_empty() && inputs.end <= cases.inputs(),
            "--inputs {}..{}: {} has inputs 0..{}",
            inputs.start,
            inputs.end,
            arguments.input.display(),
            cases.inputs()
        );
        let points = arguments.points.as_deref();
        let points = points.map(|path| read_points(path, cases.grid()));
        let (realizations, kept) = numbers(arguments, &predictor)?;
        let quantities = &predictor.header().quantities.solution;
        let thresholds = arguments.exceed.iter();
        let thresholds = thresholds.map(|text| Threshold::parse(text, quantities));
        let thresholds = thresholds.collect::<Result<Vec<_>, _>>()?;
        let wanted = Wanted {
            quantiles: arguments.quantile.clone(),
            thresholds: thresholds.iter().map(|threshold| threshold.value).collect(),
            ..Wanted::default()
        };
        // Levels that are none are refused here, before anything is written.
        EnsembleStatistics::new(1, realizations, &wanted)?;
        Ok(Self {
            points: points.transpose()?,
            predictor,
            cases,
            inputs,
            wanted,
            thresholds,
            realizations,
            kept,
            standard_error: arguments.stderr,
            solver,
        })
    }

    /// Where it was left open, an integrator that is accurate enough for the first input.
    fn choose_solver(&mut self, arguments: &Arguments) -> Result<()> {
        let (choice, first) = (&arguments.solver, self.inputs.start);
        self.solver = choice.of_input(&self.predictor, &self.cases, first, arguments.seed)?;
        Ok(())
    }

    fn store(
        &self,
        ranks: &dyn Ranks,
        writer: &PredictionWriter,
        seed: u64,
        stop: &dyn Observer,
    ) -> Result<Stored> {
        let grid = self.cases.grid();
        let interpolation = self
            .points
            .as_ref()
            .map(|p| Interpolation::to_points(grid, p));
        let job = Job {
            predictor: &self.predictor,
            cases: &self.cases,
            inputs: self.inputs.clone(),
            interpolation: interpolation.as_ref(),
            wanted: &self.wanted,
            kept: self.kept,
            sampling: Sampling {
                realizations: self.realizations,
                seed,
                solver: self.solver,
            },
            standard_error: self.standard_error,
        };
        let progress = Progress::new(self.predictor.method().name(), stop);
        let waiting = Waiting::new(&progress, self.standard_error.is_some());
        let outcome = job.store_across(ranks, writer, &waiting);
        progress.finish();
        Ok(outcome?)
    }

    fn plan(&self, arguments: &Arguments, data: Checksum) -> PredictionPlan {
        PredictionPlan {
            places: match &self.points {
                Some(points) => Places::Points(points.clone()),
                None => Places::Grid(self.cases.grid().clone()),
            },
            quantities: self.predictor.header().quantities.solution.clone(),
            inputs: self.inputs.clone(),
            wanted: self.wanted.clone(),
            threshold_channels: self.thresholds.iter().map(|t| t.channel).collect(),
            kept: self.kept,
            has_spread: self.predictor.method().is_generative(),
            has_parts: self.predictor.method().recipe().is_some(),
            counts_draws: self.standard_error.is_some(),
            shard: arguments.shard,
            attributes: self.attributes(arguments, data),
        }
    }

    /// All that the result depends on: where it is the same, an unfinished result is continued.
    fn attributes(&self, arguments: &Arguments, data: Checksum) -> Map<String, Value> {
        let header = self.predictor.header();
        let is_flow = self.predictor.method().is_flow();
        let along = |points: &Points| {
            let axes = points.axes.iter();
            let sum = axes.fold(Checksum::default(), |sum, (_, along)| sum.numbers(along));
            sum.to_string()
        };
        let facts = json!({
            "title": match &header.title {
                Some(title) => format!("{title}: predictions of {}", self.predictor.method()),
                None => format!("predictions of {}", self.predictor.method()),
            },
            "floral_version": env!("CARGO_PKG_VERSION"),
            "run": arguments.run,
            "run_version": header.floral,
            "run_checksum": self.predictor.checksum().to_string(),
            "method": self.predictor.method(),
            "epoch": header.config.method.recipe().is_none().then_some(header.progress.epoch),
            "validation_loss": header.progress.best.map(|(loss, _)| loss),
            "data": arguments.input,
            "data_checksum": data.to_string(),
            "inputs": format!("{}..{}", self.inputs.start, self.inputs.end),
            "problem": header.data.problem,
            "grid": self.cases.grid().shape(),
            "points": arguments.points,
            "points_checksum": self.points.as_ref().map(along),
            "realizations_per_input": self.realizations,
            "realizations_kept": self.kept,
            "standard_error": self.standard_error,
            "quantiles": self.wanted.quantiles,
            "thresholds": self.wanted.thresholds,
            "threshold_channels": self.threshold_channels(),
            "seed": arguments.seed,
            "solver": is_flow.then(|| self.solver.to_string()),
            "calibration": self.predictor.calibration(),
        });
        match facts {
            Value::Object(facts) => facts
                .into_iter()
                .filter(|(_, fact)| !fact.is_null())
                .collect(),
            _ => Map::new(),
        }
    }

    /// The channel of each threshold, where there are several channels.
    fn threshold_channels(&self) -> Option<Vec<usize>> {
        let has_several = self.predictor.header().quantities.solution.len() > 1;
        let has_any = has_several && !self.thresholds.is_empty();
        has_any.then(|| self.thresholds.iter().map(|t| t.channel).collect())
    }

    fn described(&self, stored: &Stored, seconds: f64) -> String {
        let Stored {
            resumed,
            resumed_realizations,
            computed,
            evaluations,
            ..
        } = *stored;
        let inputs = self.inputs.len() - resumed;
        let kept = match (resumed, resumed_realizations) {
            (0, 0) => String::new(),
            (0, n) => format!(", {n} realizations kept from before"),
            (m, 0) => format!(", {m} inputs kept from before"),
            (m, n) => format!(", {m} inputs and {n} realizations kept from before"),
        };
        let each = evaluations as f64 / computed.max(1) as f64;
        let cost = if self.predictor.method().is_flow() && computed > 0 {
            format!(", {each:.0} evaluations of the network each")
        } else {
            String::new()
        };
        format!("{inputs} inputs, {computed} realizations computed in {seconds:.1} s{cost}{kept}")
    }
}

/// Realizations per input, and how many of them are stored.
fn numbers(arguments: &Arguments, predictor: &Predictor) -> Result<(usize, usize)> {
    let method = predictor.method();
    ensure!(
        arguments
            .stderr
            .is_none_or(|error| error > 0.0 && error < 1.0),
        "--stderr: choose a number between 0 and 1, as in 0.01"
    );
    if method.is_generative() {
        let most = if arguments.stderr.is_some() {
            MOST
        } else {
            USUAL
        };
        let realizations = arguments.realizations.unwrap_or(most);
        ensure!(
            realizations > 1,
            "--realizations {realizations}: a variance needs at least two"
        );
        return Ok((realizations, arguments.keep.min(realizations)));
    }
    ensure!(
        arguments.quantile.is_empty() && arguments.exceed.is_empty() && arguments.stderr.is_none(),
        "{method} predicts one field and no distribution; leave --quantile, --exceed and --stderr \
         out, or choose a run of floral-kl, kriging, flora or floral"
    );
    Ok((1, arguments.keep.min(1)))
}
