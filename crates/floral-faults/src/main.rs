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

mod arguments;
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

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::Parser;

use crate::arguments::{Arguments, Budget, Part};
use crate::format::{FORMATS, Format};
use crate::outcome::Found;
use crate::report::Report;
use crate::watch::{Watch, scratch};
use crate::worker::Cases;

#[global_allocator]
static MEMORY: floral::memory::Bounded = floral::memory::Bounded::new();

/// Bytes that reading a file may hold, 1 GB.
const MOST_BYTES: usize = 1_000_000_000;

fn main() -> Result<ExitCode> {
    let is_sound = match Arguments::parse().part {
        Part::Worker {
            format,
            seed,
            from,
            to,
            specimens,
            folder,
        } => work(&cases(&format, seed, &specimens, &folder)?, from, to),
        Part::Step { line } => step::serve(&line).map(|()| true),
        Part::Rounds { seconds, record } => rounds(seconds, &record),
        Part::Case { format, seed, case } => show(&format, seed, case),
        campaign => add(campaign),
    }?;
    Ok(match is_sound {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

/// Does a part of the campaign and adds it to the report; whether nothing was found.
fn add(part: Part) -> Result<bool> {
    let begin = Instant::now();
    let (budget, name, found) = match part {
        Part::Bytes {
            budget,
            cases,
            format,
        } => {
            let found = bytes(&budget, cases, format.as_deref());
            (budget, "bytes", found)
        }
        Part::Kills { budget, rounds } => {
            let found = kills::run(budget.seed, budget.time(1), rounds);
            (budget, "kills", found)
        }
        Part::Together { budget, rounds } => {
            let found = together::run(budget.seed, budget.time(1), rounds);
            (budget, "together", found)
        }
        Part::Same { budget, cases } => {
            let found = same::run(budget.seed, budget.time(1), cases);
            (budget, "same", found)
        }
        Part::Long { budget } => {
            let found = long::run(budget.time(1));
            (budget, "long", found)
        }
        Part::Storage {
            budget,
            every,
            pairs,
            task,
        } => {
            let found = storage(&budget, every, pairs, task.as_deref());
            (budget, "storage", found)
        }
        Part::Power {
            budget,
            disks,
            every,
            task,
        } => {
            let found = power(&budget, disks, every, task.as_deref());
            (budget, "power", found)
        }
        _ => bail!("this is no part of the campaign"),
    };
    Report::add(&budget, name, found?, begin.elapsed())
}

/// The cases of a format.
fn cases<'a>(format: &str, seed: u64, specimens: &'a Path, folder: &'a Path) -> Result<Cases<'a>> {
    Ok(Cases {
        format: Format::named(format).context("there is no such format")?,
        seed,
        specimens,
        folder,
    })
}

/// Does these cases in this process, within the memory that reading may hold.
fn work(cases: &Cases<'_>, from: u64, to: u64) -> Result<bool> {
    floral::set_up(Some(1))?;
    MEMORY.limit(MOST_BYTES);
    cases.run(from, to, || MEMORY.most())?;
    Ok(true)
}

/// Tells what becomes of one case.
fn show(format: &str, seed: u64, case: u64) -> Result<bool> {
    let (specimens, folder) = (tempfile::tempdir()?, tempfile::tempdir()?);
    specimen::make(specimens.path())?;
    let cases = cases(format, seed, specimens.path(), folder.path())?;
    Found::default().tell("outcome", &cases.show(case)?);
    Ok(true)
}

/// Mixed work in this process, which writes down what it holds.
fn rounds(seconds: u64, record: &Path) -> Result<bool> {
    let held = || {
        // The first call begins anew, so that the second tells what is held now.
        MEMORY.most();
        MEMORY.most()
    };
    long::rounds(Duration::from_secs(seconds), record, held)?;
    Ok(true)
}

fn storage(budget: &Budget, every: u32, pairs: u64, task: Option<&str>) -> Result<Found> {
    failing::run(&failing::Plan {
        seed: budget.seed,
        time: budget.time(1),
        every,
        pairs,
        tasks: task::chosen(task)?,
    })
}

fn power(budget: &Budget, disks: u64, every: usize, task: Option<&str>) -> Result<Found> {
    power::run(&power::Plan {
        seed: budget.seed,
        time: budget.time(1),
        disks,
        every,
        tasks: task::chosen(task)?,
    })
}

/// Damages every format in turn.
fn bytes(budget: &Budget, cases: u64, only: Option<&str>) -> Result<Found> {
    let specimens = tempfile::tempdir_in(scratch())?;
    specimen::make(specimens.path())?;
    let formats: Vec<Format> = match only {
        Some(name) => vec![Format::named(name).context("there is no such format")?],
        None => FORMATS.to_vec(),
    };
    let mut found = Found::default();
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
    Ok(found)
}
