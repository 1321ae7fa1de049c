//! Watches workers: one that dies or hangs is a find, and another goes on behind the case.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Result;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::format::Format;
use crate::worker::{FINDS, State};

/// The longest that a case may compute, and that it may take: the machine may be busy with other
/// things.
const LONGEST_WORK: Duration = Duration::from_secs(20);
const LONGEST_CASE: Duration = Duration::from_secs(300);

/// How often a worker is looked at.
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

/// More finds than these end the work on a format: something is broken as a whole.
const MOST_FINDS: usize = 50;

/// What the work on a format came to.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Tally {
    /// Inputs read.
    pub inputs: u64,
    /// Those taken for sound.
    pub accepted: u64,
    /// Those refused with an error.
    pub refused: u64,
    /// The most bytes held during one of them.
    pub most_bytes: u64,
    /// Panics, aborts, hangs, too much memory.
    pub finds: Vec<Value>,
}

/// Work on one format.
pub struct Watch<'a> {
    pub format: Format,
    pub seed: u64,
    pub cases: u64,
    pub time: Duration,
    pub specimens: &'a Path,
    pub scratch: &'a Path,
}

impl Watch<'_> {
    /// Works until all cases are done or the time is over.
    pub fn run(&self) -> Result<Tally> {
        let end = Instant::now() + self.time;
        let mut tally = Tally::default();
        let mut from = 0;
        while from < self.cases && Instant::now() < end && tally.finds.len() < MOST_FINDS {
            let folder = tempfile::tempdir_in(self.scratch)?;
            let stderr = folder.path().join("stderr");
            let child = self.spawn(from, folder.path(), &stderr)?;
            let ending = wait(child, folder.path(), end)?;
            let state = State::read(folder.path());
            tally.add(&state, folder.path())?;
            from = match ending {
                Ending::Done | Ending::OutOfTime => self.cases,
                Ending::Died(words) => {
                    let said = fs::read_to_string(&stderr).unwrap_or_default();
                    let last = said.lines().next().unwrap_or_default();
                    tally
                        .finds
                        .push(self.find(state.at, &format!("{words}: {last}")));
                    tally.inputs += 1;
                    state.at + 1
                }
            };
        }
        Ok(tally)
    }

    fn spawn(&self, from: u64, folder: &Path, stderr: &Path) -> Result<Child> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["worker", self.format.name]);
        for (flag, value) in [
            ("--seed", self.seed),
            ("--from", from),
            ("--to", self.cases),
        ] {
            command.args([flag, &value.to_string()]);
        }
        command.arg("--specimens").arg(self.specimens);
        command.arg("--folder").arg(folder);
        command
            .stdout(Stdio::null())
            .stderr(fs::File::create(stderr)?);
        Ok(command.spawn()?)
    }

    fn find(&self, case: u64, words: &str) -> Value {
        json!({"format": self.format.name, "seed": self.seed, "case": case, "kind": "end",
               "words": words})
    }
}

impl Tally {
    fn add(&mut self, state: &State, folder: &Path) -> Result<()> {
        let found = fs::read_to_string(folder.join(FINDS)).unwrap_or_default();
        let before = self.finds.len();
        for line in found.lines() {
            self.finds.push(serde_json::from_str(line)?);
        }
        self.accepted += state.accepted;
        self.refused += state.refused;
        self.inputs += state.accepted + state.refused + (self.finds.len() - before) as u64;
        self.most_bytes = self.most_bytes.max(state.most_bytes);
        Ok(())
    }
}

/// How a worker ended.
enum Ending {
    Done,
    OutOfTime,
    Died(String),
}

fn wait(mut child: Child, folder: &Path, end: Instant) -> Result<Ending> {
    let mut last = (State::default(), Instant::now(), Duration::ZERO);
    // The case under way when the time is over is waited for: it may be one that never ends.
    let mut last_case = None;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(match status.success() {
                true => Ending::Done,
                false => Ending::Died(status.to_string()),
            });
        }
        let state = State::read(folder);
        let worked = worked(child.id());
        if state.at != last.0.at {
            last = (state, Instant::now(), worked);
        }
        if Instant::now() > end {
            last_case = last_case.or(Some(state.at));
        }
        let is_late = last_case.is_some_and(|case| case != state.at);
        let is_stuck =
            worked.saturating_sub(last.2) > LONGEST_WORK || last.1.elapsed() > LONGEST_CASE;
        if is_stuck || is_late {
            child.kill()?;
            child.wait()?;
            return Ok(match is_stuck {
                true => Ending::Died(format!("no end after {} s", LONGEST_WORK.as_secs())),
                false => Ending::OutOfTime,
            });
        }
        std::thread::sleep(BETWEEN_LOOKS);
    }
}

/// How long a process has computed, where the system tells it: in hundredths of a second.
fn worked(process: u32) -> Duration {
    let facts = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The name, in brackets, may hold anything.
    let facts = facts.rsplit_once(')').map_or("", |(_, facts)| facts);
    let ticks = facts.split_whitespace().skip(11).take(2);
    let ticks: u64 = ticks.filter_map(|ticks| ticks.parse::<u64>().ok()).sum();
    Duration::from_millis(10 * ticks)
}

/// A folder in memory, if the system has one: files are written and read by the thousand.
pub fn scratch() -> PathBuf {
    let memory = Path::new("/dev/shm");
    match memory.is_dir() {
        true => memory.to_owned(),
        false => std::env::temp_dir(),
    }
}
