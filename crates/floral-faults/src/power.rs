//! Power that fails: a command's steps are recorded, and of the disks that a failure after each of them
//! may leave some are made, on which the command is given again; at times the power fails once more.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use floral::Checksum;
use serde_json::json;

use crate::dice::Dice;
use crate::disk::{Past, gather};
use crate::outcome::Found;
use crate::shares::Shares;
use crate::step::Steps;
use crate::task::{Contents, Task, contents, copy, make_around};
use crate::watch::scratch;

/// How much is done.
pub struct Plan {
    pub seed: u64,
    pub time: Duration,
    /// Disks of each moment.
    pub disks: u64,
    /// Every how many steps the power fails.
    pub every: usize,
    pub tasks: Vec<Task>,
}

/// Every task that leaves a result, until the time is over.
pub fn run(plan: &Plan) -> Result<Found> {
    let folder = tempfile::tempdir_in(scratch())?;
    make_around(folder.path())?;
    let mut time = Shares::new(plan.time, plan.tasks.len());
    let mut found = Found::default();
    for task in plan.tasks.iter().filter(|task| task.out.is_some()) {
        let mut cuts = Cuts::of(task, folder.path())?;
        cuts.each(plan, time.next_end(), &mut found)?;
        let counts = &found.counts.get(task.name);
        found.tell(
            task.name,
            &format!("{counts:?}, {} finds so far", found.finds.len()),
        );
    }
    Ok(found)
}

/// A task, what it did to files, and what it came to.
struct Cuts<'a> {
    task: &'a Task,
    folder: &'a Path,
    steps: Steps,
    past: Past,
    before: Option<Contents>,
    sound: Contents,
}

impl<'a> Cuts<'a> {
    fn of(task: &'a Task, folder: &'a Path) -> Result<Self> {
        let disk = tempfile::tempdir_in(folder)?;
        let place = disk.path().join(task.place(0));
        if let Some(before) = task.before {
            copy(&folder.join(before), &place)?;
        }
        let before = task.before.map(|_| contents(&place)).transpose()?;
        let past = Past::of(disk.path())?;
        let mut steps = Steps::new(folder)?;
        let (ended, journal) = steps.recorded(&task.told(&place.to_string_lossy()))?;
        ensure!(ended.is_done(), "{}: {}", task.name, ended.last_words);
        Ok(Self {
            task,
            folder,
            steps,
            past: past.follow(journal),
            before,
            sound: task.result(folder, &place.to_string_lossy(), &ended.stdout)?,
        })
    }

    /// Disks of every moment, each unlike those before.
    fn each(&mut self, plan: &Plan, end: Instant, found: &mut Found) -> Result<()> {
        let mut known = BTreeSet::new();
        for moment in (0..=self.past.moments()).rev().step_by(plan.every.max(1)) {
            for disk in 0..plan.disks {
                if Instant::now() > end {
                    return Ok(());
                }
                let case = moment as u64 * plan.disks + disk;
                let mut dice = Dice::new(plan.seed, case);
                if let Some(words) = self.one(moment, &mut dice, &mut known, found)? {
                    found
                        .finds
                        .push(json!({"task": self.task.name, "seed": plan.seed,
                        "case": case, "moment": moment, "words": words}));
                }
            }
        }
        Ok(())
    }

    /// One disk; what is wrong with it, if anything is.
    fn one(
        &mut self,
        moment: usize,
        dice: &mut Dice,
        known: &mut BTreeSet<String>,
        found: &mut Found,
    ) -> Result<Option<String>> {
        let disk = tempfile::tempdir_in(self.folder)?;
        self.past.lay_out(moment, dice, disk.path())?;
        if !known.insert(mark(disk.path())?) {
            return Ok(None);
        }
        found.count(self.task.name, "disks", 1);
        let place = disk.path().join(self.task.place(0));
        if let Some(words) = self.wrong_name(&place, moment == self.past.moments()) {
            return Ok(Some(words));
        }
        if !dice.one_in(4) {
            return self.wrong_again(&place);
        }
        // The power fails once more, while the command goes on.
        let past = Past::of(disk.path())?;
        let words = self.words(&place);
        let (ended, journal) = self.steps.recorded(&words)?;
        if !ended.is_done() {
            return Ok(Some(format!("not again: {}", ended.last_words)));
        }
        let past = past.follow(journal);
        let later = tempfile::tempdir_in(self.folder)?;
        past.lay_out(dice.below(past.moments() + 1), dice, later.path())?;
        found.count(self.task.name, "disks", 1);
        let place = later.path().join(self.task.place(0));
        if let Some(words) = self.wrong_name(&place, false) {
            return Ok(Some(format!("after a second failure, {words}")));
        }
        self.wrong_again(&place)
    }

    /// Under the name of a result stands nothing, what stood there, or the whole result: the latter if
    /// the command had ended.
    fn wrong_name(&self, place: &Path, has_ended: bool) -> Option<String> {
        let there = place.exists().then(|| contents(place).ok());
        if there.as_ref() == Some(&Some(self.sound.clone())) {
            return None;
        }
        if has_ended {
            return Some("the result of a command that had ended is not whole".into());
        }
        let is_growing = self.task.is_growing();
        let is_as_before = there == self.before.clone().map(Some);
        (!is_growing && !is_as_before).then(|| "half of a result stands under its name".into())
    }

    /// What is wrong once the command is given again, if anything is.
    fn wrong_again(&mut self, place: &Path) -> Result<Option<String>> {
        let words = self.words(place);
        let ended = self.steps.given(&words, &[])?;
        if !ended.is_done() {
            return Ok(Some(format!("not again: {}", ended.last_words)));
        }
        let place = place.to_string_lossy();
        let is_same = self.task.result(self.folder, &place, &ended.stdout)? == self.sound;
        Ok((!is_same).then(|| "given again, its result is another".into()))
    }

    fn words(&self, place: &Path) -> String {
        self.task.told(&place.to_string_lossy())
    }
}

/// By which the same disk is known again.
fn mark(disk: &Path) -> Result<String> {
    let mut files = Vec::new();
    gather(disk, disk, &mut files)?;
    files.sort();
    let sum = files
        .iter()
        .fold(Checksum::default(), |sum, (path, bytes)| {
            let sum = sum.bytes(path.as_os_str().as_encoded_bytes());
            bytes.as_ref().map_or(sum, |bytes| sum.bytes(bytes))
        });
    Ok(sum.to_string())
}
