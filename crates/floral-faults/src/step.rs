//! Commands on one thread, so that the n-th file operation is the same in every run. They run with
//! faults, or with a journal of their file operations, each in a separate process that a fault may
//! end.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};
use floral_faults::injection::journal::{self, Done};
use floral_faults::injection::{Fault, has_failed, let_fail};
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use crate::process::Ended;

/// All faults of an operation.
pub const FAULTS: [Fault; 7] = [
    Fault::Full,
    Fault::Broken,
    Fault::Denied,
    Fault::Short,
    Fault::End,
    Fault::ReadOnly,
    Fault::Unread,
];

/// A fault at an operation of a command.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub struct Injected {
    /// The number of the operation, counted from one.
    pub operation: u32,
    /// The index of the fault in [`FAULTS`].
    pub fault: usize,
}

impl std::fmt::Debug for Injected {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} {}", FAULTS[self.fault], self.operation)
    }
}

/// A command for a separate process.
#[derive(Serialize, Deserialize)]
struct Request {
    words: Vec<String>,
    faults: Vec<Injected>,
    keeps_journal: bool,
    /// The file for the answer.
    answer: PathBuf,
}

/// The answer of a process that ended by itself.
#[derive(Serialize, Deserialize)]
struct Answer {
    /// Whether all faults occurred.
    are_met: bool,
    journal: Vec<Done>,
}

/// Runs commands in one folder.
pub struct Steps {
    folder: PathBuf,
    scratch: TempDir,
    are_met: bool,
}

impl Steps {
    /// Steps of commands in this folder.
    pub fn new(folder: &Path) -> Result<Self> {
        Ok(Self {
            folder: folder.to_owned(),
            scratch: tempfile::tempdir_in(crate::files::scratch())?,
            are_met: false,
        })
    }

    /// Whether all faults of the last command occurred.
    pub fn are_met(&self) -> bool {
        self.are_met
    }

    /// Runs a command with faults.
    pub fn run(&mut self, words: &str, faults: &[Injected]) -> Result<Ended> {
        self.start(words, faults, false).map(|(ended, _)| ended)
    }

    /// Runs a command and also returns its file operations.
    pub fn recorded(&mut self, words: &str) -> Result<(Ended, Vec<Done>)> {
        self.start(words, &[], true)
    }

    fn start(
        &mut self,
        words: &str,
        faults: &[Injected],
        keeps_journal: bool,
    ) -> Result<(Ended, Vec<Done>)> {
        let path = self.scratch.path().join("answer");
        let request = Request {
            words: words.split_whitespace().map(String::from).collect(),
            faults: faults.to_vec(),
            keeps_journal,
            answer: path.clone(),
        };
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("step").arg(serde_json::to_string(&request)?);
        let ended = Ended::from(command.current_dir(&self.folder).output()?);
        let answer = match File::open(&path) {
            Ok(file) => ciborium::from_reader(BufReader::new(file)).context("a step's answer")?,
            // A fault ended the process.
            Err(_) => Answer {
                are_met: true,
                journal: Vec::new(),
            },
        };
        if path.exists() {
            fs::remove_file(path)?;
        }
        self.are_met = answer.are_met;
        Ok((ended, answer.journal))
    }
}

/// The separate process: runs a command, writes the answer, and returns the command's exit code.
pub fn run(request: &str) -> Result<ExitCode> {
    floral::set_up(Some(1))?;
    let request: Request = serde_json::from_str(request)?;
    let faults = request.faults.iter();
    let faults: Vec<(u32, Fault)> = faults.map(|f| (f.operation, FAULTS[f.fault])).collect();
    let_fail(&faults);
    if request.keeps_journal {
        journal::keep();
    }
    let words = std::iter::once("floral".into()).chain(request.words);
    let code = floral_cli::run_within(words.map(OsString::from).collect());
    let answer = Answer {
        are_met: has_failed(),
        journal: journal::take(),
    };
    let_fail(&[]);
    let mut file = BufWriter::new(File::create(request.answer)?);
    ciborium::into_writer(&answer, &mut file)?;
    file.flush()?;
    Ok(ExitCode::from(code))
}
