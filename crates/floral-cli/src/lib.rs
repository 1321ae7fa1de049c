//! The `floral` command: parses what was typed, runs it, and chooses the exit code.
//!
//! The program of that name calls [`run`] and nothing else, and so does the Python package, whose wheel
//! brings the same command.

mod args;
mod bench;
mod constants;
mod data;
mod evaluate;
mod export;
mod generate;
mod import;
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

use std::ffi::OsString;

use clap::Parser;

use crate::args::{Cli, Command};
pub use crate::evaluate::text as evaluation_text;
pub use crate::inspect::text as inspection_text;
pub use crate::suggest::text as suggestions_text;

/// How a command ended, apart from errors.
enum Ending {
    /// It did what was asked.
    Done,
    /// It ran, and its answer is no: a comparison failed, data are not finite.
    Negative,
}

/// Runs what was typed, the program's name first, and returns the exit code.
pub fn run(words: Vec<OsString>) -> u8 {
    let cli = match Cli::try_parse_from(&words) {
        Ok(cli) => cli,
        Err(told) => {
            // Help and version are told this way too, on standard output; a closed pipe hears nothing.
            let _ = told.print();
            return u8::try_from(told.exit_code()).unwrap_or(2);
        }
    };
    match dispatch(&cli, &words) {
        Ok(Ending::Done) => 0,
        Ok(Ending::Negative) => 1,
        Err(error) => {
            let known: Option<&floral::Error> = error.downcast_ref();
            match known {
                Some(interrupted @ floral::Error::Interrupted) => {
                    let advice = "run the same command again to continue";
                    output::tell(&format!("{interrupted}; {advice}"));
                    // 128 + SIGINT, what a shell expects of an interrupted command.
                    return 130;
                }
                // The library's errors tell their cause themselves.
                Some(error) => tell_error(&error.to_string()),
                None => tell_error(&format!("{error:#}")),
            }
            2
        }
    }
}

/// The library names no flags; a way out that is one here is told by it.
fn tell_error(words: &str) {
    let words = words.replace("by force", "with --force");
    output::tell(&format!("error: {words}"));
}

fn dispatch(cli: &Cli, words: &[OsString]) -> anyhow::Result<Ending> {
    let threads = floral::set_up(cli.threads)?;
    if cli.threads.is_some_and(|wanted| wanted > threads) {
        output::tell(&format!("note: {threads} threads are used, not more"));
    }
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
    }
}
