//! What a user can type.

use std::ffi::OsString;

use clap::{Parser, Subcommand};

use crate::exit;
use crate::output::{self, Log};

/// Learns, from a handful of expensive stochastic runs, the distribution of the gap between a
/// low-fidelity solution and the true one.
#[derive(Parser)]
#[command(name = "floral", version, max_term_width = 100, after_help = exit::HELP)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,

    /// Number of threads; all cores if absent. Results do not depend on it.
    #[arg(long, global = true, value_name = "T")]
    pub threads: Option<usize>,

    /// No progress and no notes on standard error, errors only
    #[arg(short, long, global = true)]
    pub quiet: bool,

    /// How progress, notes and errors are written to standard error: text, or json, an object a line
    #[arg(
        long,
        global = true,
        value_name = "FORMAT",
        value_enum,
        default_value_t,
        hide_possible_values = true
    )]
    pub log: Log,
}

/// The commands, in the order in which a user meets them.
#[derive(Subcommand)]
pub enum Command {
    /// See it all once: a small problem from nothing to a report, in about a minute
    Quickstart(crate::quickstart::Arguments),
    /// Generate a dataset of one of the built-in stochastic problems
    Generate(crate::generate::Arguments),
    /// Turn files of other programs into a dataset: NumPy, HDF5, NetCDF, Zarr
    Import(crate::import::Arguments),
    /// Describe a dataset, and say whether its low-fidelity solver is worth it
    Inspect(crate::inspect::Arguments),
    /// Train a method on a dataset
    Train(crate::train::Arguments),
    /// Predict new inputs: statistics and realizations of their solutions
    Sample(crate::sample::Arguments),
    /// Say which inputs to simulate next
    Suggest(crate::suggest::Arguments),
    /// Compare a run's predictions with the truth
    Evaluate(crate::evaluate::Arguments),
    /// Show runs beside the truth: a page to explore, or figures and tables for a paper
    Report(crate::report::Arguments),
    /// Write what a run has learned as one file, to keep or to send
    Export(crate::export::Arguments),
    /// Reproduce the paper's tables: our values beside the paper's
    #[cfg(feature = "networks")]
    Reproduce(crate::reproduce::Arguments),
    /// Say what a training would take on many ranks, before it is begun
    #[cfg(feature = "networks")]
    Plan(crate::plan::Arguments),
    /// Measure how fast this build runs on this machine, in a minute
    #[cfg(feature = "networks")]
    Bench(crate::bench::Arguments),
    /// Compare this build with reference numbers
    #[cfg(feature = "networks")]
    Verify(crate::verify::Arguments),
    /// Make a run of a network's state of the paper's reference implementation
    #[cfg(feature = "networks")]
    ImportTorch(crate::import_torch::Arguments),
    /// Print a script by which a shell completes commands and flags
    Completion(crate::completion::Arguments),
    /// Print a page of the manual, or write all of them
    Man(crate::manual::Arguments),
}

impl Command {
    /// Whether several ranks share its work.
    pub fn is_divided(&self) -> bool {
        match self {
            #[cfg(feature = "networks")]
            Self::Bench(arguments) => arguments.collective,
            #[cfg(feature = "networks")]
            Self::Reproduce(_) => true,
            Self::Generate(_) | Self::Train(_) | Self::Sample(_) | Self::Evaluate(_) => true,
            _ => false,
        }
    }
}

/// What the parser answers where no command is to be run: help on standard output, or what is wrong
/// with the words, as JSON where that was asked for.
pub fn answered(answer: &clap::Error, words: &[OsString]) -> u8 {
    if answer.use_stderr() && wants_json(words) {
        output::set_up(Log::Json, false);
        let words = answer.render().to_string();
        output::error(words.trim().trim_start_matches("error: "), exit::ERROR);
    } else {
        // A closed pipe is no error.
        let _ = answer.print();
    }
    u8::try_from(answer.exit_code()).unwrap_or(exit::ERROR)
}

/// Whether `--log json` is among words that do not make a command.
fn wants_json(words: &[OsString]) -> bool {
    let mut pairs = words.windows(2);
    words.iter().any(|word| word == "--log=json")
        || pairs.any(|pair| pair[0] == "--log" && pair[1] == "json")
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_commands_are_well_formed_and_errors_have_our_code() {
        Cli::command().debug_assert();
        let Err(answer) = Cli::try_parse_from(["floral", "sow"]) else {
            panic!("there is no such command")
        };
        assert_eq!(answer.exit_code(), i32::from(exit::ERROR));
        assert!(answer.use_stderr());
    }

    #[test]
    fn json_is_wanted_in_either_spelling() {
        let wants = |words: &str| {
            let words: Vec<OsString> = words.split(' ').map(OsString::from).collect();
            wants_json(&words)
        };
        assert!(wants("floral sow --log json") && wants("floral --log=json sow"));
        assert!(!wants("floral sow --log text json"));
    }
}
