//! The `floral` command: parses what was typed, runs it, and chooses the exit code.

mod args;
mod bench;
mod constants;
mod evaluate;
mod generate;
mod inputs;
mod inspect;
mod integrator;
mod interrupt;
mod low;
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
mod workers;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Cli, Command};

#[global_allocator]
static MEMORY: floral::memory::Allocator = floral::memory::Allocator::new();

/// How a command ended, apart from errors.
enum Ending {
    /// It did what was asked.
    Done,
    /// It ran, and its answer is no: a comparison failed, data are not finite.
    Negative,
}

fn main() -> ExitCode {
    MEMORY.keep(floral::cost::spare_memory());
    match run(&Cli::parse()) {
        Ok(Ending::Done) => ExitCode::SUCCESS,
        Ok(Ending::Negative) => ExitCode::from(1),
        Err(error) => {
            let known: Option<&floral::Error> = error.downcast_ref();
            match known {
                Some(interrupted @ floral::Error::Interrupted) => {
                    let advice = "run the same command again to continue";
                    output::tell(&format!("{interrupted}; {advice}"));
                    // 128 + SIGINT, what a shell expects of an interrupted command.
                    return ExitCode::from(130);
                }
                // The library's errors tell their cause themselves.
                Some(error) => tell_error(&error.to_string()),
                None => tell_error(&format!("{error:#}")),
            }
            ExitCode::from(2)
        }
    }
}

/// The library names no flags; a way out that is one here is told by it.
fn tell_error(words: &str) {
    let words = words.replace("by force", "with --force");
    output::tell(&format!("error: {words}"));
}

fn run(cli: &Cli) -> anyhow::Result<Ending> {
    let threads = floral::set_up(cli.threads)?;
    if cli.threads.is_some_and(|wanted| wanted > threads) {
        output::tell(&format!("note: {threads} threads are used, not more"));
    }
    match &cli.command {
        Command::Quickstart(arguments) => quickstart::run(arguments),
        Command::Generate(arguments) => generate::run(arguments),
        Command::Inspect(arguments) => inspect::run(arguments),
        Command::Train(arguments) => train::run(arguments),
        Command::Sample(arguments) => sample::run(arguments),
        Command::Suggest(arguments) => suggest::run(arguments),
        Command::Evaluate(arguments) => evaluate::run(arguments),
        Command::Report(arguments) => report::run(arguments),
        Command::Reproduce(arguments) => reproduce::run(arguments),
        Command::Bench(arguments) => bench::run(arguments),
        Command::Verify(arguments) => verify::run(arguments),
    }
}
