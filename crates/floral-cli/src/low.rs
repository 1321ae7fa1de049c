//! Low fidelity on demand: options shared by several commands.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, bail};
use floral::dataset::Dataset;
use floral::low::{LowConfig, OnDemand};
use floral::predict::Predictor;

/// Stands for the command that a run or a dataset records. It cannot be a command itself: those
/// contain {input} and {output}.
const RECORDED: &str = "recorded";

/// How low fidelity is computed where it is not stored.
#[derive(clap::Args)]
pub struct Arguments {
    /// Compute missing low-fidelity solutions with this command, as in './solve {input} {output}'.
    /// Both are NumPy archives: the first holds input and coordinates, the second must contain the array
    /// low. `recorded` stands for the command that the run or the dataset names
    #[arg(long, value_name = "COMMAND", help_heading = "Low fidelity")]
    pub low_command: Option<String>,

    /// Time limit of that command, in seconds [default: 600]
    #[arg(
        long,
        value_name = "S",
        requires = "low_command",
        help_heading = "Low fidelity"
    )]
    pub low_timeout: Option<f64>,

    /// Version of the solver, as in 2.1. Its outputs are cached per command, version and contents of
    /// the files that the command names; change the version if anything else changes, such as a
    /// library [default: that of the run]
    #[arg(
        long,
        value_name = "TEXT",
        requires = "low_command",
        help_heading = "Low fidelity"
    )]
    pub low_version: Option<String>,
}

impl Arguments {
    /// Whether a command is given.
    pub fn is_given(&self) -> bool {
        self.low_command.is_some()
    }

    /// The given command, where `recorded` stands for the first recorded one.
    pub fn command(&self, recorded: &[Option<&str>]) -> Result<Option<String>> {
        match self.low_command.as_deref() {
            Some(RECORDED) => match recorded.iter().flatten().next() {
                Some(command) => Ok(Some((*command).to_owned())),
                None => {
                    bail!("--low-command {RECORDED}: neither the run nor the dataset names one")
                }
            },
            given => Ok(given.map(str::to_owned)),
        }
    }

    /// The low-fidelity solver for a run and the inputs of a file, if a command is given.
    pub fn solver(
        &self,
        predictor: &Predictor,
        run: &Path,
        input: &Path,
    ) -> Result<Option<Arc<OnDemand>>> {
        if !self.is_given() {
            return Ok(None);
        }
        let header = predictor.header();
        let named = named(input);
        let recorded = [header.config.low.command.as_deref(), named.as_deref()];
        let config = LowConfig {
            command: self.command(&recorded)?,
            version: self
                .low_version
                .clone()
                .or(header.config.low.version.clone()),
            timeout: self.low_timeout.unwrap_or(header.config.low.timeout),
            ..LowConfig::default()
        };
        let solver = config.on_demand(run, header.shapes.solution_channels)?;
        Ok(solver.map(Arc::new))
    }
}

/// The low-fidelity command in the attributes of a dataset, if there is one.
pub fn named(input: &Path) -> Option<String> {
    let dataset = Dataset::open(input).ok()?;
    dataset.low_command().map(str::to_owned)
}
