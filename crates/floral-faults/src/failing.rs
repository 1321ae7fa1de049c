//! Storage that fails: the n-th file operation of a command has no space, breaks, is denied or is cut
//! short, or the process ends before it; for every n in turn, then by two at random. Then the command
//! is given again.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use floral_faults::injection::{ENDED, Fault};
use serde_json::json;

use crate::dice::Dice;
use crate::outcome::Found;
use crate::shares::Shares;
use crate::step::{Ended, FAULTS, Steps};
use crate::task::{Contents, Task, contents, make_around};
use crate::watch::scratch;

/// More operations than any of the commands has.
const MOST_OPERATIONS: u32 = 100_000;

/// How much is done.
pub struct Plan {
    pub seed: u64,
    pub time: Duration,
    /// Every how many operations one fails.
    pub every: u32,
    /// Pairs of faults of each task.
    pub pairs: u64,
    pub tasks: Vec<Task>,
}

/// Every `every`-th operation of every task, and pairs, until the time is over.
pub fn run(plan: &Plan) -> Result<Found> {
    // In memory: waiting for a disk at every sync would take nearly all of the time.
    let folder = tempfile::tempdir_in(scratch())?;
    make_around(folder.path())?;
    let mut found = Found::default();
    let mut time = Shares::new(plan.time, plan.tasks.len());
    for task in &plan.tasks {
        let mut failing = Failing::of(task, folder.path())?;
        let end = time.next_end();
        let operations = failing.each(plan.every, end, &mut found)?;
        failing.pairs(plan, operations, end, &mut found)?;
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
    steps: Steps,
    sound: Contents,
}

impl<'a> Failing<'a> {
    fn of(task: &'a Task, folder: &'a Path) -> Result<Self> {
        let place = format!("sound-{}", task.place(0));
        task.prepare(folder, &place)?;
        let mut steps = Steps::new(folder)?;
        let ended = steps.given(&task.told(&place), &[])?;
        ensure!(ended.is_done(), "{}: {}", task.name, ended.last_words);
        Ok(Self {
            task,
            folder,
            steps,
            sound: task.result(folder, &place, &ended.stdout)?,
        })
    }

    /// Every fault at each operation in turn, until there are no more; returns how many there are.
    fn each(&mut self, every: u32, end: Instant, found: &mut Found) -> Result<u32> {
        let mut most = 1;
        for number in 0..FAULTS.len() {
            for operation in (1..MOST_OPERATIONS).step_by(every.max(1) as usize) {
                if Instant::now() > end || !self.one(&[vec![(operation, number)]], found)? {
                    break;
                }
                most = most.max(operation);
            }
        }
        Ok(most)
    }

    /// Two faults at random operations, in one run or in one after the other.
    fn pairs(&mut self, plan: &Plan, most: u32, end: Instant, found: &mut Found) -> Result<()> {
        for pair in 0..plan.pairs {
            if Instant::now() > end {
                break;
            }
            let mut dice = Dice::new(plan.seed, pair);
            let mut fault = || {
                let operation = 1 + dice.below(most as usize) as u32;
                (operation, dice.below(FAULTS.len()))
            };
            let (first, second) = (fault(), fault());
            let runs = match dice.one_in(3) {
                true => vec![vec![first, second]],
                false => vec![vec![first], vec![second]],
            };
            self.one(&runs, found)?;
        }
        Ok(())
    }

    /// Runs with faults, one after the other; whether the first came so far.
    fn one(&mut self, runs: &[Vec<(u32, usize)>], found: &mut Found) -> Result<bool> {
        let folder = tempfile::tempdir_in(self.folder)?;
        let place = folder.path().join(self.task.place(1));
        if let Some(before) = self.task.before {
            crate::task::copy(&self.folder.join(before), &place)?;
        }
        let place = place.to_string_lossy();
        let mut is_met = false;
        for (number, faults) in runs.iter().enumerate() {
            let ended = self.steps.given(&self.task.told(&place), faults)?;
            if !ended.is_met && ended.is_done() {
                continue;
            }
            is_met |= number == 0;
            found.count(self.task.name, "faults", faults.len() as u64);
            if let Some(words) = self.wrong_after(&place, faults, &ended) {
                self.tell(runs, &words, found);
                return Ok(is_met);
            }
        }
        if is_met && let Some(words) = self.wrong_again(&place)? {
            self.tell(runs, &words, found);
        }
        Ok(is_met)
    }

    fn tell(&self, runs: &[Vec<(u32, usize)>], words: &str, found: &mut Found) {
        let named = |(operation, fault): &(u32, usize)| format!("{:?} {operation}", FAULTS[*fault]);
        let faults: Vec<Vec<String>> = runs
            .iter()
            .map(|faults| faults.iter().map(named).collect())
            .collect();
        let find = json!({"task": self.task.name, "faults": faults, "words": words});
        found.finds.push(find);
    }

    /// What is wrong after a run with faults, if anything is: an end without words, or an old result
    /// that is gone.
    fn wrong_after(&self, place: &str, faults: &[(u32, usize)], ended: &Ended) -> Option<String> {
        let ends = faults.iter().any(|(_, fault)| FAULTS[*fault] == Fault::End);
        let is_told = match ended.code {
            // What can do without is done without, such as clearing up.
            Some(0) => true,
            // A table tells what is missing.
            Some(1) => self.task.name == "reproduce",
            Some(2) => ended.last_words.starts_with("error: "),
            code => ends && code == Some(ENDED),
        };
        if !is_told {
            return Some(format!("{:?}: {}", ended.code, ended.last_words));
        }
        let is_gone = self.task.before.is_some() && contents(Path::new(place)).is_err();
        is_gone.then(|| "what stood under its name is gone".into())
    }

    /// What is wrong once the command is given again without faults, if anything is.
    fn wrong_again(&mut self, place: &str) -> Result<Option<String>> {
        let again = self.steps.given(&self.task.told(place), &[])?;
        if !again.is_done() {
            return Ok(Some(format!("not again: {}", again.last_words)));
        }
        let is_same = self.task.result(self.folder, place, &again.stdout)? == self.sound;
        Ok((!is_same).then(|| "given again, its result is another".into()))
    }
}
