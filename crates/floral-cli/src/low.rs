//! Low fidelity on demand, as several commands take it.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, bail};
use floral::dataset::Dataset;
use floral::low::{LowConfig, OnDemand};
use floral::predict::Predictor;

/// The word that asks for the command that a run or a dataset names. No command is called so: each
/// has the words {input} and {output} in it.
const RECORDED: &str = "recorded";

/// How low fidelity is computed where it is not stored.
#[derive(clap::Args)]
pub struct Arguments {
    /// Compute low fidelity of inputs that lack it, as in './solve {input} {output}': two NumPy
    /// archives, the first with input and coordinates, the second to be written with the array low.
    /// `recorded` runs the command that the run or the dataset names
    #[arg(long, value_name = "COMMAND")]
    pub low_command: Option<String>,

    /// Seconds after which such a command is ended [default: 600]
    #[arg(long, value_name = "S", requires = "low_command")]
    pub low_timeout: Option<f64>,

    /// A name for the version of the solver, as in 2.1. Results are kept and taken again for the same
    /// command, version and contents of the files that the command names; a change elsewhere, as in a
    /// library, needs another name [default: that of the run]
    #[arg(long, value_name = "TEXT", requires = "low_command")]
    pub low_version: Option<String>,
}

impl Arguments {
    /// Whether anything was asked.
    pub fn is_given(&self) -> bool {
        self.low_command.is_some()
    }

    /// The command, given or found among those that were recorded.
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

    /// What computes low fidelity for a run and the inputs of a file.
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

/// The command that the attribute of a dataset names, if it is one.
pub fn named(input: &Path) -> Option<String> {
    let dataset = Dataset::open(input).ok()?;
    dataset.low_command().map(str::to_owned)
}

/// What to do about inputs without low fidelity, for a run that corrects it.
pub fn absence(predictor: &Predictor, input: &Path) -> String {
    let recorded = predictor.header().config.low.command.clone();
    let known = match recorded.or_else(|| named(input)) {
        Some(command) => {
            format!("; --low-command {RECORDED} runs the one that is named, `{command}`")
        }
        None => String::new(),
    };
    format!(
        "{} has no low-fidelity solutions, and the run corrects them; store them as the array low \
         beside input, or give the command that computes them with --low-command{known}",
        input.display()
    )
}
