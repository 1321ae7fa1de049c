//! What a user can type.

use clap::{Parser, Subcommand};

/// Learns, from a handful of expensive stochastic runs, the distribution of the gap between a
/// low-fidelity solution and the true one.
#[derive(Parser)]
#[command(name = "floral", version, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,

    /// Number of threads; all cores if absent. Results do not depend on it.
    #[arg(long, global = true, value_name = "T")]
    pub threads: Option<usize>,
}

/// The commands, in the order in which a user meets them.
#[derive(Subcommand)]
pub enum Command {
    /// See it all once: a small problem from nothing to a report, in about two minutes
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
    Reproduce(crate::reproduce::Arguments),
    /// Measure how fast this build runs on this machine, in a minute
    Bench(crate::bench::Arguments),
    /// Compare this build with reference numbers
    Verify(crate::verify::Arguments),
}
