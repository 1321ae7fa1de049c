//! Several at once: two or four processes with one output, one run or one cache, and a reader who looks
//! while they work.

use std::path::Path;
use std::process::{Child, Output};
use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::json;

use crate::dice::Dice;
use crate::outcome::Found;
use crate::process::{finish, start, told, was_refused};
use crate::task::{Contents, TASKS, Task, command, contents, make_around, remove};
use crate::watch::scratch;

/// How many work at once.
const CROWDS: [usize; 2] = [2, 4];

/// Rounds of all tasks in turn, until the time is over.
pub fn run(seed: u64, time: Duration, rounds: u64) -> Result<Found> {
    let end = Instant::now() + time;
    let folder = tempfile::tempdir_in(scratch())?;
    make_around(folder.path())?;
    let mut found = Found::default();
    let tasks = TASKS;
    let sound: Vec<Contents> = tasks
        .iter()
        .map(|task| undisturbed(task, folder.path()))
        .collect::<Result<_>>()?;
    for round in 0..rounds {
        for (number, (task, sound)) in tasks.iter().zip(&sound).enumerate() {
            if Instant::now() > end {
                return Ok(found);
            }
            let case = round * tasks.len() as u64 + number as u64;
            let mut dice = Dice::new(seed, case);
            let crowd = Crowd {
                task,
                folder: folder.path(),
                sound,
            };
            if let Some(words) = crowd.work(&mut dice, case, &mut found)? {
                let find = json!({"task": task.name, "seed": seed, "case": case, "words": words});
                found.finds.push(find);
            }
        }
        let finds = found.finds.len();
        found.tell("round", &format!("{round}: {finds} finds"));
    }
    Ok(found)
}

fn undisturbed(task: &Task, folder: &Path) -> Result<Contents> {
    let place = format!("sound-{}", task.place(0));
    task.prepare(folder, &place)?;
    let output = command(folder, &task.told(&place))?.output()?;
    task.result(folder, &place, &output.stdout)
}

/// A task that several do.
struct Crowd<'a> {
    task: &'a Task,
    folder: &'a Path,
    sound: &'a Contents,
}

impl Crowd<'_> {
    /// All at once, a little apart; what is wrong with it, if anything is.
    fn work(&self, dice: &mut Dice, case: u64, found: &mut Found) -> Result<Option<String>> {
        let place = self.task.place(case);
        self.task.prepare(self.folder, &place)?;
        let size = *dice.pick(&CROWDS);
        let mut children = Vec::new();
        for _ in 0..size {
            children.push(start(command(self.folder, &self.task.told(&place))?)?);
            std::thread::sleep(Duration::from_millis(dice.below(20) as u64));
        }
        let half = self.look(&place, &mut children, found)?;
        let outputs: Vec<Output> = children.into_iter().map(finish).collect::<Result<_>>()?;
        found.count(self.task.name, "rounds", 1);
        found.count(self.task.name, "processes", size as u64);
        let refused = outputs.iter().filter(|output| was_refused(output)).count();
        found.count(self.task.name, "refused", refused as u64);
        let wrong = half.or(self.wrong(&place, &outputs)?);
        remove(self.folder, &place)?;
        Ok(wrong)
    }

    /// Looks at the result as long as they work: it is there whole, or not at all.
    fn look(
        &self,
        place: &str,
        children: &mut [Child],
        found: &mut Found,
    ) -> Result<Option<String>> {
        let path = self.folder.join(place);
        // What is exchanged while it is read is half of each, as for any reader by names.
        let is_looked_at = self.task.before.is_none() && !self.task.is_growing();
        let mut are_at_work = true;
        while are_at_work {
            are_at_work = false;
            for child in children.iter_mut() {
                are_at_work |= child.try_wait()?.is_none();
            }
            if is_looked_at && path.exists() {
                found.count(self.task.name, "looks", 1);
                if contents(&path)? != *self.sound {
                    return Ok(Some("a reader sees half of a result".into()));
                }
            }
            std::thread::sleep(Duration::from_millis(3));
        }
        Ok(None)
    }

    /// One of them did all of it, or was cut off by none: each is done or told of another.
    fn wrong(&self, place: &str, outputs: &[Output]) -> Result<Option<String>> {
        for output in outputs {
            if !output.status.success() && !was_refused(output) {
                return Ok(Some(format!("ended: {}", told(output))));
            }
        }
        let Some(done) = outputs.iter().find(|output| output.status.success()) else {
            return Ok(Some("each was told of another".into()));
        };
        let is_same = self.task.result(self.folder, place, &done.stdout)? == *self.sound;
        Ok((!is_same).then(|| "the result is another than that of one alone".into()))
    }
}
