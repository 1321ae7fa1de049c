//! The `floral` command: parses a command line and runs it.
//!
//! The program `floral` only calls [`run`]; so does the command that the Python wheel installs.

mod advice;
mod args;
#[cfg(feature = "networks")]
mod bench;
#[cfg(feature = "networks")]
mod collective;
mod completion;
mod constants;
mod data;
mod device;
mod duration;
mod evaluate;
mod evaluate_interest;
mod exit;
mod export;
mod generate;
mod import;
#[cfg(feature = "networks")]
mod import_torch;
mod inputs;
mod inspect;
mod integrator;
mod interest;
mod interrupt;
mod launch;
mod learn;
mod live;
mod low;
mod manual;
mod observe;
mod output;
#[cfg(feature = "networks")]
mod plan;
mod progress;
mod provenance;
mod quickstart;
mod report;
#[cfg(feature = "networks")]
mod reproduce;
mod sample;
mod sensitivity;
mod session;
mod step_log;
mod suggest;
mod train;
mod unbiased_mean;
#[cfg(feature = "networks")]
mod verify;
mod waiting;
mod workers;

use std::ffi::OsString;

use clap::{CommandFactory, Parser};
use floral::ranks::{Alone, Ranks};

use crate::args::{Cli, Command};
pub use crate::evaluate::text as evaluation_text;
use crate::exit::Ending;
pub use crate::import::{mesh_text as mesh_import_text, text as import_text};
pub use crate::inspect::text as inspection_text;
use crate::launch::Launch;
pub use crate::observe::contradiction;
#[cfg(feature = "networks")]
pub use crate::reproduce::check_experiment;
pub use crate::sensitivity::text as sensitivity_text;
pub use crate::suggest::{sensors_text, text as suggestions_text};
pub use crate::unbiased_mean::text as unbiased_text;

/// Runs a command line, whose first word is the program's name, and returns the exit code. It sets
/// up the threads of the process, so it can be called only once.
pub fn run(words: Vec<OsString>) -> u8 {
    let launch = match Launch::new() {
        Ok(launch) => launch,
        Err(error) => return exit::code(Err(error.into())),
    };
    if !launch.ranks().is_first() {
        output::be_silent();
    }
    match parsed(&words) {
        Ok(cli) => {
            let outcome = set_up(&cli, &launch);
            launch.end(outcome.and_then(|()| dispatch(&cli, &words, launch.ranks())))
        }
        Err(answer) => match launch.ranks().is_first() {
            true => launch.end_with(args::answered(&answer, &words)),
            false => launch.end_with(0),
        },
    }
}

/// Runs a command line in a process whose threads are already set up. It can be called repeatedly;
/// `--threads` has no effect.
pub fn run_within(words: Vec<OsString>) -> u8 {
    match parsed(&words) {
        Ok(cli) => exit::code(dispatch(&cli, &words, &Alone::default())),
        Err(answer) => args::answered(&answer, &words),
    }
}

fn parsed(words: &[OsString]) -> Result<Cli, clap::Error> {
    let cli = Cli::try_parse_from(words)?;
    output::set_up(cli.log, cli.quiet);
    Ok(cli)
}

fn set_up(cli: &Cli, launch: &Launch) -> anyhow::Result<()> {
    let wanted = cli.threads.or_else(floral::asked_outside);
    let threads = floral::set_up(match wanted {
        Some(threads) => Some(threads),
        None => launch.threads()?,
    })?;
    if wanted.is_some_and(|wanted| wanted > threads) {
        output::note(&format!(
            "using {threads} threads: more would only wait for each other"
        ));
    }
    Ok(())
}

fn dispatch(cli: &Cli, words: &[OsString], ranks: &dyn Ranks) -> anyhow::Result<Ending> {
    // Commands whose work is not divided run on rank 0 alone; the other ranks wait for it.
    if !ranks.is_first() && !cli.command.is_divided() {
        return Ok(Ending::Done);
    }
    #[cfg(not(feature = "networks"))]
    let _ = words;
    match &cli.command {
        Command::Quickstart(arguments) => quickstart::run(arguments),
        Command::Generate(arguments) => generate::run(arguments, ranks),
        Command::Import(arguments) => import::run(arguments),
        Command::Inspect(arguments) => inspect::run(arguments),
        Command::Train(arguments) => train::run(arguments, ranks),
        Command::Sample(arguments) => sample::run(arguments, ranks),
        Command::Suggest(arguments) => suggest::run(arguments),
        Command::Sensitivity(arguments) => sensitivity::run(arguments),
        Command::UnbiasedMean(arguments) => unbiased_mean::run(arguments),
        Command::Learn(arguments) => learn::run(arguments),
        Command::Evaluate(arguments) => evaluate::run(arguments, ranks),
        Command::Report(arguments) => report::run(arguments),
        Command::Export(arguments) => export::run(arguments),
        #[cfg(feature = "networks")]
        Command::Reproduce(arguments) => reproduce::run(arguments, words, ranks),
        #[cfg(feature = "networks")]
        Command::Plan(arguments) => plan::run(arguments),
        #[cfg(feature = "networks")]
        Command::Bench(arguments) => bench::run(arguments, ranks),
        #[cfg(feature = "networks")]
        Command::Verify(arguments) => verify::run(arguments),
        #[cfg(feature = "networks")]
        Command::ImportTorch(arguments) => import_torch::run(arguments),
        Command::Completion(arguments) => completion::run(arguments, Cli::command()),
        Command::Man(arguments) => manual::run(arguments, Cli::command()),
    }
}
