//! Storage that fails: the n-th file operation of a command has no space, breaks, is denied or is cut
//! short, or the process ends before it; for every n in turn. Then the command is given again.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use anyhow::Result;
use floral::storage::operations::{ENDED, Fault, has_failed, let_fail};
use serde_json::json;

use crate::outcome::Found;
use crate::task::{Contents, Task, contents, make_around, tasks};
use crate::watch::scratch;

const FAULTS: [Fault; 5] = [
    Fault::Full,
    Fault::Broken,
    Fault::Denied,
    Fault::Short,
    Fault::End,
];

/// What a command exits with if the fault never came.
const UNTOUCHED: u8 = 77;

/// More operations than any of the commands has.
const MOST_OPERATIONS: u32 = 100_000;

/// A command in this process, whose n-th operation fails.
pub fn step(operation: u32, fault: u8, words: Vec<OsString>) -> u8 {
    if let Some(fault) = FAULTS.get(usize::from(fault)) {
        let_fail(operation, *fault);
    }
    let words = [OsString::from("floral")].into_iter().chain(words);
    match floral_cli::run(words.collect()) {
        0 if !has_failed() => UNTOUCHED,
        code => code,
    }
}

/// Every `every`-th operation of every task, until the time is over.
pub fn run(time: Duration, every: u32) -> Result<Found> {
    // In memory: waiting for a disk at every sync would take nearly all of the time.
    let folder = tempfile::tempdir_in(scratch())?;
    make_around(folder.path())?;
    let mut found = Found::default();
    let tasks = tasks();
    let share = time / tasks.len() as u32;
    for task in tasks {
        let end = Instant::now() + share;
        let place = format!("sound-{}", task.place(0));
        task.prepare(folder.path(), &place)?;
        let output = given(folder.path(), &task, &place, 0, FAULTS.len())?;
        let failing = Failing {
            task: &task,
            folder: folder.path(),
            sound: task.result(folder.path(), &place, &output)?,
        };
        failing.each(every, end, &mut found)?;
        let counts = &found.counts.get(task.name);
        found.tell(
            task.name,
            &format!("{counts:?}, {} finds so far", found.finds.len()),
        );
    }
    Ok(found)
}

/// One task and what it comes to undisturbed.
struct Failing<'a> {
    task: &'a Task,
    folder: &'a Path,
    sound: Contents,
}

impl Failing<'_> {
    /// Every fault at each operation in turn, until there are no more.
    fn each(&self, every: u32, end: Instant, found: &mut Found) -> Result<()> {
        for operation in (1..MOST_OPERATIONS).step_by(every.max(1) as usize) {
            for number in 0..FAULTS.len() {
                if Instant::now() > end || !self.one(operation, number, found)? {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// One fault at one operation; whether the command came so far.
    fn one(&self, operation: u32, number: usize, found: &mut Found) -> Result<bool> {
        let fault = FAULTS[number];
        let folder = tempfile::tempdir_in(self.folder)?;
        let place = folder.path().join(self.task.place(1));
        if let Some(before) = self.task.before {
            crate::task::copy(&self.folder.join(before), &place)?;
        }
        let place = place.to_string_lossy();
        let output = given(self.folder, self.task, &place, operation, number)?;
        if output.status.code() == Some(i32::from(UNTOUCHED)) {
            return Ok(false);
        }
        found.count(self.task.name, "faults", 1);
        if let Some(words) = self.fault_of(&place, fault, &output)? {
            found.finds.push(json!({
                "task": self.task.name,
                "fault": format!("{fault:?}"),
                "operation": operation,
                "words": words,
            }));
        }
        Ok(true)
    }

    /// What is wrong after a fault, if anything is: an end without words, an old result that is
    /// gone, or another result once the command is given again.
    fn fault_of(&self, place: &str, fault: Fault, output: &Output) -> Result<Option<String>> {
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().last().unwrap_or_default();
        let is_told = match output.status.code() {
            // What can do without is done without, such as clearing up.
            Some(0) => true,
            Some(2) => last.starts_with("error: "),
            code => fault == Fault::End && code == Some(ENDED),
        };
        if !is_told {
            return Ok(Some(format!("{}: {last}", output.status)));
        }
        if self.task.before.is_some() && contents(Path::new(place)).is_err() {
            return Ok(Some("what stood under its name is gone".into()));
        }
        let again = given(self.folder, self.task, place, 0, FAULTS.len())?;
        if !again.status.success() && again.status.code() != Some(i32::from(UNTOUCHED)) {
            let said = String::from_utf8_lossy(&again.stderr);
            let last = said.lines().last().unwrap_or_default();
            return Ok(Some(format!(
                "after {:?} not again: {last}",
                output.status.code()
            )));
        }
        let is_same = self.task.result(self.folder, place, &again)? == self.sound;
        Ok((!is_same).then(|| "given again, its result is another".into()))
    }
}

/// A command in a process of its own, on one thread, so that the n-th operation is the same one.
fn given(folder: &Path, task: &Task, place: &str, operation: u32, fault: usize) -> Result<Output> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["step", "--operation", &operation.to_string()]);
    command.args(["--fault", &fault.to_string(), "--"]);
    command.args(task.told(place).split_whitespace());
    command.args(["--threads", "1"]).current_dir(folder);
    Ok(command.output()?)
}
