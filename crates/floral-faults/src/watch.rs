//! Watches workers. A worker that dies or hangs is a finding, and another continues after its case.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::json;

use crate::arguments::Effort;
use crate::files::scratch;
use crate::format::{FORMATS, Format};
use crate::report::Found;
use crate::specimen;
use crate::worker::{FINDINGS, State};

/// Maximum processor time and elapsed time of a case; the machine may be busy with other work.
const LONGEST_WORK: Duration = Duration::from_secs(20);
const LONGEST_CASE: Duration = Duration::from_secs(300);

/// How often a worker is checked.
const BETWEEN_CHECKS: Duration = Duration::from_millis(50);

/// After more findings than this, the work on a format ends: something is generally broken.
const MOST_FINDINGS: usize = 50;

/// Damages every format in turn.
pub fn run(effort: &Effort) -> Result<Found> {
    let specimens = tempfile::tempdir_in(scratch())?;
    specimen::make(specimens.path())?;
    let formats = match &effort.only {
        Some(name) => vec![Format::named(name)?],
        None => FORMATS.to_vec(),
    };
    let mut found = Found::default();
    for format in &formats {
        let watch = Watch {
            format: *format,
            effort,
            specimens: specimens.path(),
            end: Instant::now() + effort.time(formats.len()),
        };
        watch.run(&mut found)?;
        found.print_counts(format.name);
    }
    Ok(found)
}

/// Work on one format.
struct Watch<'a> {
    format: Format,
    effort: &'a Effort,
    specimens: &'a Path,
    end: Instant,
}

impl Watch<'_> {
    /// Works until all cases are done or the time is over.
    fn run(&self, found: &mut Found) -> Result<()> {
        let (mut from, mut most_bytes) = (0, 0);
        let before = found.findings();
        while from < self.effort.cases
            && Instant::now() < self.end
            && found.findings() < before + MOST_FINDINGS
        {
            let folder = tempfile::tempdir_in(scratch())?;
            let stderr = folder.path().join("stderr");
            let child = self.spawn(from, folder.path(), &stderr)?;
            let ending = wait(child, folder.path(), self.end)?;
            let state = State::read(folder.path());
            self.add(&state, folder.path(), found)?;
            most_bytes = state.most_bytes.max(most_bytes);
            from = match ending {
                Ending::Done | Ending::OutOfTime => self.effort.cases,
                Ending::Died(words) => {
                    let said = fs::read_to_string(&stderr).unwrap_or_default();
                    let words = format!("{words}: {}", said.lines().next().unwrap_or_default());
                    found.find(json!({"format": self.format.name, "seed": self.effort.seed,
                                      "case": state.at, "kind": "end", "words": words}));
                    found.count(self.format.name, "inputs", 1);
                    state.at + 1
                }
            };
        }
        let megabytes = most_bytes.div_ceil(1_000_000);
        found.count(self.format.name, "most_megabytes", megabytes);
        Ok(())
    }

    fn spawn(&self, from: u64, folder: &Path, stderr: &Path) -> Result<Child> {
        let numbers = [
            ("--seed", self.effort.seed),
            ("--from", from),
            ("--to", self.effort.cases),
        ];
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["worker", self.format.name]);
        command.args(numbers.map(|(flag, value)| format!("{flag}={value}")));
        command.arg("--specimens").arg(self.specimens);
        command.arg("--folder").arg(folder);
        command.stdout(Stdio::null());
        command.stderr(fs::File::create(stderr)?);
        Ok(command.spawn()?)
    }

    /// Adds the results of a worker.
    fn add(&self, state: &State, folder: &Path, found: &mut Found) -> Result<()> {
        let lines = fs::read_to_string(folder.join(FINDINGS)).unwrap_or_default();
        for line in lines.lines() {
            found.find(serde_json::from_str(line)?);
        }
        let panics = lines.lines().count() as u64;
        let inputs = state.accepted + state.refused + panics;
        for (what, number) in [
            ("inputs", inputs),
            ("accepted", state.accepted),
            ("refused", state.refused),
        ] {
            found.count(self.format.name, what, number);
        }
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
    // The current case at the end of the time is completed, because it may be one that never ends.
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
                true => Ending::Died(format!("not finished after {} s", LONGEST_WORK.as_secs())),
                false => Ending::OutOfTime,
            });
        }
        std::thread::sleep(BETWEEN_CHECKS);
    }
}

/// Processor time of a process, if the system reports it; assumes ticks of 10 ms.
fn worked(process: u32) -> Duration {
    let facts = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The name, in brackets, may contain any characters.
    let facts = facts.rsplit_once(')').map_or("", |(_, facts)| facts);
    let ticks = facts.split_whitespace().skip(11).take(2);
    let ticks: u64 = ticks.filter_map(|ticks| ticks.parse::<u64>().ok()).sum();
    Duration::from_millis(10 * ticks)
}
