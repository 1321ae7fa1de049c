//! `floral-faults`: thousands of faults, each drawn from a seed and a number, and their findings.
//!
//! - `bytes` damages files of every format (`format.rs`, `mutate/`), in worker processes
//!   (`worker.rs`) that are watched (`watch.rs`);
//! - `kills` kills commands at random moments and runs them again; `together` runs several processes
//!   on one output (`processes.rs`);
//! - `storage` makes the n-th file operation of a command fail, or ends the process before it
//!   (`storage.rs`);
//! - `power` discards data that had not reached the disk (`power.rs`, `disk.rs`);
//! - `same` compares the bytes of several numbers of threads (`same.rs`); `long` watches the
//!   resources of a process over hours of work (`long.rs`).
//!
//! All parts except `bytes` and `long` compare a command with its undisturbed result (`trial.rs`).
//! Each part adds its counts and findings to a report (`report.rs`). `bench/faults` starts the
//! campaign.

mod arguments;
mod dice;
mod disk;
mod files;
mod format;
mod long;
mod mutate;
mod power;
mod process;
mod processes;
mod report;
mod same;
mod specimen;
mod step;
mod storage;
mod task;
mod tree;
mod trial;
mod watch;
mod worker;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Result;
use clap::Parser;

use crate::arguments::{Arguments, Effort, Part};
use crate::format::Format;
use crate::report::{Found, Report};
use crate::worker::Cases;

#[global_allocator]
static MEMORY: floral::memory::Bounded = floral::memory::Bounded::new();

/// Maximum number of bytes that reading a file may hold: 1 GB.
const MOST_BYTES: usize = 1_000_000_000;

fn main() -> Result<ExitCode> {
    let (name, run, effort): (_, fn(&Effort) -> Result<Found>, _) = match Arguments::parse().part {
        Part::Bytes(effort) => ("bytes", watch::run, effort),
        Part::Kills(effort) => ("kills", processes::kills, effort),
        Part::Together(effort) => ("together", processes::together, effort),
        Part::Storage(effort) => ("storage", storage::run, effort),
        Part::Power(effort) => ("power", power::run, effort),
        Part::Same(effort) => ("same", same::run, effort),
        Part::Long(effort) => ("long", long::run, effort),
        Part::Step { request } => return step::run(&request),
        other => return subprocess(other).map(|()| ExitCode::SUCCESS),
    };
    let start = Instant::now();
    let found = run(&effort)?;
    let has_none = Report::add(&effort, name, found, start.elapsed())?;
    Ok(match has_none {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

/// Runs a subprocess of a part, or a single case.
fn subprocess(part: Part) -> Result<()> {
    match part {
        Part::Worker {
            format,
            seed,
            from,
            to,
            specimens,
            folder,
        } => {
            floral::set_up(Some(1))?;
            MEMORY.limit(MOST_BYTES);
            let cases = Cases {
                format: Format::named(&format)?,
                seed,
                specimens: &specimens,
                folder: &folder,
            };
            cases.run(from, to, || MEMORY.most())
        }
        Part::Case { format, seed, case } => {
            let (specimens, folder) = (tempfile::tempdir()?, tempfile::tempdir()?);
            specimen::make(specimens.path())?;
            let cases = Cases {
                format: Format::named(&format)?,
                seed,
                specimens: specimens.path(),
                folder: folder.path(),
            };
            cases.show(case)
        }
        Part::Rounds { seconds, record } => {
            let held = || {
                // The first call resets the maximum, so that the second returns the bytes held now.
                MEMORY.most();
                MEMORY.most()
            };
            long::rounds(Duration::from_secs(seconds), &record, held)
        }
        _ => anyhow::bail!("not a process of the campaign"),
    }
}
