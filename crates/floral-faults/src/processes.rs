//! Kills processes at random moments and starts them again; runs several on one output.

use std::path::Path;
use std::process::Child;
use std::time::Duration;

use anyhow::Result;

use crate::arguments::Effort;
use crate::dice::Dice;
use crate::process::{Ended, finish, kill_within, start};
use crate::report::Found;
use crate::task::{command, contents};
use crate::trial::{Trial, rounds};

/// Maximum number of kills per round; then the command runs undisturbed.
const MOST_KILLS: u64 = 12;

/// Numbers of processes that work on one output.
const CROWDS: [usize; 2] = [2, 4];

/// Kills commands and runs them again until they succeed; compares each with an undisturbed run.
pub fn kills(effort: &Effort) -> Result<Found> {
    rounds(effort, |trial, dice, found| {
        let (_directory, place) = trial.place()?;
        let mut kills = 0;
        let ended = loop {
            let ended = attempt(trial, &place, kills < MOST_KILLS, dice, found)?;
            if !ended.was_killed() {
                break ended;
            }
            kills += 1;
            found.count(trial.task.name, "kills", 1);
            if let Some(words) = trial.wrong_name(&place, false) {
                return Ok(Some(words));
            }
        };
        found.count(trial.task.name, "rounds", 1);
        trial.wrong_result(&place, &ended)
    })
}

/// Runs the command once, perhaps killed. In one of six attempts a second process works on the same
/// output.
fn attempt(
    trial: &Trial,
    place: &Path,
    is_killed: bool,
    dice: &mut Dice,
    found: &mut Found,
) -> Result<Ended> {
    let child = spawn(trial, place)?;
    let second = dice.one_in(6).then(|| spawn(trial, place)).transpose()?;
    if is_killed {
        kill_within(&child, trial.time.mul_f64(1.1), dice);
    }
    let first = finish(child)?;
    let Some(second) = second else {
        return Ok(first);
    };
    found.count(trial.task.name, "beside", 1);
    let second = finish(second)?;
    // Either process may have done all the work while the other was refused.
    Ok(match first.was_refused() {
        true => second,
        false => first,
    })
}

fn spawn(trial: &Trial, place: &Path) -> Result<Child> {
    start(command(trial.folder, &trial.task.words(place))?)
}

/// Starts two or four processes on one output, and reads the output while they work.
pub fn together(effort: &Effort) -> Result<Found> {
    rounds(effort, |trial, dice, found| {
        let (name, size) = (trial.task.name, *dice.pick(&CROWDS));
        let (_directory, place) = trial.place()?;
        let mut children = Vec::new();
        for _ in 0..size {
            children.push(spawn(trial, &place)?);
            std::thread::sleep(Duration::from_millis(dice.below(20) as u64));
        }
        let half = read_meanwhile(trial, &place, &mut children, found)?;
        let all: Vec<Ended> = children.into_iter().map(finish).collect::<Result<_>>()?;
        let refused = all.iter().filter(|ended| ended.was_refused()).count();
        found.count(name, "rounds", 1);
        found.count(name, "processes", size as u64);
        found.count(name, "refused", refused as u64);
        // Each process has done the work or was refused, and at least one has done it.
        let wrong = match all.iter().find(|ended| !ended.was_refused()) {
            None => Some("every process was refused".into()),
            Some(first) => {
                let failed = all.iter().find(|e| !e.is_done() && !e.was_refused());
                trial.wrong_result(&place, failed.unwrap_or(first))?
            }
        };
        Ok(half.or(wrong))
    })
}

/// Reads the result while processes work: it must be complete or absent.
fn read_meanwhile(
    trial: &Trial,
    place: &Path,
    children: &mut [Child],
    found: &mut Found,
) -> Result<Option<String>> {
    // If a result is replaced while it is read file by file, any reader sees parts of both.
    let is_read = trial.task.before.is_none() && !trial.task.is_growing();
    let mut are_running = true;
    while are_running {
        are_running = false;
        for child in children.iter_mut() {
            are_running |= child.try_wait()?.is_none();
        }
        if is_read && place.exists() {
            found.count(trial.task.name, "looks", 1);
            if contents(place)? != trial.result {
                return Ok(Some("a reader sees an incomplete result".into()));
            }
        }
        std::thread::sleep(Duration::from_millis(3));
    }
    Ok(None)
}
