//! `floral train`: from a dataset to a run folder.

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail, ensure};
use clap::builder::PossibleValuesParser;
use floral::Error;
use floral::cost::memory::gigabytes;
use floral::dataset::{Dataset, Split, SplitConfig, split};
use floral::problem::Resolution;
use floral::ranks::Ranks;
use floral::storage::refuse_overwriting;
use floral::train::{Budget, Method, Opening, Outcome, RunFolder, TrainConfig, Training};

use crate::progress::Progress;
use crate::{Ending, constants, data, device, low, output};

/// Arguments of `floral train`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    floral train darcy.zarr -o runs/darcy\n  \
    floral train mine.zarr --set 'symmetries=[\"roll:x\",\"sign\"]' -o runs/mine\n  \
    floral train darcy.zarr --method fno --train-inputs 10 --set optimiser.batch=16 -o runs/fno\n  \
    floral train darcy.zarr -o runs/darcy --resume\n\n\
    Methods:\n  \
    floral-kl, the default, combines regressions of mean, spread and Karhunen-Loeve factors, fitted in \
    closed form; kriging is kernel regression alone. fno, residual-fno, flora and floral are the paper's \
    methods, trained by gradient descent.\n\n\
    Symmetries:\n  \
    roll:AXIS, roll:AXIS:1/2, sign, reflect:AXIS:-, transpose:AXIS,AXIS and scale:-1. They come from the \
    dataset unless --set symmetries gives them.\n\n\
    Transforms:\n  \
    --set transform=log learns the logarithm of the solution, so that no prediction is negative. Others \
    are sqrt, positive (for values that may be zero), bounded:0:1 and none; give one per channel as in \
    --set 'transform=[\"log\",\"none\"]'. floral inspect suggests one where it helps.\n\n\
    Continuing:\n  \
    Run the same command again to continue an interrupted training, or use --resume, which needs no \
    settings. With more --epochs, --resume continues a finished network, to the same weights as if all \
    epochs had been trained at once.")]
pub struct Arguments {
    /// Dataset to learn from, or a file that floral import recognises
    #[arg(value_name = "DATA", required_unless_present = "print_config")]
    dataset: Option<PathBuf>,

    /// Run folder to write
    #[arg(
        short,
        long,
        value_name = "RUN",
        required_unless_present = "print_config"
    )]
    output: Option<PathBuf>,

    /// Method [default: floral-kl]
    #[arg(long, value_parser = PossibleValuesParser::new(Method::ALL.map(Method::name)))]
    method: Option<String>,

    /// TOML file with settings; --print-config shows them all
    #[arg(long, value_name = "FILE", help_heading = "Settings")]
    config: Option<PathBuf>,

    /// Change one setting, as in --set optimiser.learning_rate=5e-4; may be repeated
    #[arg(long, value_name = "KEY=VALUE", help_heading = "Settings")]
    set: Vec<String>,

    /// Number of inputs to train on [default: all except those held out: the first 15 for testing and
    /// the next 15 for validation; with fewer than 60 inputs 15 % each, and validation for networks
    /// only]
    #[arg(long, value_name = "N", help_heading = "Settings")]
    train_inputs: Option<usize>,

    /// Train on every s-th grid point, with this number per axis, as in 16 or 16x32
    #[arg(long, value_name = "R", help_heading = "Settings")]
    train_resolution: Option<Resolution>,

    /// Time limit of floral-kl, as in 90s, 2m or 1h; with one, the result depends on the speed of the
    /// machine
    #[arg(long, value_name = "TIME", help_heading = "Settings")]
    budget: Option<Budget>,

    /// Random seed of weights, batches and priors [default: 0]
    #[arg(long, value_name = "S", help_heading = "Settings")]
    seed: Option<u64>,

    /// Maximum number of epochs of a network
    #[arg(long, value_name = "N", help_heading = "Settings")]
    epochs: Option<usize>,

    /// Fit prior.kernel and prior.length to the correlations of the training data, and record them in
    /// the run's settings
    #[arg(long, help_heading = "Settings")]
    fit_prior: bool,

    #[command(flatten)]
    low: low::Arguments,

    /// Continue the run in RUN from its last checkpoint, with its own settings
    #[arg(long)]
    resume: bool,

    #[command(flatten)]
    device: device::Arguments,

    /// Train even if the estimated memory is not available
    #[arg(long)]
    ignore_memory: bool,

    /// Print the resolved settings as TOML, each with its meaning, and stop
    #[arg(long, help_heading = "Settings")]
    print_config: bool,
}

impl Arguments {
    /// Whether settings other than the number of epochs are given. Only the epochs may change on
    /// --resume.
    fn changes_settings(&self) -> bool {
        self.method.is_some()
            || self.config.is_some()
            || !self.set.is_empty()
            || self.train_inputs.is_some()
            || self.train_resolution.is_some()
            || self.seed.is_some()
            || self.budget.is_some()
            || self.fit_prior
            || self.low.is_given()
    }

    fn opening(&self) -> Opening {
        Opening {
            resume: self.resume && self.epochs.is_none(),
            fit_prior: self.fit_prior,
            ignore_memory: self.ignore_memory,
        }
    }

    /// The settings; with --resume, those of the run.
    fn settings(&self, folder: &Path) -> Result<TrainConfig> {
        if !self.resume {
            return self.resolved();
        }
        let mut config = RunFolder::open(folder)?.config()?;
        if let Some(epochs) = self.epochs {
            ensure!(
                config.method.recipe().is_none(),
                "--epochs {epochs}: {} is fitted in closed form and has no epochs; leave out --epochs",
                config.method
            );
            config.stopping.epochs = epochs;
        }
        Ok(config)
    }

    /// The settings as TOML with their meanings, and with the split of the dataset if one is given.
    fn printed(&self) -> Result<String> {
        let mut config = self.resolved()?;
        if let Some(path) = &self.dataset {
            config = config.for_inputs(Dataset::open(path)?.inputs());
        }
        Ok(config.to_annotated_toml())
    }

    /// The settings from file and options.
    pub fn resolved(&self) -> Result<TrainConfig> {
        let mut table = constants::read(self.config.as_deref(), &self.set)?;
        let flags = [
            ("method", self.method.as_ref().map(|m| format!("{m:?}"))),
            ("split.train", self.train_inputs.map(|n| n.to_string())),
            ("resolution", self.train_resolution.as_ref().map(per_axis)),
            ("stopping.epochs", self.epochs.map(|n| n.to_string())),
            (
                "budget",
                self.budget.map(|b| b.duration().as_secs_f64().to_string()),
            ),
        ];
        for (key, value) in flags {
            if let Some(value) = value {
                constants::set(&mut table, &format!("{key}={value}"))?;
            }
        }
        if let Some(seed) = self.seed {
            let seed = i64::try_from(seed).map_err(|_| {
                anyhow!("--seed {seed}: at most {} can be written as TOML", i64::MAX)
            })?;
            constants::insert(&mut table, "seed", seed.into())?;
        }
        let named = self.dataset.as_ref().and_then(|path| low::named(path));
        if let Some(command) = self.low.command(&[named.as_deref()])? {
            let command = toml::Value::String(command);
            constants::insert(&mut table, "low.command", command)?;
        }
        if let Some(version) = &self.low.low_version {
            let version = toml::Value::String(version.clone());
            constants::insert(&mut table, "low.version", version)?;
        }
        if let Some(seconds) = self.low.low_timeout {
            constants::insert(&mut table, "low.timeout", seconds.into())?;
        }
        let context = constants::context(self.config.as_deref());
        Ok(TrainConfig::from_table(table, &context)?)
    }
}

/// A note about a split that differs from the paper's because there are too few inputs.
fn split_note(asked: &SplitConfig, config: &TrainConfig, inputs: usize) -> Result<Option<String>> {
    let is_ours = |asked: Option<usize>, chosen| asked.is_none() && chosen != Some(split::KEPT);
    let chosen = &config.split;
    if !is_ours(asked.test, chosen.test) && !is_ours(asked.validation, chosen.validation) {
        return Ok(None);
    }
    let Split {
        test,
        validation,
        train,
    } = config.split_of(inputs)?;
    let judges = match validation.len() {
        0 => " (cross-validation on the training inputs instead)",
        _ => "",
    };
    Ok(Some(format!(
        "of {inputs} inputs, {} are held out for testing and {} for validation{judges}, {} are used for \
         training; change this with --set split.test=N and --set split.validation=N",
        test.len(),
        validation.len(),
        train.len()
    )))
}

fn per_axis(resolution: &Resolution) -> String {
    match resolution {
        Resolution::Uniform(n) => format!("[{n}]"),
        Resolution::PerAxis(_) => resolution.to_toml(),
    }
}

/// Trains a run, or continues it.
pub fn run(arguments: &Arguments, ranks: &dyn Ranks) -> Result<Ending> {
    if arguments.print_config {
        output::print(&arguments.printed()?)?;
        return Ok(Ending::Done);
    }
    let (Some(path), Some(folder)) = (&arguments.dataset, &arguments.output) else {
        bail!("a dataset and -o RUN are needed");
    };
    if arguments.resume && arguments.changes_settings() {
        bail!(
            "--resume continues {} with its own settings, except for --epochs; start a new run to \
             change them",
            folder.display()
        );
    }
    let read = [Some(path), arguments.config.as_ref()];
    refuse_overwriting(folder, read.into_iter().flatten().map(PathBuf::as_path))?;
    let device = arguments.device.open()?;
    let dataset = data::open(path)?;
    let asked = arguments.settings(folder)?;
    let config = asked.clone().for_inputs(dataset.inputs());
    if let (Some(command), None) = (dataset.low_command(), &config.low.command) {
        output::note(&format!(
            "{} names `{command}` as its low-fidelity solver; run it with --low-command recorded",
            path.display()
        ));
    }
    let opening = arguments.opening();
    let training = Progress::during("low fidelity", |progress| {
        Training::open(ranks, &dataset, folder, &config, opening, progress).map_err(advised)
    })?;
    output::notes(&training.dataset().notes());
    if let Some(words) = split_note(&asked.split, &config, dataset.inputs())? {
        output::note(&words);
    }
    let rows = training.block_rows(&device);
    arguments.device.note_rows(&device, rows);
    if let Some(bytes) = training.bytes_on_disk() {
        output::note(&format!(
            "the samples ({}) do not fit in memory and are read from a file in {}",
            gigabytes(bytes),
            folder.display()
        ));
    }
    let outcome = Progress::during(config.method.name(), |progress| {
        training.run(&device, progress)
    })?;
    let words = match outcome {
        Outcome::AllEpochs => "trained for all epochs".into(),
        Outcome::Fitted => "fitted".into(),
        Outcome::NoImprovement { best_epoch } => {
            format!("stopped early, no improvement since epoch {best_epoch}")
        }
    };
    output::message(&format!("{}: {words}", folder.display()));
    Ok(Ending::Done)
}

/// Adds flags to the advice of an error.
fn advised(error: Error) -> anyhow::Error {
    match error {
        Error::Memory { .. } => {
            anyhow!("{error}; see --train-resolution, or try anyway with --ignore-memory")
        }
        Error::OtherSettings { .. } => {
            anyhow!("{error}; for the latter, use --resume without settings")
        }
        other => other.into(),
    }
}
