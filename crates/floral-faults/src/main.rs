//! `floral-faults`: faults by the thousand, each from a seed and a number, and what they found.
//!
//! - `bytes` damages files of every format that is read (`format.rs`), in workers (`worker.rs`) that are
//!   watched (`watch.rs`);
//! - `kills` kills commands at any moment and goes on with them (`kills.rs`);
//! - `storage` lets the n-th file operation of a command fail, or ends the process before it
//!   (`failing.rs`);
//! - `power` drops what had not reached the disk (`power.rs`, `disk.rs`);
//! - `together` lets several processes work on one output (`together.rs`), `same` compares the bytes of
//!   any number of threads (`same.rs`), `long` watches what hours of work hold (`long.rs`).
//!
//! Each adds what it did to a report (`report.rs`). `bench/faults` calls it.

mod dice;
mod disk;
mod failing;
mod format;
mod hostile;
mod kills;
mod long;
mod mutate;
mod outcome;
mod power;
mod process;
mod report;
mod same;
mod shares;
mod specimen;
mod step;
mod task;
mod together;
mod tree;
mod watch;
mod worker;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};

use crate::format::{FORMATS, Format};
use crate::report::Report;
use crate::watch::{Watch, scratch};
use crate::worker::Cases;

#[global_allocator]
static MEMORY: floral::memory::Bounded = floral::memory::Bounded::new();

/// Bytes that reading a file may hold, 1 GB.
const MOST_BYTES: usize = 1_000_000_000;

/// Injects faults from a seed and says what they found
#[derive(Parser)]
#[command(name = "floral-faults")]
struct Arguments {
    #[command(subcommand)]
    part: Part,
}

#[derive(Subcommand)]
enum Part {
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
    seed: u64,
    /// Minutes in all
    #[arg(long, default_value_t = 5.0)]
    minutes: f64,
    /// The report to add to
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
}

impl Budget {
    fn time(&self, shares: usize) -> Duration {
        Duration::from_secs_f64((self.minutes * 60.0 / shares as f64).clamp(0.0, 1e6))
    }
}

fn main() -> Result<ExitCode> {
    let sound = match Arguments::parse().part {
        Part::Worker {
            format,
            seed,
            from,
            to,
            specimens,
            folder,
        } => {
            floral::set_up(Some(1))?;
            let cases = Cases {
                format: Format::named(&format).context("there is no such format")?,
                seed,
                specimens: &specimens,
                folder: &folder,
            };
            MEMORY.limit(MOST_BYTES);
            cases.run(from, to, || MEMORY.most())?;
            true
        }
        Part::Step { line } => {
            step::serve(&line)?;
            true
        }
        Part::Bytes {
            budget,
            cases,
            format,
        } => bytes(&budget, cases, format.as_deref())?,
        Part::Case { format, seed, case } => {
            let (specimens, folder) = (tempfile::tempdir()?, tempfile::tempdir()?);
            specimen::make(specimens.path())?;
            let cases = Cases {
                format: Format::named(&format).context("there is no such format")?,
                seed,
                specimens: specimens.path(),
                folder: folder.path(),
            };
            outcome::Found::default().tell("outcome", &cases.show(case)?);
            true
        }
        Part::Kills { budget, rounds } => {
            let found = kills::run(budget.seed, budget.time(1), rounds)?;
            Report::add(&budget, "kills", found)?
        }
        Part::Together { budget, rounds } => {
            let found = together::run(budget.seed, budget.time(1), rounds)?;
            Report::add(&budget, "together", found)?
        }
        Part::Same { budget, cases } => {
            let found = same::run(budget.seed, budget.time(1), cases)?;
            Report::add(&budget, "same", found)?
        }
        Part::Long { budget } => {
            let found = long::run(budget.time(1))?;
            Report::add(&budget, "long", found)?
        }
        Part::Rounds { seconds, record } => {
            let held = || {
                MEMORY.most();
                MEMORY.most()
            };
            long::rounds(Duration::from_secs(seconds), &record, held)?;
            true
        }
        Part::Storage {
            budget,
            every,
            pairs,
            task,
        } => {
            let plan = failing::Plan {
                seed: budget.seed,
                time: budget.time(1),
                every,
                pairs,
                tasks: task::chosen(task.as_deref())?,
            };
            Report::add(&budget, "storage", failing::run(&plan)?)?
        }
        Part::Power {
            budget,
            disks,
            every,
            task,
        } => {
            let plan = power::Plan {
                seed: budget.seed,
                time: budget.time(1),
                disks,
                every,
                tasks: task::chosen(task.as_deref())?,
            };
            Report::add(&budget, "power", power::run(&plan)?)?
        }
    };
    Ok(match sound {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

/// Damages every format in turn; whether nothing was found.
fn bytes(budget: &Budget, cases: u64, only: Option<&str>) -> Result<bool> {
    let specimens = tempfile::tempdir_in(scratch())?;
    specimen::make(specimens.path())?;
    let formats: Vec<Format> = match only {
        Some(name) => vec![Format::named(name).context("there is no such format")?],
        None => FORMATS.to_vec(),
    };
    let mut found = outcome::Found::default();
    for format in &formats {
        let watch = Watch {
            format: *format,
            seed: budget.seed,
            cases,
            time: budget.time(formats.len()),
            specimens: specimens.path(),
            scratch: &scratch(),
        };
        let tally = watch.run()?;
        found.tell(format.name, &tally.words());
        found.add_tally(format.name, tally);
    }
    Report::add(budget, "bytes", found)
}
