//! Commands on one thread, so that the n-th file operation is the same one in every run; with faults, or
//! with a journal of what they do to files.
//!
//! They run one after the other in a server process, as starting a process takes longer than most of
//! them; it is started again when a command ends it.

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

use crate::process::Ended;

/// The ways in which an operation can fail.
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
    /// The operation, counted from one.
    pub operation: u32,
    /// The number of the fault in [`FAULTS`].
    pub fault: usize,
}

impl std::fmt::Debug for Injected {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} {}", FAULTS[self.fault], self.operation)
    }
}

/// A command for the server.
#[derive(Serialize, Deserialize)]
struct Request {
    words: Vec<String>,
    faults: Vec<Injected>,
    /// Where the journal is written.
    journal: Option<PathBuf>,
}

/// The server's answer.
#[derive(Serialize, Deserialize)]
struct Answer {
    code: u8,
    /// Whether all faults were met.
    are_met: bool,
}

/// Runs commands in one folder.
pub struct Steps {
    folder: PathBuf,
    scratch: TempDir,
    server: Option<Server>,
    are_met: bool,
}

/// The server process, and the connection to it.
struct Server {
    child: Child,
    stream: BufReader<UnixStream>,
}

impl Steps {
    /// For commands in this folder.
    pub fn new(folder: &Path) -> Result<Self> {
        Ok(Self {
            folder: folder.to_owned(),
            scratch: tempfile::tempdir_in(crate::files::scratch())?,
            server: None,
            are_met: false,
        })
    }

    /// Whether the last command met all its faults.
    pub fn are_met(&self) -> bool {
        self.are_met
    }

    /// Runs a command with faults.
    pub fn run(&mut self, words: &str, faults: &[Injected]) -> Result<Ended> {
        self.send(words, faults, None)
    }

    /// Runs a command; returns also what it did to files.
    pub fn recorded(&mut self, words: &str) -> Result<(Ended, Vec<Done>)> {
        let path = self.scratch.path().join("journal");
        let ended = self.send(words, &[], Some(path.clone()))?;
        let steps = ciborium::from_reader(BufReader::new(File::open(path)?));
        Ok((ended, steps.context("the journal of a command")?))
    }

    fn send(
        &mut self,
        words: &str,
        faults: &[Injected],
        journal: Option<PathBuf>,
    ) -> Result<Ended> {
        let request = serde_json::to_string(&Request {
            words: words.split_whitespace().map(String::from).collect(),
            faults: faults.to_vec(),
            journal,
        })?;
        let mut server = match self.server.take() {
            Some(server) => server,
            None => self.start()?,
        };
        for name in ["stdout", "stderr"] {
            self.output(name)?.set_len(0)?;
        }
        writeln!(server.stream.get_mut(), "{request}")?;
        let mut answer = String::new();
        server.stream.read_line(&mut answer)?;
        let code = match serde_json::from_str::<Answer>(&answer) {
            Ok(answer) => {
                self.server = Some(server);
                self.are_met = answer.are_met;
                Some(i32::from(answer.code))
            }
            // The command has ended the server.
            Err(_) => {
                self.are_met = true;
                server.child.wait()?.code()
            }
        };
        let read = |name: &str| fs::read(self.scratch.path().join(name));
        Ok(Ended {
            code,
            stdout: read("stdout")?,
            stderr: String::from_utf8_lossy(&read("stderr")?).into_owned(),
        })
    }

    /// A file to which the server writes.
    fn output(&self, name: &str) -> std::io::Result<File> {
        let path = self.scratch.path().join(name);
        OpenOptions::new().create(true).append(true).open(path)
    }

    fn start(&self) -> Result<Server> {
        let socket = self.scratch.path().join("socket");
        let _ = fs::remove_file(&socket);
        let listener = UnixListener::bind(&socket)?;
        let child = Command::new(std::env::current_exe()?)
            .arg("step")
            .arg(&socket)
            .current_dir(&self.folder)
            .stdout(self.output("stdout")?)
            .stderr(self.output("stderr")?)
            .spawn()?;
        let (stream, _) = listener.accept()?;
        Ok(Server {
            child,
            stream: BufReader::new(stream),
        })
    }
}

impl Drop for Steps {
    /// The server ends with its connection.
    fn drop(&mut self) {
        if let Some(Server { mut child, stream }) = self.server.take() {
            drop(stream);
            let _ = child.wait();
        }
    }
}

/// The server: runs commands until the connection is closed.
pub fn serve(socket: &Path) -> Result<()> {
    floral::set_up(Some(1))?;
    let stream = UnixStream::connect(socket)?;
    let mut answers = stream.try_clone()?;
    for line in BufReader::new(stream).lines() {
        let request: Request = serde_json::from_str(&line?)?;
        writeln!(answers, "{}", serde_json::to_string(&request.run()?)?)?;
    }
    Ok(())
}

impl Request {
    fn run(self) -> Result<Answer> {
        let faults = self.faults.iter();
        let faults: Vec<(u32, Fault)> = faults.map(|f| (f.operation, FAULTS[f.fault])).collect();
        let_fail(&faults);
        if self.journal.is_some() {
            journal::keep();
        }
        let words = std::iter::once("floral".into()).chain(self.words);
        let code = floral_cli::run_within(words.map(OsString::from).collect());
        let are_met = has_failed();
        let_fail(&[]);
        if let Some(path) = self.journal {
            let mut file = BufWriter::new(File::create(path)?);
            ciborium::into_writer(&journal::take(), &mut file)?;
            file.flush()?;
        }
        Ok(Answer { code, are_met })
    }
}
