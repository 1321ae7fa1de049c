//! The command line: options of all commands, and the list of commands.

use std::ffi::OsString;

use clap::{Parser, Subcommand};

use crate::exit;
use crate::output::{self, Log};

/// Learn, from a few expensive stochastic simulations, the distribution of the residual between a
/// low-fidelity solution and the true one.
#[derive(Parser)]
#[command(name = "floral", version, max_term_width = 100, after_help = exit::HELP)]
pub struct Cli {
    /// The command.
    #[command(subcommand)]
    pub command: Command,

    /// Number of threads; results do not depend on it [default: all cores]
    #[arg(long, global = true, value_name = "T", help_heading = "Global options")]
    pub threads: Option<usize>,

    /// Print errors only: no progress, no notes
    #[arg(short, long, global = true, help_heading = "Global options")]
    pub quiet: bool,

    /// Format of standard error: text, or json for one JSON object per line
    #[arg(
        long,
        global = true,
        help_heading = "Global options",
        value_name = "FORMAT",
        value_enum,
        default_value_t,
        hide_possible_values = true
    )]
    pub log: Log,
}

/// The commands, in the order in which a user needs them.
#[derive(Subcommand)]
pub enum Command {
    /// Run a small example from data to report, in about a minute
    Quickstart(crate::quickstart::Arguments),
    /// Generate a dataset of a built-in stochastic problem
    Generate(crate::generate::Arguments),
    /// Convert NumPy, HDF5, NetCDF or Zarr files to a dataset
    Import(crate::import::Arguments),
    /// Summarize a dataset, and assess its low-fidelity solver
    Inspect(crate::inspect::Arguments),
    /// Train a method on a dataset
    Train(crate::train::Arguments),
    /// Predict new inputs: statistics and realizations of their solutions
    Sample(crate::sample::Arguments),
    /// Suggest which inputs to simulate next
    Suggest(crate::suggest::Arguments),
    /// Propagate uncertain inputs to quantities, and find the most influential parameters
    Sensitivity(crate::sensitivity::Arguments),
    /// Estimate the mean of a quantity from a few fresh runs, without the bias of predictions
    UnbiasedMean(crate::unbiased_mean::Arguments),
    /// Choose, run and learn from simulations until a quantity is known
    Learn(crate::learn::Arguments),
    /// Score a run's predictions against true solutions
    Evaluate(crate::evaluate::Arguments),
    /// Write a report on runs: an HTML page, or figures and tables for a paper
    Report(crate::report::Arguments),
    /// Export the trained model of a run as one file
    Export(crate::export::Arguments),
    /// Reproduce the paper's tables, with our values next to the paper's
    #[cfg(feature = "networks")]
    Reproduce(crate::reproduce::Arguments),
    /// Estimate the time and memory of a training on many ranks
    #[cfg(feature = "networks")]
    Plan(crate::plan::Arguments),
    /// Benchmark this build on this machine, in about a minute
    #[cfg(feature = "networks")]
    Bench(crate::bench::Arguments),
    /// Check this build against reference numbers
    #[cfg(feature = "networks")]
    Verify(crate::verify::Arguments),
    /// Import weights from the paper's PyTorch code
    #[cfg(feature = "networks")]
    ImportTorch(crate::import_torch::Arguments),
    /// Print a completion script for a shell
    Completion(crate::completion::Arguments),
    /// Print a manual page, or write all of them
    Man(crate::manual::Arguments),
}

impl Command {
    /// Whether the ranks divide the work of this command.
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

/// Prints the parser's answer if no command is run: help on standard output, or an error in the
/// command line on standard error, as JSON with `--log json`.
pub fn answered(answer: &clap::Error, words: &[OsString]) -> u8 {
    if answer.use_stderr() && wants_json(words) {
        output::set_up(Log::Json, false);
        let words = answer.render().to_string();
        output::error(words.trim().trim_start_matches("error: "), exit::ERROR);
    } else {
        // A closed pipe is not an error.
        let _ = answer.print();
    }
    u8::try_from(answer.exit_code()).unwrap_or(exit::ERROR)
}

/// Whether a command line that cannot be parsed contains `--log json`.
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
