//! A command in a process of its own, on one thread, so that its n-th file operation is the same one
//! whenever it is given; with faults, or with a journal of what it does to files.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context, Result};
use floral::storage::journal::{self, Done};
use floral::storage::operations::{Fault, has_failed, let_fail};

/// What can befall an operation.
pub const FAULTS: [Fault; 7] = [
    Fault::Full,
    Fault::Broken,
    Fault::Denied,
    Fault::Short,
    Fault::End,
    Fault::ReadOnly,
    Fault::Unread,
];

/// What a command exits with if it came to its end without meeting all of its faults.
pub const UNTOUCHED: u8 = 77;

/// What is typed for it.
#[derive(clap::Args)]
pub struct Arguments {
    /// The number of an operation and of a fault, as in 3:1
    #[arg(long)]
    fault: Vec<String>,
    /// Where the journal is written
    #[arg(long)]
    journal: Option<PathBuf>,
    #[arg(trailing_var_arg = true)]
    words: Vec<OsString>,
}

impl Arguments {
    /// Runs the command in this process; returns its exit code.
    pub fn run(self) -> Result<u8> {
        let faults: Vec<(u32, Fault)> = self
            .fault
            .iter()
            .map(|text| parsed(text).with_context(|| format!("{text} is no fault")))
            .collect::<Result<_>>()?;
        let_fail(&faults);
        if self.journal.is_some() {
            journal::keep();
        }
        let words = [OsString::from("floral")].into_iter().chain(self.words);
        let code = floral_cli::run(words.collect());
        if let Some(path) = self.journal {
            ciborium::into_writer(&journal::take(), fs::File::create(path)?)?;
        }
        Ok(match code {
            0 if !faults.is_empty() && !has_failed() => UNTOUCHED,
            code => code,
        })
    }
}

fn parsed(text: &str) -> Option<(u32, Fault)> {
    let (operation, fault) = text.split_once(':')?;
    let fault = FAULTS.get(fault.parse::<usize>().ok()?)?;
    Some((operation.parse().ok()?, *fault))
}

/// Gives a command with faults, each at an operation counted from one.
pub fn given(folder: &Path, words: &str, faults: &[(u32, usize)]) -> Result<Output> {
    let mut command = step()?;
    for (operation, fault) in faults {
        command.args(["--fault", &format!("{operation}:{fault}")]);
    }
    output(command, folder, words)
}

/// Gives a command; returns what it did to files.
pub fn recorded(folder: &Path, words: &str) -> Result<(Output, Vec<Done>)> {
    let journal = tempfile::NamedTempFile::new_in(folder)?;
    let mut command = step()?;
    command.arg("--journal").arg(journal.path());
    let output = output(command, folder, words)?;
    let steps = ciborium::from_reader(std::io::BufReader::new(journal.reopen()?));
    Ok((output, steps.context("the journal of a command")?))
}

fn step() -> Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("step");
    Ok(command)
}

fn output(mut command: Command, folder: &Path, words: &str) -> Result<Output> {
    command.arg("--").args(words.split_whitespace());
    command.args(["--threads", "1"]).current_dir(folder);
    Ok(command.output()?)
}

/// The last line that a command said.
pub fn last_words(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    said.lines().last().unwrap_or_default().to_owned()
}
