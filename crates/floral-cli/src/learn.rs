//! `floral learn`: choose, run and learn from simulations until a quantity is known.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use floral::counted;
use floral::dataset::Dataset;
use floral::learn::{Asking, Choosing, Ended, LearnRequest, Loop, LoopSettings, Until, learn};
use floral::storage::refuse_overwriting;
use floral::train::{Method, TrainConfig};

use crate::interest::number;
use crate::progress::Progress;
use crate::{Ending, output};

/// Arguments of `floral learn`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    floral learn --solver './solve {input} {output}' --pool inputs.zarr --quantity 'peak = max(u)' \\\n      \
    --until 'std(peak) < 0.01' --budget 20 --batch 2 --jobs 2 -o learned\n\n\
    The solver:\n  \
    {input} is the path of a NumPy archive with the array input, [channel, grid...], and the coordinates by the \
    name of their axis. {output} is the path of the archive to write, with the array high, [realization, \
    channel, grid...]; without the channel axis if there is one channel. {seed} is replaced by a different \
    number in each run. A run that fails is tried once more, then its input is skipped.\n\n\
    The choice:\n  \
    The first runs represent the pool: every input of it is close to one of them. After each fit a Gaussian \
    process of the quantity predicts how much each run would reduce the epistemic variance of the quantity over the \
    pool; the reduction of each chosen run is subtracted, so that those of a batch are spread apart. std(peak) is \
    the root mean square over the pool of the epistemic standard deviation of the quantity's mean.\n\n\
    The folder:\n  \
    solved/ has the solution of each input, skipped.json the inputs that failed, curve.json the estimates after \
    each fit, quantity.csv the quantity at each input of the pool after the last one, rounds/ the last dataset \
    and run. Give the same command again to go on, perhaps with a larger --budget: nothing is solved twice.")]
pub struct Arguments {
    /// Command that solves an input with high fidelity, as in './solve {input} {output}'
    #[arg(long, value_name = "COMMAND")]
    solver: String,

    /// Dataset with the inputs to choose from, and their low-fidelity solutions if there are any
    #[arg(long, value_name = "POOL.zarr")]
    pool: PathBuf,

    /// Quantity to determine, as in 'peak = max(u)'
    #[arg(long, value_name = "NAME=EXPRESSION")]
    quantity: String,

    /// Stop when the quantity's epistemic standard deviation is this small, as in 'std(peak) < 0.01'
    #[arg(long, value_name = "std(NAME)<S")]
    until: Option<Until>,

    /// Maximum number of runs, including earlier calls
    #[arg(long, value_name = "N")]
    budget: usize,

    /// Runs before the first fit
    #[arg(long, value_name = "N", default_value_t = 5)]
    start: usize,

    /// Number of runs chosen at a time
    #[arg(long, value_name = "N", default_value_t = 1)]
    batch: usize,

    /// Number of runs in parallel
    #[arg(long, value_name = "N", default_value_t = 1)]
    jobs: usize,

    /// Time limit of a run, in seconds
    #[arg(long, value_name = "S", default_value_t = 86400.0)]
    timeout: f64,

    /// How inputs are chosen: best, spread over the pool, or random for comparison
    #[arg(long, value_name = "HOW", value_enum, default_value_t = How::Best)]
    choose: How,

    /// Method of the fits: floral-kl or kriging
    #[arg(long, value_name = "METHOD", default_value = "floral-kl")]
    method: Method,

    /// Random seed of runs and of random choices
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,

    /// Folder of the loop
    #[arg(short, long, value_name = "FOLDER")]
    output: PathBuf,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum How {
    Best,
    Spread,
    Random,
}

/// Runs the loop.
pub fn run(arguments: &Arguments) -> Result<Ending> {
    let folder = arguments.output.as_path();
    refuse_overwriting(folder, [arguments.pool.as_path()])?;
    arguments.check()?;
    let pool = Dataset::open(&arguments.pool)?;
    let mut looped = Loop::open(&pool, folder, arguments.settings())?;
    let request = LearnRequest {
        solver: &arguments.solver,
        timeout: arguments.timeout,
        budget: arguments.budget,
        until: arguments.until.clone(),
        batch: arguments.batch,
        jobs: arguments.jobs,
    };
    let ended = Progress::during("learn", |progress| {
        let mut report = |asking: &Asking| progress.message(&described(asking));
        learn(&mut looped, &request, progress, &mut report)
    })?;
    let skipped = looped.skipped().count();
    if let Some((input, reason)) = looped.skipped().last() {
        output::note(&format!(
            "{} could not be solved and are skipped; the last, input {input}: {reason}",
            counted(skipped, "input")
        ));
    }
    let why = match ended {
        Ended::Known => "the quantity is known to the requested accuracy",
        Ended::Spent => "the budget is spent",
        Ended::Exhausted => "no input of the pool is left",
    };
    let run = looped.run().map_or(String::new(), |run| {
        format!("; the model is {}", run.display())
    });
    let runs = counted(looped.runs(), "run");
    output::message(&format!("{}: {why} after {runs}{run}", folder.display()));
    Ok(Ending::Done)
}

fn described(asking: &Asking) -> String {
    let runs = counted(asking.runs, "run");
    let Some(std) = asking.std else {
        return format!("{runs}, first inputs {:?}", asking.inputs);
    };
    let mean = number(asking.mean.unwrap_or(f64::NAN));
    let expected = match asking.expected {
        Some(expected) => format!(
            ", {} expected after inputs {:?}",
            number(expected),
            asking.inputs
        ),
        None => format!(", next inputs {:?}", asking.inputs),
    };
    format!("{runs}, mean {mean}, std {}{expected}", number(std))
}

impl Arguments {
    fn check(&self) -> Result<()> {
        let name = self.quantity.split('=').next().unwrap_or_default().trim();
        if let Some(until) = &self.until {
            ensure!(
                until.name == name,
                "--until: unknown quantity `{}`; --quantity defines `{name}`",
                until.name
            );
        }
        ensure!(
            self.budget >= 3,
            "--budget {}: a first fit needs at least 3 runs",
            self.budget
        );
        ensure!(
            matches!(self.method, Method::FloralKl | Method::Kriging),
            "--method {}: it has no epistemic uncertainty; take floral-kl or kriging",
            self.method
        );
        Ok(())
    }

    fn settings(&self) -> LoopSettings {
        LoopSettings {
            quantity: self.quantity.clone(),
            start: self.start.min(self.budget),
            choosing: match self.choose {
                How::Best => Choosing::Best,
                How::Spread => Choosing::Spread,
                How::Random => Choosing::Random,
            },
            fit: TrainConfig {
                method: self.method,
                ..TrainConfig::default()
            },
            seed: self.seed,
        }
    }
}
