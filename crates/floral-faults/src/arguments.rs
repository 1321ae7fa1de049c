//! The command line of the campaign.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, Subcommand};

/// Injects faults drawn from a seed and reports what they found
#[derive(Parser)]
#[command(name = "floral-faults")]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub part: Part,
}

/// The parts of the campaign, and the processes that they start.
#[derive(Subcommand)]
pub enum Part {
    /// Damaged files of every format that is read
    Bytes(Effort),
    /// Commands that are killed and run again
    Kills(Effort),
    /// File operations that fail, one after the other
    Storage(Effort),
    /// Power failures: only what was synced survives
    Power(Effort),
    /// Several processes that write one output
    Together(Effort),
    /// Random settings on several numbers of threads
    Same(Effort),
    /// Mixed work in one process, whose memory and files are watched
    Long(Effort),
    /// Prints one case of a damaged file and how it is read
    Case {
        format: String,
        seed: u64,
        case: u64,
    },
    /// The mixed work of `long`
    #[command(hide = true)]
    Rounds {
        #[arg(long)]
        seconds: u64,
        #[arg(long)]
        record: PathBuf,
    },
    /// Cases of `bytes` in a process of their own
    #[command(hide = true)]
    Worker {
        format: String,
        #[arg(long)]
        seed: u64,
        #[arg(long)]
        from: u64,
        #[arg(long)]
        to: u64,
        #[arg(long)]
        specimens: PathBuf,
        #[arg(long)]
        folder: PathBuf,
    },
    /// A command of `storage` or `power` in a process of its own
    #[command(hide = true)]
    Step { request: String },
}

/// How much a part does.
#[derive(clap::Args)]
pub struct Effort {
    /// The seed of all cases
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Minutes in total
    #[arg(long, default_value_t = 5.0)]
    pub minutes: f64,
    /// Cases per format, rounds per command or settings, at most
    #[arg(long, alias = "rounds", default_value_t = u64::MAX)]
    pub cases: u64,
    /// storage, power: inject at every n-th operation
    #[arg(long, default_value_t = 1)]
    pub every: usize,
    /// storage: pairs of faults per command
    #[arg(long, default_value_t = 0)]
    pub pairs: u64,
    /// power: disks per failure
    #[arg(long, default_value_t = 4)]
    pub disks: u64,
    /// bytes: one format only; storage, power: one command only
    #[arg(long, aliases = ["format", "task"], value_name = "NAME")]
    pub only: Option<String>,
    /// The report to add to
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
}

impl Effort {
    /// The time of one of `shares` equal shares.
    pub fn time(&self, shares: usize) -> Duration {
        Duration::from_secs_f64((self.minutes * 60.0 / shares as f64).clamp(0.0, 1e6))
    }
}
