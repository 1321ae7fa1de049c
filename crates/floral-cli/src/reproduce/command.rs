//! `floral reproduce`: the paper's tables, with our values next to the paper's.

use std::ffi::OsString;
use std::fmt::Write;
use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::builder::PossibleValuesParser;
use floral::dataset::Dataset;
use floral::device::Device;
use floral::ranks::Ranks;
use floral::train::{Method, RunFolder};
use floral_report::report::{compare, page};

use super::experiment::Experiment;
use super::figures::{Figures, figures};
use super::plan::{Choice, ReproductionPlan, Target};
use super::publish;
use super::results::Store;
use super::tables::{PaperTable, Provenance};
use super::work::{Expected, State, States, estimated, work};
use crate::duration::readable as duration;
use crate::quickstart::Command;
use crate::step_log::StepLog;
use crate::workers::Workers;
use crate::{Ending, device, interrupt, output, provenance};

/// Arguments of `floral reproduce`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    floral reproduce table1                           # every cell, at a small scale\n  \
    floral reproduce table1 --scale recommended       # our methods on the paper's grids\n  \
    floral reproduce all --scale paper --plan         # how long the paper's protocol would take\n  \
    floral reproduce table1 --scale paper --only darcy --sizes 100 --methods floral,residual-fno\n  \
    floral reproduce table3 --only 1dcr,darcy -o /data/reproduce\n\n\
    Finished steps are never repeated: datasets, runs and evaluations are identified by their content, \
    the resolved settings and the data. Run the same command again to continue an interrupted one. Tables \
    are printed, and written as .json, .md and .html.")]
pub struct Arguments {
    /// What to reproduce; all stands for everything in the paper, ablation for the contribution of
    /// each part of the recommended method
    #[arg(required = true, value_name = "WHAT",
        value_parser = PossibleValuesParser::new(
            ["table1", "table2", "table3", "figures", "ablation", "all"]))]
    what: Vec<String>,

    /// Scale: quick runs every method on coarse grids, within half an hour on two cores; recommended
    /// runs our methods on the paper's grids with three seeds, within two hours; trained runs the paper's
    /// networks on 64x64 points, in a day; paper is the paper's protocol, with our methods as well
    #[arg(long, value_name = "SCALE", default_value = "quick")]
    scale: String,

    /// Only these experiments, as in darcy,1dcr
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    only: Vec<String>,

    /// Only these methods, as in floral,fno [default: those of the scale]
    #[arg(long, value_name = "METHODS", value_delimiter = ',',
        value_parser = PossibleValuesParser::new(Method::ALL.map(Method::name)))]
    methods: Vec<String>,

    /// Only cells with these numbers of training samples, as in 100,500
    #[arg(long, value_name = "SIZES", value_delimiter = ',')]
    sizes: Vec<usize>,

    /// Number of seeds of data and training, at a scale that has several
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    seeds: Option<u64>,

    /// Folder for all data, runs and tables
    #[arg(short, long, value_name = "FOLDER", default_value = "reproduce")]
    output: PathBuf,

    /// Number of parallel runs, which share the threads [default: the number of threads]
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,

    /// Folder of experiments to use instead of the paper's
    #[arg(long, value_name = "FOLDER")]
    experiments: Option<PathBuf>,

    /// Print the steps with their estimated times, and stop
    #[arg(long)]
    plan: bool,

    #[command(flatten)]
    device: device::Arguments,
}

impl Arguments {
    fn choice(&self) -> Result<Choice> {
        let all = self.what.iter().any(|what| what == "all");
        let targets: floral::Result<Vec<Target>> = if all {
            Ok(Target::PAPER.to_vec())
        } else {
            self.what.iter().map(|what| what.parse()).collect()
        };
        let methods: floral::Result<Vec<Method>> =
            self.methods.iter().map(|name| name.parse()).collect();
        Ok(Choice {
            targets: targets?,
            only: self.only.clone(),
            methods: methods?,
            sizes: self.sizes.clone(),
        })
    }

    fn planned(&self) -> Result<ReproductionPlan> {
        let mut experiments = match &self.experiments {
            Some(folder) => Experiment::read_all(folder, &self.scale)?,
            None => Experiment::embedded(&self.scale)?,
        };
        if let Some(seeds) = self.seeds {
            let several = experiments.iter_mut().filter(|e| e.data.seeds > 1);
            several.for_each(|experiment| experiment.data.seeds = seeds);
        }
        Ok(ReproductionPlan::new(
            experiments,
            &self.scale,
            &self.choice()?,
        )?)
    }

    /// A partial table has its own name, so that it does not replace the whole.
    fn file_name(&self, target: Target) -> String {
        let sizes = self.sizes.iter().map(usize::to_string);
        let seeds = self.seeds.map(|seeds| format!("seeds{seeds}"));
        let filters = self.only.iter().chain(&self.methods).cloned();
        let filters = filters.chain(sizes).chain(seeds);
        let parts = [target.name().to_owned(), self.scale.clone()];
        parts
            .into_iter()
            .chain(filters)
            .collect::<Vec<_>>()
            .join("-")
    }
}

/// Runs the missing steps and prints the tables, which record the command line `words`.
pub fn run(arguments: &Arguments, words: &[OsString], ranks: &dyn Ranks) -> Result<Ending> {
    let jobs = arguments.jobs.unwrap_or_else(rayon::current_num_threads);
    ensure!(jobs > 0, "--jobs 0: at least one run at a time is needed");
    let workers = Workers::sharing(jobs);
    let plan = arguments.planned()?;
    let store = Store::new(&arguments.output);
    let device = arguments.device.open()?;
    if ranks.is_first() {
        let steps = estimated(&plan, &store, &device, workers)?;
        let preview = preview(arguments, &steps, jobs * ranks.size())?;
        match arguments.plan {
            true => output::print(&preview)?,
            false => output::message(preview.trim_end()),
        }
    }
    if arguments.plan {
        return Ok(Ending::Done);
    }
    let log = StepLog::new(interrupt::flag()?);
    let states = work(&plan, &store, &device, workers, (ranks, &log))?;
    if !ranks.is_first() {
        return Ok(Ending::Done);
    }
    publish_all(
        arguments,
        &plan,
        &store,
        &states,
        &made_by(words, jobs * ranks.size()),
    )?;
    if plan.targets.contains(&Target::Figures) && !log.should_stop() {
        let all = figures(&plan, &store, &states);
        draw(arguments, &store, &all, &device, &log)?;
    }
    if log.should_stop() {
        Err(floral::Error::Interrupted)?;
    }
    Ok(if states.values().any(State::is_failed) {
        Ending::Negative
    } else {
        Ending::Done
    })
}

/// The command without the path of its program, and the machine on which it ran.
fn made_by(words: &[OsString], jobs: usize) -> Provenance {
    let typed = words.iter().skip(1).map(|word| word.to_string_lossy());
    let command = std::iter::once("floral".into()).chain(typed.map(Into::into));
    Provenance {
        command: Command(command.collect()).to_string(),
        floral: provenance::build(),
        method_version: floral::kl::METHOD_VERSION,
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        jobs,
    }
}

fn publish_all(
    arguments: &Arguments,
    plan: &ReproductionPlan,
    store: &Store,
    states: &States,
    provenance: &Provenance,
) -> Result<()> {
    for target in &plan.targets {
        if *target == Target::Figures {
            continue;
        }
        let table = PaperTable::new(*target, plan, store, states, provenance);
        let name = arguments.file_name(*target);
        let text = publish::text(&table);
        store.write(&format!("{name}.md"), &publish::markdown(&table))?;
        store.write(&format!("{name}.html"), &publish::html(&table))?;
        let path = store.write(&format!("{name}.json"), &publish::json(&table))?;
        output::print(&format!(
            "\n{text}Written to {}, .md and .html\n",
            path.display()
        ))?;
    }
    Ok(())
}

/// Draws a page for each amount of training data of each system, and one for all, from the finished
/// runs.
fn draw(
    arguments: &Arguments,
    store: &Store,
    all: &[Figures],
    device: &Device,
    log: &StepLog,
) -> Result<()> {
    for figures in all {
        let Figures {
            name,
            missing,
            runs,
            ..
        } = figures;
        if runs.is_empty() {
            output::print(&format!("\nFigures of {name}: no run is finished.\n"))?;
            continue;
        }
        let runs = runs.iter().map(|path| RunFolder::open(path));
        let runs = runs.collect::<floral::Result<Vec<_>>>()?;
        let dataset = Dataset::open(&figures.data)?;
        let progress = log.watch(name);
        let comparison = compare(&runs, &dataset, &figures.options, device, &progress);
        progress.finish();
        let file = format!("figures-{}-{name}.html", arguments.scale);
        let path = store.write(&file, &page(&comparison?)?.to_html())?;
        let missing = match missing {
            0 => String::new(),
            count => format!(", {count} more are missing"),
        };
        output::print(&format!(
            "\nFigures of {name}: {} runs{missing}, in {}\n",
            runs.len(),
            path.display()
        ))?;
    }
    Ok(())
}

/// The steps with their estimated time.
fn preview(arguments: &Arguments, steps: &[Expected], jobs: usize) -> Result<String> {
    let (what, scale) = (arguments.what.join(", "), &arguments.scale);
    let mut text = format!("Plan of {what} at scale {scale}:\n");
    let width = steps.iter().map(|step| step.title.len()).max().unwrap_or(0);
    for step in steps {
        let time = match (step.done, step.evaluation) {
            (true, _) => "done".into(),
            (false, None) => duration(step.work),
            (false, Some(evaluation)) => format!(
                "train {:>6}, evaluate {:>6}",
                duration(step.work),
                duration(evaluation)
            ),
        };
        writeln!(text, "  {:width$}  {time}", step.title)?;
    }
    let seconds: f64 = steps
        .iter()
        .map(|s| s.work + s.evaluation.unwrap_or(0.0))
        .sum();
    let bytes: f64 = steps.iter().map(|step| step.bytes).sum();
    let left = steps.iter().filter(|step| !step.done).count();
    match left {
        0 => writeln!(text, "All {} steps are done.", steps.len())?,
        _ => writeln!(
            text,
            "{left} of {} steps are left: about {} with {jobs} in parallel if nothing else runs, at most {:.1} GB in {}.",
            steps.len(),
            duration(seconds / jobs as f64),
            bytes / 1e9,
            arguments.output.display()
        )?,
    }
    Ok(text)
}
