//! Kills: commands are ended at random moments, by a signal that asks or one that does not, and given
//! again until they are done; what they leave is compared with an undisturbed run.

use std::path::Path;
use std::process::{Child, Output};
use std::time::{Duration, Instant};

use anyhow::Result;
use nix::sys::signal::Signal;
use serde_json::{Value, json};

use crate::dice::Dice;
use crate::outcome::Found;
use crate::process::{end, finish, start, told, was_killed, was_refused};
use crate::task::{Contents, TASKS, Task, command, contents, make_around, remove};
use crate::watch::scratch;

/// Kills of one round, after which the command is left alone.
const MOST_KILLS: usize = 12;

/// Rounds of all tasks in turn, until the time is over.
pub fn run(seed: u64, time: Duration, rounds: u64) -> Result<Found> {
    let end = Instant::now() + time;
    let folder = tempfile::tempdir_in(scratch())?;
    make_around(folder.path())?;
    let mut found = Found::default();
    let tasks = TASKS;
    let mut sound = Vec::new();
    for task in &tasks {
        sound.push(Undisturbed::of(task, folder.path())?);
    }
    for round in 0..rounds {
        for (number, (task, undisturbed)) in tasks.iter().zip(&sound).enumerate() {
            if Instant::now() > end {
                return Ok(found);
            }
            let case = round * tasks.len() as u64 + number as u64;
            let work = Round {
                task,
                folder: folder.path(),
                seed,
                case,
            };
            work.run(undisturbed, &mut found)?;
        }
        let kills: u64 = found
            .counts
            .values()
            .filter_map(|counts| counts.get("kills"))
            .sum();
        found.tell(
            "round",
            &format!("{round}: {kills} kills, {} finds", found.finds.len()),
        );
    }
    Ok(found)
}

/// What a task comes to if nobody disturbs it, and how long it takes.
struct Undisturbed {
    contents: Contents,
    before: Option<Contents>,
    time: Duration,
}

impl Undisturbed {
    fn of(task: &Task, folder: &Path) -> Result<Self> {
        let place = format!("sound-{}", task.place(0));
        task.prepare(folder, &place)?;
        let before = task
            .before
            .map(|_| contents(&folder.join(&place)))
            .transpose()?;
        let begun = Instant::now();
        let output = command(folder, &task.told(&place))?.output()?;
        let time = begun.elapsed();
        anyhow::ensure!(output.status.success(), "{}: {}", task.name, told(&output));
        Ok(Self {
            contents: task.result(folder, &place, &output.stdout)?,
            before,
            time,
        })
    }
}

/// One task, killed until it is done.
struct Round<'a> {
    task: &'a Task,
    folder: &'a Path,
    seed: u64,
    case: u64,
}

impl Round<'_> {
    fn run(&self, undisturbed: &Undisturbed, found: &mut Found) -> Result<()> {
        let mut dice = Dice::new(self.seed, self.case);
        let place = self.task.place(self.case);
        self.task.prepare(self.folder, &place)?;
        let mut kills = 0;
        let output = loop {
            let output = self.attempt(&mut dice, &place, undisturbed, kills, found)?;
            if !was_killed(&output) {
                break output;
            }
            kills += 1;
            self.check_name(&place, undisturbed, found);
        };
        found.count(self.task.name, "kills", kills as u64);
        found.count(self.task.name, "rounds", 1);
        if !output.status.success() {
            found
                .finds
                .push(self.find(&format!("ended: {}", told(&output))));
        } else if self.task.result(self.folder, &place, &output.stdout)? != undisturbed.contents {
            found
                .finds
                .push(self.find("its result differs from that of an undisturbed run"));
        }
        remove(self.folder, &place)
    }

    /// The command once, killed after a while unless it was often enough; at times a second one
    /// works beside it.
    fn attempt(
        &self,
        dice: &mut Dice,
        place: &str,
        undisturbed: &Undisturbed,
        kills: usize,
        found: &mut Found,
    ) -> Result<Output> {
        let mut child = self.spawn(place)?;
        let beside = dice.one_in(6).then(|| self.spawn(place)).transpose()?;
        let moment = undisturbed.time.mul_f64(1.1 * dice.share());
        let signal = *dice.pick(&[Signal::SIGKILL, Signal::SIGTERM]);
        if kills < MOST_KILLS {
            std::thread::sleep(moment);
            end(&mut child, signal);
        }
        let output = finish(child)?;
        if let Some(second) = beside {
            found.count(self.task.name, "beside", 1);
            let second = finish(second)?;
            // Either may have done all of the work, or was told that the other is at it.
            return Ok(match was_refused(&output) {
                true => second,
                false => output,
            });
        }
        Ok(output)
    }

    fn spawn(&self, place: &str) -> Result<Child> {
        start(command(self.folder, &self.task.told(place))?)
    }

    /// Under the name of a result stands nothing, or what stood there, or the whole result.
    fn check_name(&self, place: &str, undisturbed: &Undisturbed, found: &mut Found) {
        let is_growing = self.task.is_growing();
        let Ok(there) = contents(&self.folder.join(place)) else {
            if undisturbed.before.is_some() {
                found
                    .finds
                    .push(self.find("what stood under its name is gone"));
            }
            return;
        };
        let is_old = undisturbed.before.as_ref() == Some(&there);
        if !is_growing && !is_old && there != undisturbed.contents {
            found
                .finds
                .push(self.find("half of a result stands under its name"));
        }
    }

    fn find(&self, words: &str) -> Value {
        json!({"task": self.task.name, "seed": self.seed, "case": self.case, "words": words})
    }
}
