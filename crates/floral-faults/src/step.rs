//! Commands on one thread, so that the n-th file operation is the same one whenever they are given; with
//! faults, or with a journal of what they do to files.
//!
//! They run one after the other in a process beside this one, as starting one takes longer than most
//! of them; it is started again when a command ends it.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use anyhow::{Context, Result};
use floral_faults::injection::journal::{self, Done};
use floral_faults::injection::{Fault, has_failed, let_fail};
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

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

/// What is asked of the process beside.
#[derive(Serialize, Deserialize)]
struct Asked {
    words: Vec<String>,
    /// Operations, counted from one, and numbers of faults.
    faults: Vec<(u32, usize)>,
    /// Where the journal is written.
    journal: Option<PathBuf>,
}

/// What it answers.
#[derive(Serialize, Deserialize)]
struct Answer {
    code: u8,
    /// Whether all faults were met.
    is_met: bool,
}

/// How a command ended.
pub struct Ended {
    /// Its exit code; none if a signal ended it.
    pub code: Option<i32>,
    /// Whether all faults were met.
    pub is_met: bool,
    pub stdout: Vec<u8>,
    /// The last line that it said.
    pub last_words: String,
}

impl Ended {
    /// Whether it did what was asked.
    pub fn is_done(&self) -> bool {
        self.code == Some(0)
    }
}

/// Gives commands, in one folder.
pub struct Steps {
    folder: PathBuf,
    scratch: TempDir,
    beside: Option<Beside>,
}

/// The process beside, and the line to it.
struct Beside {
    child: Child,
    line: BufReader<UnixStream>,
}

impl Steps {
    /// For commands in this folder.
    pub fn new(folder: &Path) -> Result<Self> {
        Ok(Self {
            folder: folder.to_owned(),
            scratch: tempfile::tempdir_in(crate::watch::scratch())?,
            beside: None,
        })
    }

    /// Gives a command with faults, each at an operation counted from one.
    pub fn given(&mut self, words: &str, faults: &[(u32, usize)]) -> Result<Ended> {
        self.ask(words, faults, None)
    }

    /// Gives a command; returns what it did to files.
    pub fn recorded(&mut self, words: &str) -> Result<(Ended, Vec<Done>)> {
        let path = self.scratch.path().join("journal");
        let ended = self.ask(words, &[], Some(path.clone()))?;
        let steps = ciborium::from_reader(BufReader::new(File::open(path)?));
        Ok((ended, steps.context("the journal of a command")?))
    }

    fn ask(&mut self, words: &str, faults: &[(u32, usize)], to: Option<PathBuf>) -> Result<Ended> {
        let asked = Asked {
            words: words.split_whitespace().map(String::from).collect(),
            faults: faults.to_vec(),
            journal: to,
        };
        let mut beside = match self.beside.take() {
            Some(beside) => beside,
            None => self.start()?,
        };
        for name in ["stdout", "stderr"] {
            OpenOptions::new()
                .write(true)
                .open(self.heard(name))?
                .set_len(0)?;
        }
        writeln!(beside.line.get_mut(), "{}", serde_json::to_string(&asked)?)?;
        let mut answer = String::new();
        beside.line.read_line(&mut answer)?;
        let (code, is_met) = match serde_json::from_str::<Answer>(&answer) {
            Ok(answer) => {
                self.beside = Some(beside);
                (Some(i32::from(answer.code)), answer.is_met)
            }
            // The command has ended the process.
            Err(_) => (beside.child.wait()?.code(), true),
        };
        let said = fs::read(self.heard("stderr"))?;
        let said = String::from_utf8_lossy(&said);
        Ok(Ended {
            code,
            is_met,
            stdout: fs::read(self.heard("stdout"))?,
            last_words: said.lines().last().unwrap_or_default().to_owned(),
        })
    }

    fn heard(&self, name: &str) -> PathBuf {
        self.scratch.path().join(name)
    }

    fn start(&self) -> Result<Beside> {
        let socket = self.scratch.path().join("line");
        let _ = fs::remove_file(&socket);
        let listener = UnixListener::bind(&socket)?;
        let file = |name: &str| {
            OpenOptions::new()
                .create(true)
                .append(true)
                .open(self.heard(name))
        };
        let child = Command::new(std::env::current_exe()?)
            .arg("step")
            .arg(&socket)
            .current_dir(&self.folder)
            .stdout(file("stdout")?)
            .stderr(file("stderr")?)
            .spawn()?;
        let (line, _) = listener.accept()?;
        Ok(Beside {
            child,
            line: BufReader::new(line),
        })
    }
}

impl Drop for Steps {
    /// The process beside ends as its line does.
    fn drop(&mut self) {
        if let Some(Beside { mut child, line }) = self.beside.take() {
            drop(line);
            let _ = child.wait();
        }
    }
}

/// The process beside: commands as they are asked for, until nobody asks.
pub fn serve(socket: &Path) -> Result<()> {
    floral::set_up(Some(1))?;
    let stream = UnixStream::connect(socket)?;
    let mut answers = stream.try_clone()?;
    for line in BufReader::new(stream).lines() {
        let asked: Asked = serde_json::from_str(&line?)?;
        writeln!(answers, "{}", serde_json::to_string(&asked.run()?)?)?;
    }
    Ok(())
}

impl Asked {
    fn run(self) -> Result<Answer> {
        let faults = self.faults.iter();
        let faults: Vec<(u32, Fault)> = faults.map(|(at, fault)| (*at, FAULTS[*fault])).collect();
        let_fail(&faults);
        if self.journal.is_some() {
            journal::keep();
        }
        let words = self.words.into_iter().map(OsString::from);
        let code = floral_cli::run_within(
            [OsString::from("floral")]
                .into_iter()
                .chain(words)
                .collect(),
        );
        let is_met = has_failed();
        let_fail(&[]);
        if let Some(path) = self.journal {
            let mut file = BufWriter::new(File::create(path)?);
            ciborium::into_writer(&journal::take(), &mut file)?;
            file.flush()?;
        }
        Ok(Answer { code, is_met })
    }
}
