//! The words of the command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, Subcommand};

/// Injects faults from a seed and says what they found
#[derive(Parser)]
#[command(name = "floral-faults")]
pub struct Arguments {
    #[command(subcommand)]
    /// What is done.
    pub part: Part,
}

/// The parts of a campaign, and what they start in processes of their own.
#[derive(Subcommand)]
pub enum Part {
    /// Damaged files of every format that is read
    Bytes {
        #[command(flatten)]
        budget: Budget,
        /// Cases of each format at most
        #[arg(long, default_value_t = u64::MAX)]
        cases: u64,
        /// One format alone
        #[arg(long)]
        format: Option<String>,
    },
    /// One case of damaged files, to be looked at
    Case {
        format: String,
        seed: u64,
        case: u64,
    },
    /// Commands that are killed and go on
    Kills {
        #[command(flatten)]
        budget: Budget,
        /// Rounds of each command at most
        #[arg(long, default_value_t = u64::MAX)]
        rounds: u64,
    },
    /// File operations that fail, one after the other
    Storage {
        #[command(flatten)]
        budget: Budget,
        /// Every how many operations one fails
        #[arg(long, default_value_t = 1)]
        every: u32,
        /// Pairs of faults of each command
        #[arg(long, default_value_t = 0)]
        pairs: u64,
        /// One command alone
        #[arg(long)]
        task: Option<String>,
    },
    /// Power that fails: only what was synced survives
    Power {
        #[command(flatten)]
        budget: Budget,
        /// Disks that a failure leaves, of each moment
        #[arg(long, default_value_t = 4)]
        disks: u64,
        /// Every how many steps the power fails
        #[arg(long, default_value_t = 1)]
        every: usize,
        /// One command alone
        #[arg(long)]
        task: Option<String>,
    },
    /// Several processes with one output
    Together {
        #[command(flatten)]
        budget: Budget,
        /// Rounds of each command at most
        #[arg(long, default_value_t = u64::MAX)]
        rounds: u64,
    },
    /// Settings drawn at random, on any number of threads
    Same {
        #[command(flatten)]
        budget: Budget,
        /// Settings at most
        #[arg(long, default_value_t = u64::MAX)]
        cases: u64,
    },
    /// Mixed work in one process, whose memory and files are watched
    Long {
        #[command(flatten)]
        budget: Budget,
    },
    /// That work
    #[command(hide = true)]
    Rounds {
        #[arg(long)]
        seconds: u64,
        #[arg(long)]
        record: PathBuf,
    },
    /// Cases in a process of its own
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
    /// Commands whose n-th file operation fails
    #[command(hide = true)]
    Step { line: PathBuf },
}

/// How much is done, and where it is told.
#[derive(clap::Args)]
pub struct Budget {
    /// From which every case is drawn
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Minutes in all
    #[arg(long, default_value_t = 5.0)]
    minutes: f64,
    /// The report to add to
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
}

impl Budget {
    /// The time of each of so many shares.
    pub fn time(&self, shares: usize) -> Duration {
        Duration::from_secs_f64((self.minutes * 60.0 / shares as f64).clamp(0.0, 1e6))
    }
}
