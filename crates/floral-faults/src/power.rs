//! Power failures: the steps of a command are recorded, some of the possible disks after a failure
//! at each step are created, and the command runs again on each. Sometimes the power fails a second
//! time.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use floral::Checksum;
use serde_json::json;

use crate::arguments::Effort;
use crate::dice::Dice;
use crate::disk::Past;
use crate::files::below;
use crate::report::Found;
use crate::step::Steps;
use crate::trial::{Trial, each_task};

/// Runs every task with a result, until the time is over.
pub fn run(effort: &Effort) -> Result<Found> {
    each_task(effort, |task, folder, end, found| {
        if task.out.is_none() {
            return Ok(());
        }
        let mut steps = Steps::new(folder)?;
        let mut past = Past::default();
        let trial = Trial::new(task, folder, |place| {
            past = Past::of(place.parent().unwrap_or(place))?;
            let (ended, journal) = steps.recorded(&task.words(place))?;
            past.follow(journal);
            Ok(ended)
        })?;
        let mut cuts = Cuts {
            trial,
            steps,
            past,
            known: BTreeSet::new(),
        };
        cuts.each(effort, end, found)
    })
}

/// A task, its file operations, and the disks tried so far.
struct Cuts<'a> {
    trial: Trial<'a>,
    steps: Steps,
    past: Past,
    known: BTreeSet<String>,
}

impl Cuts<'_> {
    /// Tries disks for every moment, each different from earlier ones.
    fn each(&mut self, effort: &Effort, end: Instant, found: &mut Found) -> Result<()> {
        for moment in (0..=self.past.moments()).rev().step_by(effort.every.max(1)) {
            for disk in 0..effort.disks {
                if Instant::now() > end {
                    return Ok(());
                }
                let case = moment as u64 * effort.disks + disk;
                let mut dice = Dice::new(effort.seed, case);
                if let Some(words) = self.one(moment, &mut dice, found)? {
                    found.find(json!({"task": self.trial.task.name, "seed": effort.seed,
                                      "case": case, "moment": moment, "words": words}));
                }
            }
        }
        Ok(())
    }

    /// Tries one disk; returns what is wrong with it, if anything.
    fn one(&mut self, moment: usize, dice: &mut Dice, found: &mut Found) -> Result<Option<String>> {
        let (task, folder) = (self.trial.task, self.trial.folder);
        let disk = tempfile::tempdir_in(folder)?;
        self.past.lay_out(moment, dice, disk.path())?;
        if !self.known.insert(identity(disk.path())?) {
            return Ok(None);
        }
        found.count(task.name, "disks", 1);
        let name = task.out.unwrap_or_default();
        let place = disk.path().join(name);
        let has_finished = moment == self.past.moments();
        if let Some(words) = self.trial.wrong_name(&place, has_finished) {
            return Ok(Some(words));
        }
        if !dice.one_in(4) {
            return self.wrong_again(&place);
        }
        // The power fails a second time, while the command continues.
        let mut past = Past::of(disk.path())?;
        let (ended, journal) = self.steps.recorded(&task.words(&place))?;
        if !ended.is_done() {
            return Ok(Some(format!("failed: {}", ended.described())));
        }
        past.follow(journal);
        let later = tempfile::tempdir_in(folder)?;
        past.lay_out(dice.below(past.moments() + 1), dice, later.path())?;
        found.count(task.name, "disks", 1);
        let place = later.path().join(name);
        if let Some(words) = self.trial.wrong_name(&place, false) {
            return Ok(Some(format!("after a second failure, {words}")));
        }
        self.wrong_again(&place)
    }

    /// Runs the command again; returns what is wrong afterwards, if anything.
    fn wrong_again(&mut self, place: &Path) -> Result<Option<String>> {
        let ended = self.steps.run(&self.trial.task.words(place), &[])?;
        self.trial.wrong_result(place, &ended)
    }
}

/// A checksum that identifies equal disks.
fn identity(disk: &Path) -> Result<String> {
    let files = below(disk)?;
    let sum = files
        .iter()
        .fold(Checksum::default(), |sum, (path, bytes)| {
            let sum = sum.bytes(path.as_os_str().as_encoded_bytes());
            bytes.as_ref().map_or(sum, |bytes| sum.bytes(bytes))
        });
    Ok(sum.to_string())
}
