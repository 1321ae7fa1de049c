//! A trial: a command with its undisturbed result, which is the reference after every disturbance.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use serde_json::json;
use tempfile::TempDir;

use crate::arguments::Effort;
use crate::dice::Dice;
use crate::files::{copy, scratch};
use crate::process::Ended;
use crate::report::Found;
use crate::task::{Contents, Task, command, contents, make_around, tasks};

/// A task, its surrounding folder, and its undisturbed result.
pub struct Trial<'a> {
    pub task: &'a Task,
    pub folder: &'a Path,
    /// The undisturbed result.
    pub result: Contents,
    /// The contents under the result's name beforehand, if there are any.
    before: Option<Contents>,
    /// The duration of the undisturbed command.
    pub time: Duration,
}

impl<'a> Trial<'a> {
    /// Runs a task undisturbed.
    pub fn new(
        task: &'a Task,
        folder: &'a Path,
        run: impl FnOnce(&Path) -> Result<Ended>,
    ) -> Result<Self> {
        let (_directory, place) = placed(task, folder)?;
        let before = task.before.map(|_| contents(&place)).transpose()?;
        let start = Instant::now();
        let ended = run(&place)?;
        let time = start.elapsed();
        ensure!(ended.is_done(), "{}: {}", task.name, ended.described());
        Ok(Self {
            task,
            folder,
            result: task.result(&place, &ended.stdout)?,
            before,
            time,
        })
    }

    /// A temporary folder, and the path of a result in it, where the earlier result is placed if
    /// there is one.
    pub fn place(&self) -> Result<(TempDir, PathBuf)> {
        placed(self.task, self.folder)
    }

    /// What is wrong under the name of the result, if anything. The result may be absent, unchanged
    /// or complete; if the command had finished, it must be complete.
    pub fn wrong_name(&self, place: &Path, has_finished: bool) -> Option<String> {
        let found = place.exists().then(|| contents(place).ok());
        let words = match (found, &self.before) {
            (Some(Some(found)), _) if found == self.result => return None,
            _ if has_finished => "the result of a command that had finished is incomplete",
            (None, None) => return None,
            (None, Some(_)) => "the earlier result is gone",
            (Some(found), before) if before.is_some() && found == *before => return None,
            _ if self.task.is_growing() => return None,
            _ => "an incomplete result stands under its name",
        };
        Some(words.into())
    }

    /// What is wrong with a command that ran to its end, if anything.
    pub fn wrong_result(&self, place: &Path, ended: &Ended) -> Result<Option<String>> {
        if !ended.is_done() {
            return Ok(Some(format!("failed: {}", ended.described())));
        }
        let is_same = self.task.result(place, &ended.stdout)? == self.result;
        Ok((!is_same).then(|| "the result differs from that of an undisturbed run".into()))
    }
}

fn placed(task: &Task, folder: &Path) -> Result<(TempDir, PathBuf)> {
    let directory = tempfile::tempdir_in(folder)?;
    let place = directory.path().join(task.out.unwrap_or("printed"));
    if let Some(before) = task.before {
        copy(&folder.join(before), &place)?;
    }
    Ok((directory, place))
}

/// A folder with the files that all tasks need.
fn around() -> Result<TempDir> {
    let folder = tempfile::tempdir_in(scratch())?;
    make_around(folder.path())?;
    Ok(folder)
}

/// Runs all tasks in turn, round after round, until the time is over; `one` returns what is wrong.
pub fn rounds(
    effort: &Effort,
    one: impl Fn(&Trial, &mut Dice, &mut Found) -> Result<Option<String>>,
) -> Result<Found> {
    let end = Instant::now() + effort.time(1);
    let folder = around()?;
    let mut found = Found::default();
    let mut trials = Vec::new();
    let tasks = tasks();
    for task in &tasks {
        let run = |place: &Path| Ok(command(folder.path(), &task.words(place))?.output()?.into());
        trials.push(Trial::new(task, folder.path(), run)?);
    }
    let count = trials.len() as u64;
    for case in 0..effort.cases.saturating_mul(count) {
        if Instant::now() > end {
            break;
        }
        let trial = &trials[(case % count) as usize];
        if let Some(words) = one(trial, &mut Dice::new(effort.seed, case), &mut found)? {
            found.find(
                json!({"task": trial.task.name, "seed": effort.seed, "case": case,
                              "words": words}),
            );
        }
        if (case + 1).is_multiple_of(count) {
            found.print_totals(&format!("round {}", case / count));
        }
    }
    Ok(found)
}

/// Runs every task once, each with an equal share of the remaining time.
pub fn each_task(
    effort: &Effort,
    mut one: impl FnMut(&Task, &Path, Instant, &mut Found) -> Result<()>,
) -> Result<Found> {
    let end = Instant::now() + effort.time(1);
    let folder = around()?;
    let mut found = Found::default();
    let is_chosen = |task: &&Task| effort.only.as_ref().is_none_or(|only| task.name == only);
    let all = tasks();
    let tasks: Vec<&Task> = all.iter().filter(is_chosen).collect();
    ensure!(!tasks.is_empty(), "there is no such command");
    for (number, task) in tasks.iter().enumerate() {
        let left = end.saturating_duration_since(Instant::now());
        let share = left / (tasks.len() - number) as u32;
        one(task, folder.path(), Instant::now() + share, &mut found)?;
        found.print_counts(task.name);
    }
    Ok(found)
}
