//! `floral quickstart`: 1DCR from data to report, at a size that two cores train in a minute.
//!
//! Generates, trains and reports like the commands of these names, and prints each step as the
//! equivalent command. Steps finished by an earlier call are skipped. The report is that of
//! `floral report` with an [`introduction`].

mod command;
mod introduction;
mod sizes;
mod training;

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Result;
use floral::counted;
use floral::dataset::{self, Dataset, generate, write_atomically};
use floral::device::{self, Device};
use floral::storage::create_folder;
use floral::train::Method;
use floral_report::draw::Table;
use floral_report::report::{compare, scores};

use crate::step_log::StepLog;
use crate::{Ending, interrupt, output};
#[cfg(feature = "networks")]
pub use command::Command;
use sizes::QuickstartSizes;

/// Arguments of `floral quickstart`.
#[derive(clap::Args)]
#[command(
    after_help = "Generates a small dataset, trains four methods on it, evaluates them and \
    writes a report to open in a browser; about a minute on two cores. Each step is printed as \
    the command that does it. Run it again to continue an interrupted one."
)]
pub struct Arguments {
    /// Folder to write
    #[arg(short, long, value_name = "FOLDER", default_value = "quickstart")]
    output: PathBuf,

    /// Random seed
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,

    /// Use tiny sizes that learn nothing, to check in seconds that all steps work
    #[arg(long)]
    fast: bool,
}

/// Runs all steps and prints where the report is.
pub fn run(arguments: &Arguments) -> Result<Ending> {
    let sizes = if arguments.fast {
        QuickstartSizes::tiny(arguments.seed)
    } else {
        QuickstartSizes::small(arguments.seed)
    };
    let start = Instant::now();
    let log = StepLog::new(interrupt::flag()?);
    let device = device::named("cpu")?;
    let outcome = quickstart(&arguments.output, &sizes, &device, &log)?;
    let seconds = start.elapsed().as_secs_f64();
    output::print(&format!(
        "\n{}\n* best of its column; the true moments are exact. Done in {seconds:.0} s.\n\
         The report: {}\n",
        outcome
            .tables
            .iter()
            .map(Table::to_text)
            .collect::<String>(),
        outcome.report.display()
    ))?;
    Ok(Ending::Done)
}

/// The folder of a quickstart, and the paths of its files.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Folder(PathBuf);

impl Folder {
    fn data(&self) -> PathBuf {
        self.0.join("1dcr.zarr")
    }

    /// The settings that networks share.
    fn settings(&self) -> PathBuf {
        self.0.join("train.toml")
    }

    fn run(&self, method: Method) -> PathBuf {
        self.0.join(method.name())
    }

    fn report(&self) -> PathBuf {
        self.0.join("report.html")
    }
}

/// The result of a quickstart.
#[derive(Debug, Clone, PartialEq)]
struct Outcome {
    report: PathBuf,
    /// Scores of the methods (rows) by metrics (columns), one table per channel of the solution.
    tables: Vec<Table>,
}

/// Generates, trains, compares and reports.
fn quickstart(
    path: &Path,
    sizes: &QuickstartSizes,
    device: &Device,
    log: &StepLog,
) -> floral::Result<Outcome> {
    let folder = Folder(path.to_owned());
    create_folder(path)?;
    let dataset = data(&folder, sizes, log)?;
    let runs = training::runs(&folder, sizes)?;
    write_atomically(&folder.settings(), sizes.settings().as_bytes())?;
    training::train_all(&runs, sizes, &dataset, device, log)?;
    log.line(&format!("$ {}", command::report(&folder, sizes)));
    let start = Instant::now();
    let progress = log.watch("report");
    let comparison = compare(&runs, &dataset, &sizes.report(), device, &progress)?;
    progress.finish();
    let page = introduction::introduced(&folder, sizes, &comparison)?;
    write_atomically(&folder.report(), page.to_html().as_bytes())?;
    let seconds = start.elapsed().as_secs_f64();
    // The printed command writes its report under another name and so does not replace this one.
    log.line(&format!(
        "  {} is written: this report with an introduction ({seconds:.1} s)",
        folder.report().display()
    ));
    Ok(Outcome {
        report: folder.report(),
        tables: scores(&comparison),
    })
}

fn data(folder: &Folder, sizes: &QuickstartSizes, log: &StepLog) -> floral::Result<Dataset> {
    log.line(&format!("$ {}", command::generate(folder, sizes)));
    let start = Instant::now();
    let progress = log.watch("1dcr");
    let (problem, request) = (sizes.problem()?, sizes.request());
    let outcome = generate(&problem, &request, &folder.data(), &progress)?;
    progress.finish();
    let what = match outcome {
        dataset::Outcome::AlreadyComplete { .. } => "the dataset is already complete".into(),
        dataset::Outcome::Generated { computed, .. } => {
            format!("{} generated", counted(computed, "input"))
        }
    };
    let seconds = start.elapsed().as_secs_f64();
    log.line(&format!("  {what} ({seconds:.1} s)"));
    Dataset::open(folder.data())
}

#[cfg(test)]
mod tests;
