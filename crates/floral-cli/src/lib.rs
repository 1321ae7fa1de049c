//! The `floral` command: parses what was typed and runs it.
//!
//! The program of that name calls [`run`] and nothing else, and so does the Python package, whose wheel
//! brings the same command.

mod args;
mod bench;
mod completion;
mod constants;
mod data;
mod duration;
mod evaluate;
mod exit;
mod export;
mod generate;
mod import;
mod import_torch;
mod inputs;
mod inspect;
mod integrator;
mod interrupt;
mod low;
mod manual;
mod narrator;
mod output;
mod progress;
mod provenance;
mod quickstart;
mod report;
mod reproduce;
mod sample;
mod suggest;
mod train;
mod verify;
mod waiting;
mod workers;

use std::ffi::OsString;

use clap::Parser;

use crate::args::{Cli, Command};
pub use crate::evaluate::text as evaluation_text;
use crate::exit::Ending;
pub use crate::inspect::text as inspection_text;
pub use crate::reproduce::check_experiment;
pub use crate::suggest::text as suggestions_text;

/// Runs what was typed, the program's name first, and returns the exit code; once in a process, which
/// it gives its threads.
pub fn run(words: Vec<OsString>) -> u8 {
    parsed(&words, |cli| {
        set_up(cli)?;
        dispatch(cli, &words)
    })
}

/// Runs what was typed in a process that has its threads and may go on with further commands;
/// `--threads` is of no effect.
pub fn run_within(words: Vec<OsString>) -> u8 {
    parsed(&words, |cli| dispatch(cli, &words))
}

fn parsed(words: &[OsString], run: impl FnOnce(&Cli) -> anyhow::Result<Ending>) -> u8 {
    match Cli::try_parse_from(words) {
        Ok(cli) => {
            output::set_up(cli.log, cli.quiet);
            exit::code(run(&cli))
        }
        Err(answer) => args::answered(&answer, words),
    }
}

fn set_up(cli: &Cli) -> anyhow::Result<()> {
    let threads = floral::set_up(cli.threads)?;
    let wanted = cli.threads.or_else(floral::asked_outside);
    if wanted.is_some_and(|wanted| wanted > threads) {
        output::note(&format!(
            "{threads} threads are used: more would only wait for each other"
        ));
    }
    Ok(())
}

fn dispatch(cli: &Cli, words: &[OsString]) -> anyhow::Result<Ending> {
    match &cli.command {
        Command::Quickstart(arguments) => quickstart::run(arguments),
        Command::Generate(arguments) => generate::run(arguments),
        Command::Import(arguments) => import::run(arguments),
        Command::Inspect(arguments) => inspect::run(arguments),
        Command::Train(arguments) => train::run(arguments),
        Command::Sample(arguments) => sample::run(arguments),
        Command::Suggest(arguments) => suggest::run(arguments),
        Command::Evaluate(arguments) => evaluate::run(arguments),
        Command::Report(arguments) => report::run(arguments),
        Command::Export(arguments) => export::run(arguments),
        Command::Reproduce(arguments) => reproduce::run(arguments, words),
        Command::Bench(arguments) => bench::run(arguments),
        Command::Verify(arguments) => verify::run(arguments),
        Command::ImportTorch(arguments) => import_torch::run(arguments),
        Command::Completion(arguments) => completion::run(arguments),
        Command::Man(arguments) => manual::run(arguments),
    }
}
