//! Failing storage: the n-th file operation of a command has no space, fails, is denied or is cut
//! short, or the process ends before it; for every n, then for random pairs. Then the command runs
//! again.

use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use floral_faults::injection::{ENDED, Fault};
use serde_json::json;

use crate::arguments::Effort;
use crate::dice::Dice;
use crate::process::Ended;
use crate::report::Found;
use crate::step::{FAULTS, Injected, Steps};
use crate::trial::{Trial, each_task};

/// More operations than any command has.
const MOST_OPERATIONS: u32 = 100_000;

/// Injects faults at every `every`-th operation of every task, and pairs, until the time is over.
pub fn run(effort: &Effort) -> Result<Found> {
    each_task(effort, |task, folder, end, found| {
        let mut steps = Steps::new(folder)?;
        let trial = Trial::new(task, folder, |place| steps.run(&task.words(place), &[]))?;
        let mut failing = Failing { trial, steps };
        let operations = failing.singles(effort, end, found)?;
        failing.pairs(effort, operations, end, found)
    })
}

struct Failing<'a> {
    trial: Trial<'a>,
    steps: Steps,
}

impl Failing<'_> {
    /// Injects every fault at each operation in turn; returns the number of operations.
    fn singles(&mut self, effort: &Effort, end: Instant, found: &mut Found) -> Result<u32> {
        let mut most = 1;
        for fault in 0..FAULTS.len() {
            for operation in (1..MOST_OPERATIONS).step_by(effort.every.max(1)) {
                let injected = Injected { operation, fault };
                if Instant::now() > end || !self.one(&[vec![injected]], found)? {
                    break;
                }
                most = most.max(operation);
            }
        }
        Ok(most)
    }

    /// Injects two faults at random operations, in one run or in two.
    fn pairs(&mut self, effort: &Effort, most: u32, end: Instant, found: &mut Found) -> Result<()> {
        for pair in 0..effort.pairs {
            if Instant::now() > end {
                break;
            }
            let mut dice = Dice::new(effort.seed, pair);
            let mut injected = || Injected {
                operation: 1 + dice.below(most as usize) as u32,
                fault: dice.below(FAULTS.len()),
            };
            let (first, second) = (injected(), injected());
            let runs = match dice.one_in(3) {
                true => vec![vec![first, second]],
                false => vec![vec![first], vec![second]],
            };
            self.one(&runs, found)?;
        }
        Ok(())
    }

    /// Runs the command with these faults, run after run; returns whether the first run reached its
    /// faults.
    fn one(&mut self, runs: &[Vec<Injected>], found: &mut Found) -> Result<bool> {
        let (_directory, place) = self.trial.place()?;
        let name = self.trial.task.name;
        let words = self.trial.task.words(&place);
        let mut is_met = false;
        let mut wrong = None;
        for (number, faults) in runs.iter().enumerate() {
            let ended = self.steps.run(&words, faults)?;
            if !self.steps.are_met() && ended.is_done() {
                continue;
            }
            is_met |= number == 0;
            found.count(name, "faults", faults.len() as u64);
            wrong = self.wrong_after(&place, faults, &ended);
            if wrong.is_some() {
                break;
            }
        }
        if is_met && wrong.is_none() {
            let again = self.steps.run(&words, &[])?;
            wrong = self.trial.wrong_result(&place, &again)?;
        }
        if let Some(words) = wrong {
            found.find(json!({"task": name, "faults": format!("{runs:?}"), "words": words}));
        }
        Ok(is_met)
    }

    /// What is wrong after a run with faults, if anything: an end without a message, or a result
    /// that is neither absent nor unchanged nor complete.
    fn wrong_after(&self, place: &Path, faults: &[Injected], ended: &Ended) -> Option<String> {
        let ends = faults.iter().any(|f| FAULTS[f.fault] == Fault::End);
        let is_reported = match ended.code {
            // Operations that are not essential, such as removing temporary files, may fail.
            Some(0) => true,
            // The table marks the missing cells.
            Some(1) => self.trial.task.name == "reproduce",
            Some(2) => ended.last_line().starts_with("error: "),
            code => ends && code == Some(ENDED),
        };
        match is_reported {
            true => self.trial.wrong_name(place, false),
            false => Some(ended.described()),
        }
    }
}
